// PartSearch.swift: where a part lies in a text or a row of bytes. The toolchain has the same in its library for regular expressions, which
// every program that loads ours would have to load as well: a third of a millisecond at its start.

extension Collection where Element: Equatable {
  /// Where `part` lies first; nil: nowhere. An empty part lies nowhere.
  ///
  /// - Complexity: O(length · length of the part).
  package func firstPlace(of part: some Collection<Element>) -> Range<Index>? {
    guard !part.isEmpty else { return nil }
    var start = startIndex
    while start != endIndex {
      if let end = end(of: part, from: start) { return start..<end }
      formIndex(after: &start)
    }
    return nil
  }

  /// Where it lies last, of those places that do not overlap from the beginning on.
  package func lastPlace(of part: some Collection<Element>) -> Range<Index>? {
    var last: Range<Index>?
    while let next = self[(last?.upperBound ?? startIndex)...].firstPlace(of: part) { last = next }
    return last
  }

  /// Whether it lies anywhere.
  package func holds(_ part: some Collection<Element>) -> Bool { firstPlace(of: part) != nil }

  /// What lies before, between and behind its places, empty pieces too.
  package func pieces(between part: some Collection<Element>) -> [SubSequence] {
    var pieces: [SubSequence] = [], rest = self[...]
    while let place = rest.firstPlace(of: part) {
      pieces.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return pieces + [rest]
  }

  private func end(of part: some Collection<Element>, from start: Index) -> Index? {
    var index = start
    for element in part {
      guard index != endIndex, self[index] == element else { return nil }
      formIndex(after: &index)
    }
    return index
  }
}
