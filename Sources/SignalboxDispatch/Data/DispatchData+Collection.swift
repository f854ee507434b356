// DispatchData+Collection.swift: data as a collection of bytes, and its iterator, which searches for a region only at its end.
import SignalboxSystem

extension DispatchData: RandomAccessCollection {
  /// The type of the iterator.
  public typealias Iterator = DispatchDataIterator
  /// The offset of a byte from the first one.
  public typealias Index = Int
  /// The type of the collection of all indices.
  public typealias Indices = DefaultIndices<DispatchData>

  /// The index of the first byte: always 0.
  public var startIndex: DispatchData.Index { 0 }
  /// The number of bytes.
  public var endIndex: DispatchData.Index { count }

  /// The byte at `index`. An index out of bounds stops the program. Complexity: O(log regions).
  public subscript(index: DispatchData.Index) -> UInt8 {
    guard let node, index >= 0, index < node.count else { stop(outside: index) }
    let place = node.region(at: index)
    return place.region.buffer[index - place.offset]
  }

  /// The bytes in `bounds`, with the same indices as in this data.
  public subscript(bounds: Range<Int>) -> Slice<DispatchData> { Slice(base: self, bounds: bounds) }

  /// The index before `i`; not checked against the bounds.
  public func index(before i: DispatchData.Index) -> DispatchData.Index { i - 1 }
  /// The index after `i`; not checked against the bounds.
  public func index(after i: DispatchData.Index) -> DispatchData.Index { i + 1 }

  /// An iterator that starts at the first byte.
  public func makeIterator() -> DispatchData.Iterator { DispatchDataIterator(self) }

  /// Calls `body` with all bytes if they are in one region; otherwise returns nil without calling it.
  ///
  /// ```swift
  /// let data = [UInt8](1...4).withUnsafeBytes { DispatchData(bytes: $0) }
  /// let sum = data.withContiguousStorageIfAvailable { $0.reduce(0, +) }
  /// print(sum ?? 0)  // 10; nil if the bytes were in several regions
  /// ```
  ///
  /// - Returns: what `body` returns; nil if the bytes are in several regions.
  /// - Throws: what `body` throws.
  /// - Complexity: O(1), beside the cost of `body`.
  public func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
    guard let node else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
    guard node.height == 0 else { return nil }
    return try withExtendedLifetime(node) { try body(node.whole.buffer) }
  }

  @inline(never) private func stop(outside index: Int) -> Never {
    Misuse.stop("the index \(index) is outside of data of \(count) bytes; valid ones are from 0 up to, not including, count")
  }
}

/// Iterates over the bytes of a `DispatchData`.
///
/// Thread safety: a value; use one iterator from one thread at a time.
///
/// ```swift
/// let data = [UInt8](1...3).withUnsafeBytes { DispatchData(bytes: $0) }
/// var bytes = data.makeIterator()
/// while let byte = bytes.next() { print(byte) }
/// ```
public struct DispatchDataIterator: IteratorProtocol, Sequence, @unchecked Sendable {
  // SAFETY of @unchecked: the pointers lead into a region of `data`, which is kept and never written.
  /// The element type: a byte.
  public typealias Element = UInt8

  @usableFromInline var current: UnsafePointer<UInt8>?
  @usableFromInline var end: UnsafePointer<UInt8>?
  private let data: DispatchData
  /// Where the next region begins.
  private var position = 0

  /// An iterator that stands at the first byte of `data`.
  init(_ data: DispatchData) { self.data = data }

  /// The next byte, or nil after the last one. Complexity: O(1), or O(log regions) at the end of a region.
  @inlinable @inline(__always)
  public mutating func next() -> DispatchData.Element? {
    if _slowPath(current == end) {
      guard nextRegion() else { return nil }
    }
    let byte = current.unsafelyUnwrapped
    current = byte + 1
    return byte.pointee
  }

  /// Goes to the next region; false when there is none.
  @usableFromInline
  mutating func nextRegion() -> Bool {
    guard let node = data.node, position < node.count else { return false }
    let place = node.region(at: position)
    let start = place.region.firstByte
    (current, end) = (start, start + place.region.count)
    position = place.offset + place.region.count
    return true
  }
}
