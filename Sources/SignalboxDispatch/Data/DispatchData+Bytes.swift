// DispatchData+Bytes.swift: copying bytes out, and the older forms of what DispatchData.swift has.
import SignalboxSystem

extension DispatchData {
  /// Copies the first `count` bytes to `pointer`, or all bytes if there are fewer.
  ///
  /// - Precondition: `pointer` has room for the copied bytes; otherwise the program is stopped.
  /// - Complexity: O(count).
  public func copyBytes(to pointer: UnsafeMutableRawBufferPointer, count: Int) {
    copy(0, UInt(bitPattern: count), to: pointer)
  }

  /// Copies the bytes in `range` to `pointer`. The range is clamped to the data as in `subdata(in:)`.
  ///
  /// - Precondition: `pointer` has room for the copied bytes; otherwise the program is stopped.
  /// - Complexity: O(log regions + bytes copied).
  public func copyBytes(to pointer: UnsafeMutableRawBufferPointer, from range: Range<DispatchData.Index>) {
    copy(UInt(bitPattern: range.lowerBound), UInt(bitPattern: range.upperBound &- range.lowerBound), to: pointer)
  }

  /// Copies the bytes in `range`, or all bytes if it is nil, into the memory of `buffer`. Stops when `buffer` is full.
  ///
  /// - Parameter buffer: where the bytes go, from its beginning; a rest smaller than one element may be filled in part.
  /// - Parameter range: must lie inside the data; otherwise the program is stopped.
  /// - Returns: the number of bytes copied.
  /// - Complexity: O(log regions + bytes copied).
  public func copyBytes<DestinationType>(
    to buffer: UnsafeMutableBufferPointer<DestinationType>, from range: Range<DispatchData.Index>? = nil
  ) -> Int {
    let target = UnsafeMutableRawBufferPointer(buffer)
    let range = range ?? 0..<count
    guard !range.isEmpty, target.count > 0, let start = target.baseAddress else { return 0 }
    guard let node, range.lowerBound >= 0, range.upperBound <= node.count else { stop(outside: range) }
    let length = Swift.min(range.count, target.count)
    node.copy(range.lowerBound, range.lowerBound + length, to: start)
    return length
  }

  private func copy(_ offset: UInt, _ length: UInt, to target: UnsafeMutableRawBufferPointer) {
    guard let node, offset < UInt(node.count), length > 0 else { return }
    let lower = Int(offset)
    let length = Int(Swift.min(length, UInt(node.count - lower)))
    guard length <= target.count, let start = target.baseAddress else {
      Misuse.stop("\(length) bytes of data are to be copied to a buffer of \(target.count); ask for no more than fit")
    }
    node.copy(lower, lower + length, to: start)
  }

  private func stop(outside range: Range<Int>) -> Never {
    Misuse.stop("the range \(range) is outside of data of \(count) bytes; clamp it to 0..<count first")
  }

  // MARK: older forms

  /// Creates data with a copy of the bytes in `buffer`.
  @available(swift, deprecated: 4, message: "Use init(bytes: UnsafeRawBufferPointer) instead")
  public init(bytes buffer: UnsafeBufferPointer<UInt8>) { self.init(bytes: UnsafeRawBufferPointer(buffer)) }

  /// Creates data that uses the bytes in place, without a copy.
  @available(swift, deprecated: 4, message: "Use init(bytesNoCopy: UnsafeRawBufferPointer, deallocator: Deallocator) instead")
  public init(bytesNoCopy bytes: UnsafeBufferPointer<UInt8>, deallocator: DispatchData.Deallocator = .free) {
    self.init(bytesNoCopy: UnsafeRawBufferPointer(bytes), deallocator: deallocator)
  }

  /// Appends a copy of `count` bytes.
  /// - Complexity: O(count).
  @available(swift, deprecated: 4, message: "Use append(_: UnsafeRawBufferPointer) instead")
  public mutating func append(_ bytes: UnsafePointer<UInt8>, count: Int) {
    append(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// Copies the first `count` bytes, or all bytes if there are fewer; `pointer` must have room for `count` bytes.
  /// - Complexity: O(count).
  @available(swift, deprecated: 4, message: "Use copyBytes(to: UnsafeMutableRawBufferPointer, count: Int) instead")
  public func copyBytes(to pointer: UnsafeMutablePointer<UInt8>, count: Int) {
    copyBytes(to: UnsafeMutableRawBufferPointer(start: pointer, count: Swift.max(0, count)), count: count)
  }

  /// Copies the bytes in `range`, clamped to the data; `pointer` must have room for the whole range.
  /// - Complexity: O(log regions + bytes copied).
  @available(swift, deprecated: 4, message: "Use copyBytes(to: UnsafeMutableRawBufferPointer, from: Range<Index>) instead")
  public func copyBytes(to pointer: UnsafeMutablePointer<UInt8>, from range: Range<DispatchData.Index>) {
    copyBytes(to: UnsafeMutableRawBufferPointer(start: pointer, count: range.count), from: range)
  }

  /// The Swift 3 name of `enumerateBytes(_:)`.
  /// - Complexity: O(regions), beside the cost of the block.
  @available(swift, obsoleted: 4, renamed: "enumerateBytes(_:)")
  public func enumerateBytes(
    block: (_ buffer: UnsafeBufferPointer<UInt8>, _ byteIndex: Int, _ stop: inout Bool) -> Void
  ) { enumerateBytes(block) }
}
