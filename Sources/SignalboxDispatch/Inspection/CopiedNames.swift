// CopiedNames.swift: what reports call queues, groups, semaphores and work items that may be gone: by guarded reads of their memory. Of what
// stands still for certain names are DispatchLayer.swift's.
//
// What was freed may be something else by now. Then the text is wrong, as a suspicion may be; nothing faults.
import SignalboxWaits
import SignalboxSystem
import SignalboxView
import SignalboxWords

enum CopiedNames {
  /// How far a queue's targets are followed.
  private static let mostTargets = 8

  static func name(_ kind: WaitKind, _ address: UInt) -> String? {
    switch kind {
    case .sync, .barrierSync, .asyncAndWait: title(address)
    case .group: "group \(quoted(address) ?? hexadecimal(address))" + (members(address).map { " (\($0) inside)" } ?? "")
    case .semaphore: "semaphore \(quoted(address) ?? hexadecimal(address))"
    default: nil
    }
  }

  static func description(_ kind: WaitKind, _ address: UInt) -> String? {
    switch kind {
    case .sync, .barrierSync, .asyncAndWait:
      ObjectText.plain("DispatchQueue", QueueDescription.label(of: address), address, facts(address))
    case .group:
      ObjectText.plain(
        "DispatchGroup", LockNames.name(of: address), address,
        members(address).map { [$0 == 0 ? "empty" : "\($0) inside"] } ?? [])
    case .semaphore: ObjectText.plain("DispatchSemaphore", LockNames.name(of: address), address, [])
    case .workItem: ObjectText.plain("DispatchWorkItem", nil, address, [])
    default: nil
    }
  }

  static func titleWithTargets(_ queue: UInt) -> String { titleWithTargets(queue, atMost: mostTargets) }

  private static func titleWithTargets(_ queue: UInt, atMost count: Int) -> String {
    let own = title(queue)
    guard count > 0, let target = OwnerReader().target(ofQueue: UInt64(queue)), target != 0 else { return own }
    guard let kind = OwnerReader().kind(ofQueue: target), kind != .global else { return own }
    return "\(own) (on \(titleWithTargets(UInt(target), atMost: count - 1)))"
  }

  private static func title(_ queue: UInt) -> String {
    let noun = OwnerReader().kind(ofQueue: UInt64(queue))?.noun ?? "queue"
    return "\(noun) \(QueueDescription.label(of: queue).map { "\"\($0)\"" } ?? hexadecimal(queue))"
  }

  private static func facts(_ queue: UInt) -> [String] {
    [OwnerReader().kind(ofQueue: UInt64(queue))?.adjective, OwnerReader().state(ofQueue: UInt64(queue))?.stopFact].compactMap {
      $0
    }
  }

  private static func members(_ group: UInt) -> UInt64? {
    SafeMemory.word64(group + DispatchGroup.wordOffset).map { GroupState(rawValue: $0)[GroupState.count] }
  }

  private static func quoted(_ address: UInt) -> String? { LockNames.name(of: address).map { "\"\($0)\"" } }
  private static func hexadecimal(_ address: UInt) -> String { "0x\(String(address, radix: 16))" }
}

extension QueueKind {
  /// What titles call it.
  var noun: String {
    switch self {
    case .serial: "serial queue"
    case .concurrent: "concurrent queue"
    case .global: "global queue"
    case .main: "main queue"
    case .runLoop: "run loop queue"
    }
  }

  /// What descriptions call it.
  var adjective: String {
    switch self {
    case .serial: "serial"
    case .concurrent: "concurrent"
    case .global: "global, concurrent"
    case .main: "main, serial"
    case .runLoop: "a run loop's, serial"
    }
  }
}
