// IOInput.swift: what a read has got and not reported yet: a buffer that is being filled, and the data made of full
// ones. Buffers come last.
import SignalboxLocks
import SignalboxSystem

struct IOInput {
  private var buffer: IOBuffer?
  /// What lies in the buffer and is in no data yet.
  private var begin = 0, end = 0
  private var gathered = DispatchData.empty

  /// Where the next bytes go, and how many there may be; nil if there is no memory.
  mutating func room(for request: Int, flow: IOFlow?) -> (start: UnsafeMutableRawPointer, count: Int)? {
    if let buffer, end < buffer.capacity { return (buffer.base + end, min(request, buffer.capacity - end)) }
    seal()
    let capacity = IOBlocks.capacity(request)
    guard let fresh = IOBuffer(capacity: capacity, flow: flow) else { return nil }
    buffer = fresh
    (begin, end) = (0, 0)
    return (fresh.base, min(request, capacity))
  }

  /// `count` bytes were put there.
  mutating func filled(_ count: Int) { end += count }

  /// All of it, to be reported.
  mutating func take() -> DispatchData {
    seal()
    defer { gathered = .empty }
    return gathered
  }

  /// Lets go of a buffer in which nothing lies: the operation may wait for long.
  mutating func rest() { if begin == end { buffer = nil } }

  /// What lies in the buffer becomes data.
  private mutating func seal() {
    guard let current = buffer, begin < end else { return }
    let start = current.base + begin, count = end - begin
    if count <= current.capacity / 8 {
      // A few bytes must not keep a large buffer.
      gathered.append(UnsafeRawBufferPointer(start: start, count: count))
    } else {
      gathered.append(DispatchData(DataNode.region(start, count, .object(current))))
    }
    begin = end
    if end == current.capacity { buffer = nil }
  }
}

// MARK: buffers

// Memory that files and streams are read into, and the few large blocks that are kept for the next read. A block fresh
// from the kernel costs as much in page faults as the copying into it.

/// A block of memory; given back when the last region of data in it is gone.
package final class IOBuffer: @unchecked Sendable {
  // SAFETY of @unchecked: written by one job at a time, and only where no data has been made of it yet.

  let base: UnsafeMutableRawPointer
  let capacity: Int
  /// The read whose bytes these are: it is notified while a write holds them.
  let flow: IOFlow?

  /// nil if there is no memory.
  init?(capacity: Int, flow: IOFlow?) {
    guard let base = IOBlocks.take(capacity) else { return nil }
    self.base = base
    self.capacity = capacity
    self.flow = flow
  }

  deinit { IOBlocks.give(base, capacity) }
}

/// Blocks of the sizes that files and streams are read in.
enum IOBlocks {
  /// Bytes of a block of each kind; other sizes come from the heap and return there.
  static let size = 1 << 20
  static let streamSize = 64 << 10

  private static let large = IOBlockStore(limit: 8, idleLimit: 2)
  private static let small = IOBlockStore(limit: 32, idleLimit: 2)
  private static func store(_ count: Int) -> IOBlockStore? { count == size ? large : count == streamSize ? small : nil }

  /// The bytes that a request is to have: those of a kept block, if it would nearly fill one.
  static func capacity(_ request: Int) -> Int {
    if request > streamSize / 2 && request < streamSize { return streamSize }
    return request > size / 2 && request < size ? size : request
  }

  static func take(_ count: Int) -> UnsafeMutableRawPointer? { store(count)?.take() ?? Memory.tryAllocate(count) }

  static func give(_ block: UnsafeMutableRawPointer, _ count: Int) {
    if store(count)?.keep(block) != true { Memory.free(block) }
  }

  /// No channel is left.
  static func shrink() {
    large.shrink()
    small.shrink()
  }
}

/// Blocks of one size that are kept.
private final class IOBlockStore: Sendable {
  /// How many: those of a few reads under way; and when no channel is left.
  private let limit: Int, idleLimit: Int
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private var free: [UnsafeMutableRawPointer] = []

  init(limit: Int, idleLimit: Int) { (self.limit, self.idleLimit) = (limit, idleLimit) }

  func take() -> UnsafeMutableRawPointer? { lock.withLock { free.popLast() } }

  /// False if there are enough.
  func keep(_ block: UnsafeMutableRawPointer) -> Bool {
    lock.withLock { () -> Bool in
      guard free.count < limit else { return false }
      free.append(block)
      return true
    }
  }

  func shrink() {
    let surplus = lock.withLock { () -> [UnsafeMutableRawPointer] in
      guard free.count > idleLimit else { return [] }
      defer { free.removeSubrange(idleLimit...) }
      return Array(free[idleLimit...])
    }
    for block in surplus { Memory.free(block) }
  }
}

extension DataNode {
  /// Of a region: the buffer it lies in, if a channel has read it.
  var buffer: IOBuffer? {
    switch owner {
    case .object(let object): object as? IOBuffer
    case .slice(let whole): whole.buffer
    default: nil
    }
  }
}
