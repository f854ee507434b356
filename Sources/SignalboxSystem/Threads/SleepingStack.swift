// SleepingStack.swift: the stack of a thread that sleeps in the kernel, taken by another thread, so that no call of the program's ends
// early. How a stack is walked from two registers is CSignalbox/sleeping.c.
//
// A thread that goes on meanwhile is noticed: how often it went to sleep is read first and last, and the kernel's line on it behind
// the first and before the last. Both lines are of a thread that sleeps; had it run in between, it would have gone to sleep once more.
import CSignalbox

/// A thread's stack, and why it is not all of it.
public struct StackReading: Equatable, Sendable {
  /// Return addresses from the innermost call outward; empty if there are none to be had.
  public var addresses: [UInt]
  /// Why the rest is missing, or the whole stack; nil: this is all of it, or as much as is ever read.
  public var gap: Gap?

  /// A reading with these addresses and this reason.
  public init(addresses: [UInt] = [], gap: Gap? = nil) { (self.addresses, self.gap) = (addresses, gap) }

  /// Why a stack, or the rest of one, is not known.
  public enum Gap: String, Equatable, Sendable {
    /// The thread has ended.
    case gone
    /// It sleeps, and the kernel does not show its registers.
    case hidden
    /// It went on and to sleep again each time that it was read.
    case restless
    /// It runs, and answers no signal: it blocks all that could be used, or did not get to run.
    case deaf
    /// Here are no unwind tables that can be had without a lock, or there are none for the last function.
    case tables
    /// The last function keeps its frame pointer where it cannot be found.
    case framePointer
    /// Memory of the stack could not be read.
    case memory

    /// The reason in words.
    public var text: String {
      switch self {
      case .gone: "the thread has ended"
      case .hidden: "the kernel does not show the registers of threads that sleep"
      case .restless: "the thread went on each time that it was read"
      case .deaf: "the thread runs, and does not answer a signal"
      case .tables: "no unwind table leads further"
      case .framePointer: "the frame pointer of the last function is not known"
      case .memory: "memory of the stack cannot be read"
      }
    }
  }
}

/// What the kernel's line in /proc/self/task/N/syscall says of a thread's registers.
enum SleepingRegisters: Equatable {
  case running
  case asleep(place: UInt, stack: UInt)

  /// Reads the line: `running`; a call's number, six arguments, the stack pointer and the program counter; or, outside of a call, -1 and
  /// these two. nil: it is none of these.
  init?(line: [UInt8]) {
    let words = line.split { $0 <= 32 }.map { String(decoding: $0, as: UTF8.self) }
    if words == ["running"] {
      self = .running
      return
    }
    guard words.count == 9 || words.count == 3 && words[0] == "-1" else { return nil }
    let values = words.suffix(2).compactMap { $0.hasPrefix("0x") ? UInt($0.dropFirst(2), radix: 16) : nil }
    // Zero: the kernel keeps them to itself.
    guard values.count == 2, values[0] != 0, values[1] != 0 else { return nil }
    self = .asleep(place: values[1], stack: values[0])
  }
}

extension ThreadStack {
  /// What came of reading a thread as one that sleeps.
  enum Sleeping: Equatable {
    case read(StackReading)
    /// It runs: only a signal can be used.
    case runs
  }

  /// Reads the stack of thread `id` of this process if it sleeps. Costs some ten microseconds; allocates a few lines of text.
  ///
  /// - Parameter meanwhile: called when the stack was walked, and before it is known whether the thread slept all the while.
  static func sleeping(_ id: Int32, meanwhile: () -> Void = {}) -> Sleeping {
    SleepingThread(id, of: nil).read(walk, meanwhile: meanwhile)
  }

  /// The stack of a thread of this process with these registers.
  static func walk(_ place: UInt, _ stack: UInt) -> StackReading {
    StackReading { sb_unwind_sleeping(place, stack, $0, $1, &$2) }
  }
}

extension StackReading {
  /// What one of the C functions finds that walk a stack.
  init(_ walk: (UnsafeMutablePointer<UInt>, Int32, inout Int32) -> Int32) {
    var end: Int32 = 0
    addresses = [UInt](unsafeUninitializedCapacity: Int(SB_UNWIND_FRAMES)) { buffer, count in
      count = Int(walk(buffer.start, Int32(buffer.count), &end))
    }
    gap =
      switch UInt32(bitPattern: end) {
      case SB_STACK_WHOLE.rawValue: nil
      case SB_STACK_NO_TABLE.rawValue: .tables
      case SB_STACK_NO_POINTER.rawValue: .framePointer
      default: .memory
      }
  }
}

/// A thread, of this process or another, as the kernel's files show it.
struct SleepingThread {
  private let id: Int32
  /// nil: this process.
  private let process: Int32?

  init(_ id: Int32, of process: Int32?) { (self.id, self.process) = (id, process) }

  private var folder: String { "/proc/\(process.map { "\($0)" } ?? "self")/task/\(id)" }
  private var line: [UInt8]? { KernelThread.contents("\(folder)/syscall") }
  private var switches: UInt64? { process.map { KernelThread.switches(id, ofProcess: $0) } ?? KernelThread.switches(id) }
  private var sample: KernelThread? {
    process.map { KernelThread.sample(UInt64(id), ofProcess: $0) } ?? KernelThread.sample(UInt64(id))
  }

  /// Walks its stack if it sleeps all the while.
  func read(_ walk: (_ place: UInt, _ stack: UInt) -> StackReading, meanwhile: () -> Void = {}) -> ThreadStack.Sleeping {
    for _ in 0..<8 {
      guard let before = switches else { return .read(StackReading(gap: absence)) }
      guard let line else { return withoutLine }
      switch SleepingRegisters(line: line) {
      case nil: return .read(StackReading(gap: .hidden))
      case .running: if sample?.isAsleep != true { return .runs }
      case .asleep(let place, let stack):
        let found = walk(place, stack)
        meanwhile()
        if self.line == line, switches == before { return .read(found) }
      }
    }
    return .read(StackReading(gap: .restless))
  }

  /// The kernel gives no line: it has no such file, or keeps it from this program.
  private var withoutLine: ThreadStack.Sleeping {
    guard let thread = sample, !thread.hasEnded else { return .read(StackReading(gap: absence)) }
    return thread.isAsleep ? .read(StackReading(gap: .hidden)) : .runs
  }

  /// The kernel says nothing of the thread: it is gone, or /proc is not there.
  private var absence: StackReading.Gap {
    let isThere = process == nil ? KernelThread.isAlive(id) : sample != nil
    return isThere && sample?.hasEnded != true ? .hidden : .gone
  }
}
