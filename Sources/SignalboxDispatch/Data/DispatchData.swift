// DispatchData.swift: bytes that lie in one or more regions of memory, as a value. The regions are in DataNode.swift; its being
// a collection is in DispatchData+Collection.swift, copying out in DispatchData+Bytes.swift.
import SignalboxSystem

/// Bytes in one or more regions of memory that nobody writes any more.
///
/// Copies, parts and concatenations share regions; no byte is copied for them. A region's memory is given back when the last
/// data that touches it is gone.
///
/// Thread safety: a value; copies may be used by any thread, at once.
public struct DispatchData: Sendable {
  /// nil: no bytes.
  package var node: DataNode?

  package init(_ node: DataNode?) { self.node = node }

  /// The node without counting a reference: good while the value lives.
  // SAFETY: a reference and a lent one are the same word.
  var lent: Lent<DataNode>? { unsafeBitCast(node, to: Lent<DataNode>?.self) }

  /// How memory that was not copied is given back.
  public enum Deallocator: @unchecked Sendable {
    // SAFETY of @unchecked: who gives a closure answers for its running on the queue it names.

    /// By `free`, at once.
    case free
    /// By `munmap`, at once.
    case unmap
    /// By the closure, submitted to the queue; nil means the default global queue.
    case custom(DispatchQueue?, () -> Void)

    fileprivate var owner: DataOwner {
      switch self {
      case .free: .heap
      case .unmap: .mapping
      case .custom(let queue, let body): .giver(DataDestructor(queue, body))
      }
    }
  }

  /// No bytes.
  public static let empty = DispatchData(nil)

  /// Copies the bytes of `buffer`.
  ///
  /// - Complexity: O(bytes); one allocation up to 96 bytes, two for more.
  public init(bytes buffer: UnsafeRawBufferPointer) { self.init(DataNode.copy(buffer.baseAddress, buffer.count)) }

  /// Takes over the bytes where they are; nobody may write them any more.
  ///
  /// - Parameters:
  ///   - bytes: must stay as they are until they are given back.
  ///   - deallocator: gives the memory back, once, when the last data that touches it is gone; at once for no bytes.
  /// - Complexity: O(1); copies nothing.
  public init(bytesNoCopy bytes: UnsafeRawBufferPointer, deallocator: DispatchData.Deallocator = .free) {
    self.init(DataNode.region(bytes.baseAddress, bytes.count, deallocator.owner))
  }

  /// How many bytes there are. Complexity: O(1).
  public var count: Int { withExtendedLifetime(self) { lent?.use { $0.total } ?? 0 } }

  // MARK: making longer and shorter ones

  /// Appends all bytes of `other`; copies none.
  ///
  /// - Complexity: O(log regions); mostly no allocation if nobody else holds this data.
  public mutating func append(_ other: DispatchData) {
    withExtendedLifetime(other) { if let other = other.lent { DataNode.append(other, to: &node) } }
  }

  /// Appends a copy of the bytes, as one region.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) { append(DispatchData(bytes: bytes)) }

  /// Appends a copy of the elements' bytes, as one region.
  public mutating func append<SourceType>(_ buffer: UnsafeBufferPointer<SourceType>) { append(UnsafeRawBufferPointer(buffer)) }

  /// The bytes in `range`, sharing their regions; none of those that the range does not touch are kept.
  ///
  /// - Parameter range: cut to what there is. One that begins before the first byte gives no bytes, as does one behind the last.
  /// - Complexity: O(log regions).
  public func subdata(in range: Range<DispatchData.Index>) -> DispatchData {
    let (offset, length) = (UInt(bitPattern: range.lowerBound), UInt(bitPattern: range.upperBound &- range.lowerBound))
    return withExtendedLifetime(self) {
      DispatchData(lent.flatMap { DataNode.part($0, offset: offset, length: length)?.takeRetainedValue() })
    }
  }

  // MARK: regions

  /// The region that holds the byte at `location`, and where it begins; for a location outside, no bytes and the count.
  ///
  /// - Complexity: O(log regions).
  public func region(location: Int) -> (data: DispatchData, offset: Int) {
    guard let node, location >= 0, location < node.count else { return (.empty, count) }
    let place = node.region(at: location)
    return (DispatchData(place.region.object.takeRetainedValue()), place.offset)
  }

  /// Calls `block` with each region in order, where it begins, and a flag that ends the walk when set.
  ///
  /// The pointers are good for the call.
  public func enumerateBytes(
    _ block: (_ buffer: UnsafeBufferPointer<UInt8>, _ byteIndex: Int, _ stop: inout Bool) -> Void
  ) {
    var stop = false
    node?.forEachRegion { region, offset in
      block(region.buffer, offset, &stop)
      return !stop
    }
  }

  /// Calls `body` with all bytes in a row, as elements of another type; copies them the first time if they lie in several regions.
  ///
  /// - Parameter body: the pointer is good for the call, and must suit the type; for no bytes it leads to none.
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
