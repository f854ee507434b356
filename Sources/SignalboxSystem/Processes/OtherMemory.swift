// OtherMemory.swift: the memory of a process that is not ours, read while it goes on, and its threads. Our own is SafeMemory.swift.
import CSignalbox
import Glibc

/// Reads a process's memory: nothing of the process has to run, and nothing is stopped.
package struct OtherMemory: Sendable {
  /// The process.
  package let process: Int32
  /// One of its threads that has not ended: once the first one has, the process's own number names no memory.
  private let thread: Int32

  /// The memory of a process.
  package init(of process: Int32) {
    (self.process, thread) = (process, ProcessFiles.livingThread(of: process))
  }

  /// Copies what lies at the address; as much as the buffer holds, or nothing.
  ///
  /// - Throws: what the kernel refuses: `EPERM` the whole process to this user, `EFAULT` memory that is not there, `ESRCH` one that has ended.
  package func read(_ address: UInt, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) {
    let got = sb_read_memory_of(thread, address, buffer.start, buffer.count)
    if got < 0 { throw SystemError(call: "process_vm_readv", code: Int32(-got)) }
    // The rest lies where there is no memory.
    guard got == buffer.count else { throw SystemError(call: "process_vm_readv", code: EFAULT) }
  }

  /// Why memory cannot be read at all.
  package enum Hindrance: Equatable, Sendable {
    /// The kernel's Yama lets only parents read, or nobody but root.
    case yama(scope: Int)
    /// The process has hidden itself: PR_SET_DUMPABLE.
    case hidden
    /// This process may not read any memory in that way, not even its own: a container's seccomp profile.
    case forbidden
    /// Another right is missing.
    case other
  }

  /// Why the kernel has refused with `EPERM` or `ENOSYS`.
  package var hindrance: Hindrance {
    Self.hindrance(
      ownMemoryIsReadable: Self.ownMemoryIsReadable, isHidden: OtherProcess.environment(of: process) == nil,
      yama: Self.yamaScope)
  }

  /// - Parameter isHidden: the environment is not shown, for which the kernel asks the same but for Yama.
  static func hindrance(ownMemoryIsReadable: Bool, isHidden: Bool, yama: Int) -> Hindrance {
    if !ownMemoryIsReadable { return .forbidden }
    if isHidden { return .hidden }
    return yama > 0 ? .yama(scope: yama) : .other
  }

  private static var ownMemoryIsReadable: Bool {
    var here: UInt64 = 1, copy: UInt64 = 0
    return withUnsafePointer(to: &here) { sb_read_memory_of(getpid(), UInt(bitPattern: $0), &copy, 8) } == 8
  }

  private static var yamaScope: Int {
    let text = KernelThread.contents("/proc/sys/kernel/yama/ptrace_scope") ?? []
    return Int(String(decoding: text.filter { $0 > 32 }, as: UTF8.self)) ?? 0
  }
}

extension SystemError {
  /// The process is not to be read by this user, or nobody is.
  package var isRefusal: Bool { code == EPERM || code == ENOSYS || code == EACCES }
}

/// A thread of a process that is not ours.
package struct OtherThread: Sendable {
  /// The kernel's number here, and the one that the process knows: another in a container.
  package let id: Int32, innerID: Int32
  /// At most 15 bytes.
  package let name: String
  /// The kernel's letter.
  package let state: Character

  /// The threads of a process, by number.
  package static func all(of process: Int32) -> [OtherThread] {
    let tasks = (try? Files.names(in: RawString("/proc/\(process)/task"))) ?? []
    return tasks.compactMap { Int32($0) }.sorted().compactMap { id in
      let folder = "/proc/\(process)/task/\(id)"
      guard let facts = KernelThread.contents("\(folder)/stat").flatMap(ProcessStat.init) else { return nil }
      let status = KernelThread.contents("\(folder)/status") ?? []
      let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "NSpid:".utf8) }
      let inner = line?.split { $0 <= 32 }.last.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
      return OtherThread(id: id, innerID: inner ?? id, name: facts.name, state: facts.state)
    }
  }
}

extension KernelCall {
  /// The call that thread `id` of a process sleeps in; nil as for our own.
  package init?(of id: Int32, process: Int32) {
    guard let line = KernelThread.contents("/proc/\(process)/task/\(id)/syscall") else { return nil }
    self.init(line: line)
  }

  /// The call with this number and these arguments, six of them.
  package init(_ number: Int, _ arguments: [UInt], stackPointer: UInt) {
    self.init(number: number, arguments: arguments, stackPointer: stackPointer)
  }
}

extension ForeignMutex {
  /// The mutex in which the call sleeps, by `word`, which reads the memory of the caller's process; nil if it is no mutex's.
  package init?(_ call: KernelCall, _ word: (UInt) -> UInt64?) {
    guard let wait = Wait(call), let first = word(wait.address & ~7) else { return nil }
    switch wait.form {
    case .inheriting:
      let half = wait.address & 4 == 0 ? UInt32(truncatingIfNeeded: first) : UInt32(first >> 32)
      self.init(wait.address, inheriting: half)
    case .mutex:
      guard wait.address & 7 == 0, let second = word(wait.address &+ 8), let third = word(wait.address &+ 16) else {
        return nil
      }
      self.init(wait.address, first, second, kind: UInt32(truncatingIfNeeded: third))
    }
  }
}

extension KernelThread {
  /// Like `switches`, of a thread of another process.
  package static func switches(_ id: Int32, ofProcess process: Int32) -> UInt64? {
    contents("/proc/\(process)/task/\(id)/status").flatMap { switches(in: $0) }
  }
}
