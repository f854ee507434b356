// RemoteQueues.swift: queues and items in a process that is read from outside: those that waits and turns name. Who waits is
// RemoteRecords.swift.
import SignalboxSystem

/// A queue as its words had it at one moment.
struct RemoteQueue {
  var address: UInt64
  var label: String
  var kind: UInt8?
  /// The kernel's number of the thread that takes items off it, or runs alone in it.
  var owner: Int32?
  var running: UInt64
  var suspended: UInt64
  var isInactive: Bool
  var target: UInt64

  var kindWord: String {
    switch kind {
    case 0: "serial"
    case 1: "concurrent"
    case 2: "global"
    case 3: "main"
    case 4: "run loop"
    default: ""
    }
  }
}

/// What a thread runs.
struct RemoteItem {
  var kind: String
  /// What may be its function, the likeliest first.
  var functions: [UInt64]
}

extension DescribedCopy {
  /// The queue at an address at which a thread has one, or waits for one; nil if nothing like a queue lies there.
  func queue(at address: UInt64) -> RemoteQueue? {
    guard self[.queueState] != 0, let state = memory.word64(address &+ self[.queueState]) else { return nil }
    let kind = queueKind(address)
    if self[.queueKind] != 0, kind == nil { return nil }
    func field(_ mask: DescribedWord) -> UInt64 {
      let bits = self[mask]
      return bits == 0 ? 0 : (state & bits) >> UInt64(bits.trailingZeroBitCount)
    }
    return RemoteQueue(
      address: address, label: label(ofQueue: address) ?? "", kind: kind, owner: slot(of: field(.stateOwner))?.thread,
      running: field(.stateWidth), suspended: field(.stateSuspended), isInactive: field(.stateInactive) != 0,
      target: memory.word64(address &+ self[.queueTarget]) ?? 0)
  }

  private func label(ofQueue address: UInt64) -> String? {
    guard self[.queueLabel] != 0, let words = memory.words(address &+ self[.queueLabel], 2) else { return nil }
    return StringForm.text(words[0], words[1]) { memory.bytes(UInt64($0), $1) }
  }

  // MARK: items

  // Marks of an item's first word: that somebody waits for it, that it is a C function; numbers that stand for other items.
  private static let awaited: UInt64 = 1 << 62, cFunction: UInt64 = 1 << 63
  private static let workItem: UInt64 = 4, helper: UInt64 = 5, specialLimit: UInt64 = 4096

  /// The item of these words; nil if nothing is known of it.
  func item(_ first: UInt64, _ second: UInt64) -> RemoteItem? {
    let word = first & ~Self.awaited, kind = first & Self.awaited == 0 ? "async" : "async and wait"
    switch word {
    case Self.workItem:
      let closure = self[.itemClosure] == 0 ? nil : memory.words(second &+ self[.itemClosure], 2)
      return RemoteItem(kind: "work item", functions: closure.map { functions($0[0], $0[1]) } ?? [])
    case Self.helper: return RemoteItem(kind: "iterations of a parallel loop", functions: [])
    case ..<Self.specialLimit: return nil
    default: break
    }
    guard word & Self.cFunction != 0 else { return RemoteItem(kind: kind, functions: functions(word, second)) }
    let function = word & ~Self.cFunction
    switch function {
    case 0: return nil
    case self[.jobIsolated]: return RemoteItem(kind: "a job of an actor", functions: job(second))
    case self[.jobPreferring], self[.jobOfPool], self[.jobUnbound]:
      return RemoteItem(kind: "a job of a task", functions: job(second))
    case self[.blockCaller]: return RemoteItem(kind: kind, functions: block(second))
    default: return RemoteItem(kind: kind, functions: [function])
    }
  }

  /// A closure's function, and what it may call if it is a thunk: its context holds a closure then.
  private func functions(_ function: UInt64, _ context: UInt64) -> [UInt64] {
    var found = [function], next = context
    while found.count < 5, next != 0, let closure = memory.words(next &+ 16, 2) {
      found.append(closure[0])
      next = closure[1]
    }
    return found.filter { $0 != 0 && $0 >> 56 == 0 }
  }

  private func block(_ block: UInt64) -> [UInt64] {
    let held = memory.words(block &+ 32, 2).map { functions($0[0], $0[1]) } ?? []
    return ([memory.word64(block &+ 16) ?? 0] + held).filter { $0 != 0 && $0 >> 56 == 0 }
  }

  /// Where the job's task goes on.
  private func job(_ word: UInt64) -> [UInt64] {
    memory.word64((word & ~15) &+ 56).map { $0 != 0 && $0 >> 56 == 0 ? [$0] : [] } ?? []
  }
}
