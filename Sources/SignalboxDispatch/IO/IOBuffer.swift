// IOBuffer.swift: memory that files and streams are read into, and the few large blocks that are kept for the next read: a block
// fresh from the kernel costs as much in page faults as the copying into it. What lies in it is IOInput.swift's.
import SignalboxLocks
import SignalboxSystem

/// A block of memory; given back when the last region of data in it is gone.
package final class IOBuffer: @unchecked Sendable {
  // SAFETY of @unchecked: written by one job at a time, and only where no data has been made of it yet.

  let base: UnsafeMutableRawPointer
  let capacity: Int
  /// The read whose bytes these are: it is told while a write holds them.
  let flow: IOFlow

  /// nil if there is no memory.
  init?(capacity: Int, flow: IOFlow) {
    guard let base = IOBlocks.take(capacity) else { return nil }
    self.base = base
    self.capacity = capacity
    self.flow = flow
  }

  deinit { IOBlocks.give(base, capacity) }
}

/// Blocks of the size that files are read in.
enum IOBlocks {
  /// Bytes of a block that is kept; others come from the heap and return there.
  static let size = 1 << 20
  /// How many are kept: those of a few reads under way; and when no channel is left.
  static let limit = 8
  static let idleLimit = 2

  private final class Store: Sendable {
    let lock = UnfairLock()
    // SAFETY: guarded by `lock`.
    nonisolated(unsafe) var free: [UnsafeMutableRawPointer] = []
  }
  private static let store = Store()

  static func take(_ count: Int) -> UnsafeMutableRawPointer? {
    if count == size, let block = store.lock.withLock({ store.free.popLast() }) { return block }
    return Memory.tryAllocate(count)
  }

  static func give(_ block: UnsafeMutableRawPointer, _ count: Int) {
    let isKept =
      count == size
      && store.lock.withLock { () -> Bool in
        guard store.free.count < limit else { return false }
        store.free.append(block)
        return true
      }
    if !isKept { Memory.free(block) }
  }

  /// No channel is left.
  static func shrink() {
    let surplus = store.lock.withLock { () -> [UnsafeMutableRawPointer] in
      guard store.free.count > idleLimit else { return [] }
      defer { store.free.removeSubrange(idleLimit...) }
      return Array(store.free[idleLimit...])
    }
    for block in surplus { Memory.free(block) }
  }
}

extension DataNode {
  /// Of a region: the buffer it lies in, if a channel has read it.
  var buffer: IOBuffer? {
    switch owner {
    case .input(let buffer): buffer
    case .slice(let whole): whole.buffer
    default: nil
    }
  }
}
