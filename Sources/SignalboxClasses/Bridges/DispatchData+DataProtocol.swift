// DispatchData+DataProtocol.swift: Signalbox's data as Foundation's algorithms see it: a run of bytes in regions.
public import Foundation
public import SignalboxDispatch

extension SignalboxDispatch.DispatchData: DataProtocol {
  /// One contiguous region of data. It shares the bytes with the data it comes from.
  ///
  /// Thread safety: any thread.
  public struct Region: DataProtocol, ContiguousBytes, Sendable {
    private let piece: SignalboxDispatch.DispatchData

    fileprivate init(_ piece: SignalboxDispatch.DispatchData) { self.piece = piece }

    /// This region alone.
    public var regions: CollectionOfOne<SignalboxDispatch.DispatchData.Region> { CollectionOfOne(self) }
    /// Zero: indices count from the start of the region.
    public var startIndex: SignalboxDispatch.DispatchData.Index { 0 }
    /// The number of bytes.
    public var endIndex: SignalboxDispatch.DispatchData.Index { piece.count }
    /// The byte at `position`.
    ///
    /// - Precondition: the position is inside the region.
    public subscript(position: SignalboxDispatch.DispatchData.Index) -> UInt8 { piece[position] }

    /// Calls `body` with the bytes, without copying them. The pointer is valid only during the call.
    public func withUnsafeBytes<ResultType>(_ body: (UnsafeRawBufferPointer) throws -> ResultType) rethrows -> ResultType {
      try piece.withUnsafeBytes { (start: UnsafePointer<UInt8>) in
        try body(UnsafeRawBufferPointer(start: start, count: piece.count))
      }
    }
  }

  /// The type of `regions`.
  public typealias Regions = [SignalboxDispatch.DispatchData.Region]

  /// The contiguous regions, in order; none for empty data. Complexity: linear in their number; no byte is copied.
  public var regions: [SignalboxDispatch.DispatchData.Region] {
    var regions: [Region] = []
    var position = 0
    while position < count {
      let piece = region(location: position)
      regions.append(Region(piece.data))
      position = piece.offset + piece.data.count
    }
    return regions
  }
}
