// KernelCall.swift: the system call in which a thread sleeps, as the kernel shows it. What a futex call means: ForeignMutex.swift.
import Glibc

/// A system call that a thread of this process is asleep in.
///
/// The kernel shows it in /proc/self/task/N/syscall. A process may read that of its own threads whatever `ptrace_scope`,
/// `hidepid` or seccomp profile it lives under, as any user. It may not where the file belongs to root (a program that made
/// itself non-dumpable, or may be executed but not read), where /proc is not mounted, and on kernels built without it.
/// Nothing is known then, and nothing is claimed.
public struct KernelCall: Equatable, Sendable {
  /// The call's number on this kind of processor.
  public let number: Int
  /// Its arguments, six of them.
  public let arguments: [UInt]
  /// Where the thread's stack ended when it made the call.
  public let stackPointer: UInt
  /// The instruction that made the call; 0: not known.
  public let programCounter: UInt

  /// The call that thread `id` of this process sleeps in; nil when it runs, is gone, or the kernel does not tell.
  public init?(of id: Int32) {
    guard let line = KernelThread.contents("/proc/self/task/\(id)/syscall") else { return nil }
    self.init(line: line)
  }

  /// Reads the kernel's line: a number, six arguments, the stack pointer and the program counter; or `running`.
  init?(line: [UInt8]) {
    let words = line.split { $0 <= 32 }.map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 9, let number = Int(words[0]), number >= 0 else { return nil }
    let values = words[1...].compactMap { $0.hasPrefix("0x") ? UInt($0.dropFirst(2), radix: 16) : nil }
    guard values.count == 8 else { return nil }
    self.number = number
    arguments = Array(values[..<6])
    stackPointer = values[6]
    programCounter = values[7]
  }

  init(number: Int, arguments: [UInt], stackPointer: UInt = 0, programCounter: UInt = 0) {
    self.number = number
    self.arguments = arguments
    self.stackPointer = stackPointer
    self.programCounter = programCounter
  }
}
