// FilteredCallsTests.swift: kernels that lack a call, and containers whose filter refuses it: a typed refusal, and nothing hangs.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// Makes system calls fail for the calling thread, and for those it starts: what a container's filter does. For exit tests.
enum CallFilter {
  /// One instruction of the filter, as the kernel lays it out.
  private struct Instruction {
    var code: UInt16
    var ifEqual: UInt8 = 0
    var ifNot: UInt8 = 0
    var value: UInt32
  }
  private struct Program {
    var count: UInt16
    var start: UnsafeMutablePointer<Instruction>
  }

  /// The numbers of the calls here: process descriptors and inotify.
  #if arch(x86_64)
  static let numbers: [UInt32] = [434, 294]
  #else
  static let numbers: [UInt32] = [434, 26]
  #endif

  /// Has the calls answered with an error; false if the machine permits no filter.
  static func refuse(_ calls: [UInt32], with error: Int32) -> Bool {
    var filter = [Instruction(code: 0x20, value: 0)]  // load the call's number
    for (index, call) in calls.enumerated() {
      // Is it this one? Then to the end.
      filter.append(Instruction(code: 0x15, ifEqual: UInt8(calls.count - index), value: call))
    }
    filter.append(Instruction(code: 0x06, value: 0x7fff_0000))  // allowed
    filter.append(Instruction(code: 0x06, value: 0x0005_0000 | UInt32(error)))  // refused with the error
    guard let address = dlsym(nil, "prctl") else { return false }
    typealias Prctl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    let prctl = unsafeBitCast(address, to: Prctl.self)
    return filter.withUnsafeMutableBufferPointer { buffer in
      var program = Program(count: UInt16(buffer.count), start: buffer.baseAddress!)
      return withUnsafeMutablePointer(to: &program) {
        prctl(38, 1, 0, 0, 0) == 0 && prctl(22, 2, UInt(bitPattern: $0), 0, 0) == 0  // no new privileges; the filter
      }
    }
  }
}

extension Kinds {
  @Suite struct FilteredCallsTests {
    @Test("Without process descriptors or inotify the sources are refused by name and cancelled", arguments: [ENOSYS, EPERM])
    func refused(_ error: Int32) async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [error = error as Int32] in
        killOnHang()
        let folder = TestFolder()
        let file = folder.file("a")
        guard CallFilter.refuse(CallFilter.numbers, with: error) else {
          return SignalboxSystem.Misuse.report("no filter is permitted")
        }
        let process = DispatchSource.makeProcessSource(identifier: getppid(), eventMask: .exit)
        let files = DispatchSource.makeFileSystemObjectSource(fileDescriptor: file, eventMask: .write)
        let cancelled = Count()
        for source in [process as any DispatchSourceProtocol, files] {
          source.setCancelHandler { cancelled.add() }
          source.activate()
        }
        precondition(eventually { cancelled.value == 2 })
        func reason(_ call: String) -> SourceRefusal.Reason {
          let error = SystemError(call: call, code: error)
          return error.code == ENOSYS ? .unsupported(error) : .failed(error)
        }
        precondition(process.refusal?.reason == reason("pidfd_open"))
        precondition(files.refusal?.reason == reason("inotify_init1"))
        do throws(SourceRefusal) {
          try DispatchSource.checkProcessSource(identifier: getppid(), eventMask: .exit)
          preconditionFailure("not refused")
        } catch { precondition(error.reason == reason("pidfd_open")) }
      }
      let text = errorText(result)
      if text.contains("no filter is permitted") { return }  // nothing to be seen here
      let expected = error == ENOSYS ? "the kernel does not support it, or a filter blocks it (pidfd_open" : "pidfd_open: "
      #expect(text.contains(expected), "\(text)")
      #expect(text.components("The source is cancelled") == 2, "\(text)")
    }
  }
}
