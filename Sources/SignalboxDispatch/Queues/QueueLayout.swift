// QueueLayout.swift: where in a queue's memory its words lie, for those who read queues that may be gone. What the words mean is
// QueueState.swift; who reads them is QueueWaits.swift.
import SignalboxSystem

enum QueueLayout {
  /// How far behind a queue's address its words lie.
  private struct Places {
    let state: UInt
    let target: UInt
    /// Of the byte with the kind; 0: not found, and no queue's kind is known.
    let kindByte: UInt
  }
  // Learnt before anything leads a reader to a queue's memory: a record of a wait for it or for an item in it, a note that it was
  // stopped. So reading learns nothing, which would make queues and free them: readers may hold the notes' lock, which freeing takes.
  private static let places = find()

  static var state: UInt { places.state }
  static var target: UInt { places.target }
  static var kindByte: UInt { places.kindByte }

  /// Sees to it that the places are known: allocates the first time.
  static func learn() { _ = places }

  /// Finds out, from queues of each kind.
  private static func find() -> Places {
    let main = MainQueue.queue
    let state = withUnsafePointer(to: main.state) { UInt(bitPattern: $0) - main.address }
    // A constant has no address that Swift would give, so it is searched for: the one byte that differs as the kinds do. It lies
    // before the state, so all that is read is the queues' own.
    let serial = DispatchQueue(name: "", kind: .serial, qos: .unspecified, target: .root(.default))
    let concurrent = DispatchQueue(name: "", kind: .concurrent, qos: .unspecified, target: .root(.default))
    let samples = [serial, concurrent, main, GlobalQueues.queue(for: .default)]
    let found = (16..<state).filter { place in
      samples.allSatisfy { byte($0.address + place, isAlive: true) == $0.kind.rawValue }
    }
    withExtendedLifetime(samples) {}
    let places = Places(
      state: state, target: withUnsafePointer(to: main.targetBits) { UInt(bitPattern: $0) - main.address },
      kindByte: found.count == 1 ? found[0] : 0)
    let end = withUnsafePointer(to: main.extrasBits) { UInt(bitPattern: $0) - main.address }  // the last of the words
    QueueDescription.write(state: places.state, target: places.target, kindByte: places.kindByte, end: end, main: main)
    return places
  }

  /// The kind of the queue at `address`, which may be gone, or something else by now: nil then, or any kind.
  static func kind(of address: UInt) -> QueueKind? {
    kindByte == 0 ? nil : byte(address + kindByte).flatMap { QueueKind(rawValue: $0) }
  }

  private static func byte(_ address: UInt, isAlive: Bool = false) -> UInt8? {
    SafeMemory.word64(address & ~7, isAlive: isAlive).map { UInt8(truncatingIfNeeded: $0 >> UInt64((address & 7) * 8)) }
  }
}
