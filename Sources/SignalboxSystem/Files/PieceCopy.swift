// PieceCopy.swift: copies a file that is written meanwhile, and consists of a head and of pieces that are each given to something else now and
// then. What the pieces hold is their writer's business.

/// How such a file is laid out.
///
/// A piece begins with some words that change whenever it is given to something else, and at no other time.
public struct PieceCopy: Sendable {
  private let head: Int
  private let piece: Int
  private let words: Int

  /// A file whose head has `head` bytes; each piece behind it has `piece`, of which the first `words` say what it is given to.
  public init(head: Int, piece: Int, words: Int) { (self.head, self.piece, self.words) = (head, piece, words) }

  /// Hands the bytes of `source` over, part by part; `write` says whether there is use in going on.
  ///
  /// A piece that was given to something else while it was read is read again, and is zeros if that happens again and again: no copy of a
  /// piece has parts of two.
  public func write(_ source: FileBytes, _ write: ([UInt8]) -> Bool) {
    guard write(source.read(at: 0, count: head)) else { return }
    var offset = UInt64(head)
    while true {
      guard let bytes = whole(source, offset) else { return }
      guard write(bytes), bytes.count == piece else { return }
      offset += UInt64(piece)
    }
  }

  /// nil: there is nothing at `offset`.
  private func whole(_ source: FileBytes, _ offset: UInt64) -> [UInt8]? {
    for _ in 0..<4 {
      let bytes = source.read(at: offset, count: piece)
      if bytes.isEmpty { return nil }
      if source.read(at: offset, count: words).elementsEqual(bytes.prefix(words)) { return bytes }
    }
    return [UInt8](repeating: 0, count: piece)
  }
}
