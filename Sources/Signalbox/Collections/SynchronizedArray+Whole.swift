// SynchronizedArray+Whole.swift: the array as a whole: copies, loops over them, replacing all, and bodies under the lock.

extension SynchronizedArray {
  /// All elements at this moment; the copy is O(1), shared until one of the two is written.
  @inlinable public var values: [Element] { lock.around { elements } }

  /// A new array of the same elements; objects are shared, not copied.
  public func copy() -> SynchronizedArray { SynchronizedArray(values, label: label) }

  /// Runs `body` with all elements, in one step: nobody reads or writes them meanwhile.
  ///
  /// `body` runs under the lock: it must not use this array (the program is stopped), and other threads wait for it. What it
  /// has changed before it throws stays changed. An element that it overwrites is destroyed under the lock.
  @inlinable
  public func withLock<R: ~Copyable, E: Error>(_ body: (inout [Element]) throws(E) -> R) throws(E) -> R {
    try lock.around { () throws(E) -> R in try body(&elements) }
  }

  /// Puts `newElements` in the place of all there are, in one step.
  /// - Returns: the old elements.
  @inlinable @discardableResult public func replaceAll(with newElements: [Element]) -> [Element] {
    var other = newElements
    lock.around { swap(&elements, &other) }
    return other
  }

  /// Takes out all elements.
  /// - Returns: those elements.
  @inlinable @discardableResult public func removeAll() -> [Element] { replaceAll(with: []) }

  /// Takes out the elements of which `shouldBeRemoved` is true, in one step: all of them, or none if it throws.
  ///
  /// `shouldBeRemoved` runs under the lock and must not use this array (the program is stopped).
  /// - Returns: how many were taken out.
  @inlinable @discardableResult
  public func removeAll<E: Error>(where shouldBeRemoved: (Element) throws(E) -> Bool) throws(E) -> Int {
    var kept: [Element] = []  // after the swap the old elements, destroyed when the lock is free
    return try lock.around { () throws(E) -> Int in
      for element in elements where try !shouldBeRemoved(element) { kept.append(element) }
      swap(&elements, &kept)
      return kept.count - elements.count
    }
  }

  /// The place of the first element of which `predicate` is true at this moment; nil if there is none. `predicate` runs
  /// without the lock, over a copy: others may have moved the element when this returns.
  @inlinable public func firstIndex<E: Error>(where predicate: (Element) throws(E) -> Bool) throws(E) -> Int? {
    let values = values
    for index in values.indices where try predicate(values[index]) { return index }
    return nil
  }

  /// As `firstIndex(where:)`.
  @inlinable public func index<E: Error>(where predicate: (Element) throws(E) -> Bool) throws(E) -> Int? {
    try firstIndex(where: predicate)
  }
}

extension SynchronizedArray where Element: Equatable {
  /// The place of the first element equal to `element` at this moment; nil if there is none.
  @inlinable public func firstIndex(of element: Element) -> Int? { values.firstIndex(of: element) }
}

// No underestimatedCount: it would be asked in another step than the copy is made, and be too high by then.
extension SynchronizedArray: Sequence {
  /// Goes over the elements that are there now; later changes do not disturb it.
  @inlinable public func makeIterator() -> IndexingIterator<[Element]> { values.makeIterator() }
}

extension SynchronizedArray: CustomStringConvertible {
  /// The elements at this moment, as an array is described.
  public var description: String { values.description }
}
