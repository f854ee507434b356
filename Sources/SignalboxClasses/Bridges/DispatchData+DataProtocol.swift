// DispatchData+DataProtocol.swift: Signalbox's data as Foundation's algorithms see it: a run of bytes in regions.
public import Foundation
public import Signalbox

extension Signalbox.DispatchData: DataProtocol {
  /// One contiguous piece of data. It shares the bytes with what it is a piece of.
  ///
  /// Thread safety: any thread.
  public struct Region: DataProtocol, ContiguousBytes, Sendable {
    private let piece: Signalbox.DispatchData

    fileprivate init(_ piece: Signalbox.DispatchData) { self.piece = piece }

    /// Itself alone.
    public var regions: CollectionOfOne<Signalbox.DispatchData.Region> { CollectionOfOne(self) }
    /// Zero: positions count from the region's own beginning.
    public var startIndex: Signalbox.DispatchData.Index { 0 }
    /// The number of its bytes.
    public var endIndex: Signalbox.DispatchData.Index { piece.count }
    /// The byte at a position.
    ///
    /// - Precondition: the position lies within the region.
    public subscript(position: Signalbox.DispatchData.Index) -> UInt8 { piece[position] }

    /// Calls `body` with the bytes, which are valid until it returns. Nothing is copied.
    public func withUnsafeBytes<ResultType>(_ body: (UnsafeRawBufferPointer) throws -> ResultType) rethrows -> ResultType {
      try piece.withUnsafeBytes { (start: UnsafePointer<UInt8>) in
        try body(UnsafeRawBufferPointer(start: start, count: piece.count))
      }
    }
  }

  /// The pieces of data, in order.
  public typealias Regions = [Signalbox.DispatchData.Region]

  /// Its contiguous pieces, in order; none when it is empty. Complexity: linear in their number; no byte is copied.
  public var regions: [Signalbox.DispatchData.Region] {
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
