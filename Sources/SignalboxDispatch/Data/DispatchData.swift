// DispatchData.swift: bytes that lie in one or more regions of memory, as a value. The regions are in DataNode.swift; its being
// a collection is in DispatchData+Collection.swift, copying out in DispatchData+Bytes.swift.
import SignalboxSystem

/// An immutable sequence of bytes in one or more regions of memory.
///
/// Copies, subranges and concatenations share the regions: no byte is copied for them. The memory of a region is freed when the
/// last data that uses it is gone.
///
/// Thread safety: a value; several threads may use copies of it at the same time.
///
/// ```swift
/// var text = DispatchData.empty
/// for part in ["signal", "box"] { Array(part.utf8).withUnsafeBytes { text.append($0) } }
/// print(text.count, String(decoding: text.subdata(in: 0..<6), as: UTF8.self))  // 9 signal
/// ```
public struct DispatchData: Sendable {
  /// nil: no bytes.
  package var node: DataNode?

  package init(_ node: DataNode?) { self.node = node }

  /// The node without counting a reference: good while the value lives.
  // SAFETY: a reference and a lent one are the same word.
  var lent: Lent<DataNode>? { unsafeBitCast(node, to: Lent<DataNode>?.self) }

  /// How to free memory that was passed in without a copy.
  ///
  /// ```swift
  /// let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
  /// bytes.initializeMemory(as: UInt8.self, repeating: 1)
  /// let data = DispatchData(bytesNoCopy: UnsafeRawBufferPointer(bytes), deallocator: .custom(.global()) {
  ///   bytes.deallocate()  // when the last data that uses the bytes is gone
  /// })
  /// print(data.count)  // 64
  /// ```
  public enum Deallocator: @unchecked Sendable {
    // SAFETY of @unchecked: who gives a closure answers for its running on the queue it names.

    /// Call `free` on the releasing thread.
    case free
    /// Call `munmap` on the releasing thread.
    case unmap
    /// Submit the closure to the queue; nil means the default global queue.
    case custom(DispatchQueue?, () -> Void)

    fileprivate var owner: DataOwner {
      switch self {
      case .free: .heap
      case .unmap: .mapping
      case .custom(let queue, let body): .giver(DataDestructor(queue, body))
      }
    }
  }

  /// Data without bytes.
  public static let empty = DispatchData(nil)

  /// Creates data with a copy of the bytes in `buffer`.
  ///
  /// - Complexity: O(bytes); one allocation up to 96 bytes, two above.
  public init(bytes buffer: UnsafeRawBufferPointer) { self.init(DataNode.copy(buffer.baseAddress, buffer.count)) }

  /// Creates data that uses `bytes` in place, without a copy.
  ///
  /// - Parameters:
  ///   - bytes: must not be changed or freed until `deallocator` runs.
  ///   - deallocator: frees the memory. Runs once, when the last data that uses the memory is gone; at once if there are no
  ///     bytes.
  /// - Complexity: O(1).
  public init(bytesNoCopy bytes: UnsafeRawBufferPointer, deallocator: DispatchData.Deallocator = .free) {
    self.init(DataNode.region(bytes.baseAddress, bytes.count, deallocator.owner))
  }

  /// The number of bytes. Complexity: O(1).
  public var count: Int { withExtendedLifetime(self) { lent?.use { $0.total } ?? 0 } }

  // MARK: making longer and shorter ones

  /// Appends all bytes of `other` without copying them.
  ///
  /// - Complexity: O(log regions); usually no allocation if nobody else holds this data.
  public mutating func append(_ other: DispatchData) {
    withExtendedLifetime(other) { if let other = other.lent { DataNode.append(other, to: &node) } }
  }

  /// Appends a copy of the bytes as one new region.
  /// - Complexity: O(bytes + log regions).
  public mutating func append(_ bytes: UnsafeRawBufferPointer) { append(DispatchData(bytes: bytes)) }

  /// Appends a copy of the elements' bytes as one new region.
  /// - Complexity: O(bytes + log regions).
  public mutating func append<SourceType>(_ buffer: UnsafeBufferPointer<SourceType>) { append(UnsafeRawBufferPointer(buffer)) }

  /// The bytes in `range`. The result shares the regions that the range touches, and keeps no others alive.
  ///
  /// - Parameter range: clamped to the end of the data. A range that begins outside the data, before its start or after its
  ///   end, gives no bytes.
  /// - Complexity: O(log regions).
  public func subdata(in range: Range<DispatchData.Index>) -> DispatchData {
    let (offset, length) = (UInt(bitPattern: range.lowerBound), UInt(bitPattern: range.upperBound &- range.lowerBound))
    return withExtendedLifetime(self) {
      DispatchData(lent.flatMap { DataNode.part($0, offset: offset, length: length)?.takeRetainedValue() })
    }
  }

  // MARK: regions

  /// The region that contains the byte at `location`, and the offset of the region. For a location outside the data: no bytes,
  /// and `count`.
  ///
  /// - Complexity: O(log regions).
  public func region(location: Int) -> (data: DispatchData, offset: Int) {
    guard let node, location >= 0, location < node.count else { return (.empty, count) }
    let place = node.region(at: location)
    return (DispatchData(place.region.object.takeRetainedValue()), place.offset)
  }

  /// Calls `block` once per region, in order, with the bytes, their offset, and a flag that stops the enumeration when `block`
  /// sets it.
  ///
  /// The pointers are valid only during the call.
  /// - Complexity: O(regions), beside the cost of `block`.
  public func enumerateBytes(
    _ block: (_ buffer: UnsafeBufferPointer<UInt8>, _ byteIndex: Int, _ stop: inout Bool) -> Void
  ) {
    var stop = false
    node?.forEachRegion { region, offset in
      block(region.buffer, offset, &stop)
      return !stop
    }
  }

  /// Calls `body` with a pointer to all bytes, contiguous and typed as `ContentType`. Data in several regions is copied into
  /// one the first time.
  ///
  /// - Parameter body: its pointer is valid only during the call and must be aligned for the type. For empty data there is
  ///   nothing to read behind it.
  public func withUnsafeBytes<Result, ContentType>(
    body: (UnsafePointer<ContentType>) throws -> Result
  ) rethrows -> Result {
    guard let flat = node?.flat else {
      return try withUnsafeTemporaryAllocation(of: ContentType.self, capacity: 1) { try body(UnsafePointer($0.baseAddress!)) }
    }
    return try withExtendedLifetime(flat) { try body(UnsafeRawPointer(flat.first).assumingMemoryBound(to: ContentType.self)) }
  }
}

extension DataPiece {
  /// A region's bytes.
  var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: firstByte, count: count) }
  /// Its first byte.
  var firstByte: UnsafePointer<UInt8> { start.assumingMemoryBound(to: UInt8.self) }
}
