// KindLifeTests.swift: nothing is left over, storms of activation and cancellation, and the same as a user without privileges.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Kinds {
  @Suite struct KindLifeTests {
    /// A source of each kind, and what it monitors.
    static func everyKind(
      _ folder: TestFolder, _ file: Int32, _ child: Child, _ ports: (receive: SignalboxPort, send: SignalboxPort),
      own: DispatchSource.ProcessEvent = .exit
    )
      -> [any DispatchSourceProtocol]
    {
      [
        DispatchSource.makeProcessSource(identifier: child.id, eventMask: .exit),
        DispatchSource.makeProcessSource(identifier: getpid(), eventMask: own),
        DispatchSource.makeFileSystemObjectSource(fileDescriptor: file, eventMask: .all),
        DispatchSource.makeFileSystemObjectSource(fileDescriptor: file, eventMask: .write),
        DispatchSource.makeMemoryPressureSource(eventMask: .all),
        DispatchSource.makeMachReceiveSource(port: ports.receive.name),
        DispatchSource.makeMachSendSource(port: ports.send.name, eventMask: .dead),
      ]
    }

    static func round(_ end: ([any DispatchSourceProtocol]) -> Void) {
      autoreleased {
        let folder = TestFolder()
        let file = folder.file("a")
        let child = Child(["/bin/cat"])
        let ports = try! SignalboxPort.makePair()
        let sources = everyKind(folder, file, child, ports, own: .all)
        for source in sources { source.setEventHandler {} }
        for source in sources { source.activate() }
        write(file, "x", 1)
        _ = try? ports.send.send([1])
        child.reap()
        end(sources)
        close(file)
      }
    }

    /// Lets go of everything that `body` holds.
    @inline(never) static func autoreleased(_ body: () -> Void) { body() }

    @Test("No descriptor is left when the sources are cancelled, dropped, or dropped without having been activated")
    func descriptors() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        KindLifeTests.round { for source in $0 { source.cancelAndWait() } }  // what is opened once is open
        let before = openDescriptors()
        for _ in 0..<20 { KindLifeTests.round { for source in $0 { source.cancelAndWait() } } }
        #expect(eventually { openDescriptors() == before }, "cancelled: \(openDescriptors()) instead of \(before)")
        for _ in 0..<20 { KindLifeTests.round { _ in } }
        #expect(eventually { openDescriptors() == before }, "dropped: \(openDescriptors()) instead of \(before)")
        KindLifeTests.autoreleased {
          let folder = TestFolder()
          let file = folder.file("a")
          let ports = try! SignalboxPort.makePair()
          let child = Child(["/bin/cat"])
          for source in KindLifeTests.everyKind(folder, file, child, ports) { source.cancel() }
          for source in KindLifeTests.everyKind(folder, file, child, ports) { _ = source.isCancelled }
          child.reap()
          close(file)
        }
        #expect(eventually { openDescriptors() == before }, "inactive: \(openDescriptors()) instead of \(before)")
        #expect(FileTable.shared.testsOnly_watchCount == 0)
        #expect(PressureMonitor.shared.testsOnly_channelCount == 0)
      }
    }

    @Test("Activated, called and cancelled by several threads, each source calls its cancel handler once, after all events")
    func storm() {
      let folder = TestFolder()
      let file = folder.file("a")
      defer { close(file) }
      let ports = try! SignalboxPort.makePair()
      for _ in 0..<40 {
        let child = Child(["/bin/cat"])
        let sources = Self.everyKind(folder, file, child, ports)
        let (cancelled, late) = (Count(), Count())
        for source in sources {
          let isOver = Count()
          source.setEventHandler { if isOver.value > 0 { late.add() } }
          source.setCancelHandler {
            isOver.add()
            cancelled.add()
          }
        }
        nonisolated(unsafe) let shared = sources
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
          switch thread {
          case 0: for source in shared { source.activate() }
          case 1: for source in shared { source.cancel() }
          case 2: for _ in 0..<20 { write(file, "x", 1) }
          default:
            child.finish()
            MemoryPressure.inject(.warning)
            MemoryPressure.inject(.normal)
          }
        }
        for source in sources { source.activate() }
        #expect(eventually { cancelled.value == UInt64(sources.count) })
        #expect(late.value == 0)
        child.reap()
      }
    }

    @Test(
      "A user without privileges gets the end of other users' processes, files, memory pressure and ports",
      .enabled(if: getuid() == 0))
    func unprivileged() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        let rootsChild = Child(["/bin/cat"])
        guard setgid(65534) == 0, setuid(65534) == 0 else { return }
        let (ends, files, memory) = (
          EventLog<DispatchSource.ProcessEvent>(), TestFolder(), EventLog<DispatchSource.MemoryPressureEvent>()
        )
        let process = ProcessSourceTests.watched(rootsChild.id, .exit, ends)
        rootsChild.reap()
        #expect(eventually { ends.all == [.exit] })
        let file = files.file("a")
        let watched = ObservedFile(file)
        write(file, "x", 1)
        #expect(try! watched.events() == [.write, .extend])
        let pressure = MemoryPressureTests.watched(.all, memory)
        if pressure.refusal == nil { #expect(PressureMonitor.shared.testsOnly_channelCount > 0) }
        MemoryPressure.inject(.warning)
        pressure.passQueue()
        #expect(memory.all == [.warning])
        process.cancelAndWait()
        pressure.cancelAndWait()
        // A file that may be opened for writing only may not be monitored.
        let secret = open(files.of("s"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o200)
        let refused = DispatchSource.makeFileSystemObjectSource(fileDescriptor: secret, eventMask: .write)
        refused.activate()
        #expect(refused.refusal?.reason == .failed(SystemError(call: "inotify_add_watch", code: EACCES)))
        #expect(refused.isCancelled)
      }
      expectReport(result, saying: "the file may not be read by this user. The source is cancelled")
    }

    @Test("Children inherit no descriptor of ours")
    func inheritance() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let folder = TestFolder()
        let file = folder.file("a")
        let child = Child(["/bin/cat"])
        let ports = try! SignalboxPort.makePair()
        let sources = KindLifeTests.everyKind(folder, file, child, ports)
        for source in sources { source.activate() }
        let list = try! Programs.output(of: "/bin/ls", arguments: ["ls", "-l", "/proc/self/fd"], environment: [])
        let text = String(decoding: list.bytes, as: UTF8.self)
        for kind in ["inotify", "pidfd", "pressure", "signalbox-kinds", "eventpoll"] {
          #expect(text.components(kind) == 0, "\(text)")
        }
        for source in sources { source.cancelAndWait() }
        child.reap()
      }
    }
  }
}
