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
    for _ in 0..<8 {
      guard let before = KernelThread.switches(id) else { return .read(StackReading(gap: absence(of: id))) }
      guard let line = KernelThread.contents("/proc/self/task/\(id)/syscall") else { return withoutLine(id) }
      switch SleepingRegisters(line: line) {
      case nil: return .read(StackReading(gap: .hidden))
      case .running: if KernelThread.sample(UInt64(id))?.isAsleep != true { return .runs }
      case .asleep(let place, let stack):
        let found = walk(place, stack)
        meanwhile()
        if KernelThread.contents("/proc/self/task/\(id)/syscall") == line, KernelThread.switches(id) == before {
          return .read(found)
        }
      }
    }
    return .read(StackReading(gap: .restless))
  }

  /// The stack of a thread with these registers.
  static func walk(_ place: UInt, _ stack: UInt) -> StackReading {
    var end: Int32 = 0
    let addresses = [UInt](unsafeUninitializedCapacity: Int(SB_UNWIND_FRAMES)) { buffer, count in
      count = Int(sb_unwind_sleeping(place, stack, buffer.start, Int32(buffer.count), &end))
    }
    let gap: StackReading.Gap? =
      switch UInt32(bitPattern: end) {
      case SB_STACK_WHOLE.rawValue: nil
      case SB_STACK_NO_TABLE.rawValue: .tables
      case SB_STACK_NO_POINTER.rawValue: .framePointer
      default: .memory
      }
    return StackReading(addresses: addresses, gap: gap)
  }

  /// The kernel gives no line: it has no such file, or keeps it from this program.
  private static func withoutLine(_ id: Int32) -> Sleeping {
    guard let thread = KernelThread.sample(UInt64(id)), !thread.hasEnded else {
      return .read(StackReading(gap: absence(of: id)))
    }
    return thread.isAsleep ? .read(StackReading(gap: .hidden)) : .runs
  }

  /// The kernel says nothing of the thread: it is gone, or /proc is not there.
  private static func absence(of id: Int32) -> StackReading.Gap {
    KernelThread.isAlive(id) && KernelThread.sample(UInt64(id))?.hasEnded != true ? .hidden : .gone
  }
}
