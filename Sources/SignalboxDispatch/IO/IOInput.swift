// IOInput.swift: what a read has got and not reported yet: a buffer that is being filled, and the data made of full ones.
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
