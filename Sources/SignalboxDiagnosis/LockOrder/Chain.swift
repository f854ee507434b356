// Chain.swift: everything the calling thread holds at one moment: its locks, and the turns of the queues it is inside of.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// The chain, in memory of the caller's stack.
struct Chain: ~Copyable {
  private let buffer: UnsafeMutableBufferPointer<HeldItem>
  let epoch: UInt64
  private(set) var count = 0

  init(_ buffer: UnsafeMutableBufferPointer<HeldItem>, epoch: UInt64) {
    self.buffer = buffer
    self.epoch = epoch
  }

  subscript(index: Int) -> HeldItem { buffer[index] }

  /// Collects; false if `wanted` is among it: then nothing is waited for that is not held already.
  mutating func gather(_ stack: HeldStack, wanted: UInt) -> Bool {
    for index in 0..<stack.count {
      let held = stack.entry(index)
      if held.address == wanted { return false }
      append(held.address, held.kind, held.mode, index: index)
    }
    var frame = ThreadSlot.current.innermostFrame
    while let here = frame {
      let (queue, kind) = (here.pointee.object, here.pointee.kind)
      if queue == wanted { return false }
      appendTurn(queue, kind.isAlone ? .exclusive : .shared, taken: kind.isDrain ? nil : UInt(bitPattern: here))
      frame = here.pointee.previous
    }
    return true
  }

  /// A turn of a queue, and those of its targets, which come with it.
  private mutating func appendTurn(_ queue: UInt, _ mode: LockMode, taken: UInt?) {
    append(queue, .sync, mode, index: -1, taken: taken)
    var turn = Self.turn(of: queue)
    while let target = turn?.target, target != 0 {
      turn = Self.turn(of: target)
      append(target, .sync, turn?.isShared == true ? .shared : .exclusive, index: -1, taken: taken)
    }
  }

  private static func turn(of queue: UInt) -> QueueTurn? { Layers.first { $0.turn(of: queue) } }

  private mutating func append(_ address: UInt, _ kind: WaitKind, _ mode: LockMode, index: Int, taken: UInt? = nil) {
    guard count < buffer.count else { return }
    let entry = LockOrderCheck.entry(address, kind, epoch)
    if entry.lockClass.has(LockClass.isUnordered) { return }
    buffer.initializeElement(at: count, to: HeldItem(address: address, mode: mode, entry: entry, index: index, taken: taken))
    count += 1
  }

  /// The locks that keep others out, whatever those do.
  var guards: Set<UInt64> {
    var found: Set<UInt64> = []
    for index in 0..<count where buffer[index].mode == .exclusive { found.insert(buffer[index].entry.instance) }
    return found
  }

  /// What the chain with `wanted` at its end is remembered by: its classes; its very locks.
  func keys(_ wanted: LockEntry, _ mode: LockMode) -> (byClass: UInt64, byInstance: UInt64) {
    var byClass: UInt64 = 0x51
    var byInstance: UInt64 = 0xA7
    for index in 0..<count {
      let item = buffer[index]
      let bits = UInt64(item.entry.lockClass.id) << 1 | UInt64(item.mode.rawValue)
      byClass = Self.mix(byClass ^ bits)
      byInstance = Self.mix(byInstance ^ bits ^ item.entry.instance << 32)
    }
    let bits = UInt64(wanted.lockClass.id) << 1 | UInt64(mode.rawValue)
    byClass = Self.mix(byClass ^ bits)
    byInstance = Self.mix(byInstance ^ bits ^ wanted.instance << 32)
    return (byClass | 1, byInstance | 1)
  }

  /// The number of a thread, or of a chain, that is meant only while the thread runs this item of a pool.
  static func key(_ number: UInt64, ofItem item: UInt64) -> UInt64 { mix(number ^ mix(item)) | 1 }

  @inline(__always) private static func mix(_ value: UInt64) -> UInt64 {
    let product = value &* 0x9E37_79B9_7F4A_7C15
    return product ^ product >> 29
  }
}
