// SynchronizedArray+Whole.swift: the array as a whole: copies, loops over them, replacing all, and bodies under the lock.

extension SynchronizedArray {
  /// A snapshot of all elements. The copy is O(1): storage is shared until either side is written to.
  @inlinable public var values: [Element] { lock.around { elements } }

  /// A new synchronized array with the same elements; objects are shared, not copied.
  ///
  /// ```swift
  /// let names = SynchronizedArray(["a"]), other = names.copy()
  /// other.append("b")
  /// print(names.count, other.count)  // 1 2
  /// ```
  public func copy() -> SynchronizedArray { SynchronizedArray(values, label: label) }

  /// Runs `body` with exclusive access to all elements.
  ///
  /// `body` runs under the lock: other threads wait for it, and it must not use this array, or the program is stopped. Changes
  /// that it makes before it throws are kept. Elements that it overwrites are released under the lock.
  ///
  /// ```swift
  /// let scores = SynchronizedArray([3, 1, 2])
  /// scores.withLock { $0.sort() }  // one step: other threads see it before or after
  /// print(scores.values)  // [1, 2, 3]
  /// ```
  @inlinable
  public func withLock<R: ~Copyable, E: Error>(_ body: (inout [Element]) throws(E) -> R) throws(E) -> R {
    try lock.around { () throws(E) -> R in try body(&elements) }
  }

  /// Replaces all elements atomically.
  ///
  /// ```swift
  /// let names = SynchronizedArray(["a"])
  /// print(names.replaceAll(with: ["b", "c"]), names.count)  // ["a"] 2
  /// ```
  ///
  /// - Returns: the old elements.
  @inlinable @discardableResult public func replaceAll(with newElements: [Element]) -> [Element] {
    var other = newElements
    lock.around { swap(&elements, &other) }
    return other
  }

  /// Removes all elements.
  ///
  /// ```swift
  /// let names = SynchronizedArray(["a", "b"])
  /// print(names.removeAll(), names.isEmpty)  // ["a", "b"] true
  /// ```
  ///
  /// - Returns: the removed elements.
  /// - Complexity: O(n).
  @inlinable @discardableResult public func removeAll() -> [Element] { replaceAll(with: []) }

  /// Removes the elements for which `shouldBeRemoved` returns true, atomically. If it throws, nothing is removed.
  ///
  /// `shouldBeRemoved` runs under the lock and must not use this array, or the program is stopped.
  ///
  /// ```swift
  /// let numbers = SynchronizedArray(1...6)
  /// print(numbers.removeAll { $0.isMultiple(of: 2) }, numbers.values)  // 3 [1, 3, 5]
  /// ```
  ///
  /// - Returns: the number of removed elements.
  /// - Complexity: O(n).
  @inlinable @discardableResult
  public func removeAll<E: Error>(where shouldBeRemoved: (Element) throws(E) -> Bool) throws(E) -> Int {
    var kept: [Element] = []  // after the swap the old elements, destroyed when the lock is free
    return try lock.around { () throws(E) -> Int in
      for element in elements where try !shouldBeRemoved(element) { kept.append(element) }
      swap(&elements, &kept)
      return kept.count - elements.count
    }
  }

  /// The index of the first element for which `predicate` returns true; nil if there is none. `predicate` runs without the
  /// lock, on a snapshot: other threads may have moved the element by the time this returns.
  ///
  /// ```swift
  /// let numbers = SynchronizedArray([4, 8, 15])
  /// print(numbers.firstIndex { $0 > 5 } ?? -1)  // 1
  /// ```
  ///
  /// - Complexity: O(n); the snapshot is O(1).
  @inlinable public func firstIndex<E: Error>(where predicate: (Element) throws(E) -> Bool) throws(E) -> Int? {
    let values = values
    for index in values.indices where try predicate(values[index]) { return index }
    return nil
  }

  /// The same as `firstIndex(where:)`.
  ///
  /// ```swift
  /// let numbers = SynchronizedArray([4, 8, 15])
  /// print(numbers.index { $0 > 5 } ?? -1)  // 1
  /// ```
  @inlinable public func index<E: Error>(where predicate: (Element) throws(E) -> Bool) throws(E) -> Int? {
    try firstIndex(where: predicate)
  }
}

extension SynchronizedArray where Element: Equatable {
  /// The index of the first element equal to `element`; nil if there is none.
  ///
  /// ```swift
  /// let names = SynchronizedArray(["a", "b"])
  /// print(names.firstIndex(of: "b") ?? -1)  // 1
  /// ```
  ///
  /// - Complexity: O(n); the snapshot is O(1).
  @inlinable public func firstIndex(of element: Element) -> Int? { values.firstIndex(of: element) }
}

// No underestimatedCount: it would be asked in another step than the copy is made, and be too high by then.
extension SynchronizedArray: Sequence {
  /// Iterates over a snapshot of the elements; later changes do not affect it.
  ///
  /// ```swift
  /// let names = SynchronizedArray(["a", "b"])
  /// for name in names { names.append(name + name) }  // the loop has two rounds
  /// print(names.count)  // 4
  /// ```
  @inlinable public func makeIterator() -> IndexingIterator<[Element]> { values.makeIterator() }
}

extension SynchronizedArray: CustomStringConvertible {
  /// The elements, formatted as those of an array.
  public var description: String { values.description }
}
