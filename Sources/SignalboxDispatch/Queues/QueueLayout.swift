// QueueLayout.swift: where in a queue's memory its words lie, for those who read queues that may be gone. What the words mean is
// QueueState.swift; who reads them is QueueWaits.swift.
import SignalboxSystem

enum QueueLayout {
  // How far behind a queue's address they lie. SAFETY: written once, before anybody is told how to read a queue.
  nonisolated(unsafe) private(set) static var state: UInt = 0
  nonisolated(unsafe) private(set) static var target: UInt = 0
  /// Of the byte with the kind; 0: not found, and no queue's kind is known.
  nonisolated(unsafe) private(set) static var kindByte: UInt = 0

  /// Finds out, from queues of each kind.
  static func learn() {
    let main = MainQueue.queue
    state = withUnsafePointer(to: main.state) { UInt(bitPattern: $0) - main.address }
    target = withUnsafePointer(to: main.targetBits) { UInt(bitPattern: $0) - main.address }
    // A constant has no address that Swift would tell, so it is looked for: the one byte that differs as the kinds do. It lies
    // before the state, so all that is looked at is the queues' own.
    let serial = DispatchQueue(name: "", kind: .serial, qos: .unspecified, target: .root(.default))
    let concurrent = DispatchQueue(name: "", kind: .concurrent, qos: .unspecified, target: .root(.default))
    let samples = [serial, concurrent, main, GlobalQueues.queue(for: .default)]
    let places = (16..<state).filter { place in samples.allSatisfy { byte($0.address + place) == $0.kind.rawValue } }
    kindByte = places.count == 1 ? places[0] : 0
    withExtendedLifetime(samples) {}
  }

  /// The kind of the queue at `address`, which may be gone, or something else by now: nil then, or any kind.
  static func kind(of address: UInt) -> QueueKind? {
    kindByte == 0 ? nil : byte(address + kindByte).flatMap { QueueKind(rawValue: $0) }
  }

  private static func byte(_ address: UInt) -> UInt8? {
    SafeMemory.word64(address & ~7).map { UInt8(truncatingIfNeeded: $0 >> UInt64((address & 7) * 8)) }
  }
}
