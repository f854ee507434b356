// SynchronizedArray.swift: an array that threads share: what touches one element or the count. Whole contents, loops and
// bodies under the lock are SynchronizedArray+Whole.swift.

/// An array that several threads may read and write at the same time; every operation is atomic.
///
/// Loops do not block readers or writers: `for`, `map`, `filter`, `first(where:)` and the rest of `Sequence` work on a snapshot
/// taken in O(1). They hold no lock and may use the array. An element that is overwritten or removed is released after the lock
/// is free, so its `deinit` may use the array, too.
///
///     let names = SynchronizedArray<String>()
///     DispatchQueue.concurrentPerform(iterations: 100) { names.append("\($0)") }
///     let total = names.count            // 100
///     names.update(at: 0) { $0 += "!" }  // read, change, write: atomic
///
/// Thread safety: every member may be used from any thread. Memory: a write happens before the reads that see it.
///
/// ```swift
/// let names = SynchronizedArray<String>(label: "names")
/// DispatchQueue.concurrentPerform(iterations: 4) { names.append("item \($0)") }
/// print(names.count)  // 4
/// ```
public final class SynchronizedArray<Element> {
  @usableFromInline let lock: CollectionLock
  // SAFETY of the missing exclusivity check: touched only under `lock`, which its holder cannot enter again.
  @exclusivity(unchecked) @usableFromInline var elements: [Element]
  // SAFETY: as `elements`.
  @exclusivity(unchecked) @usableFromInline var hasReported = false

  /// Creates an empty array.
  ///
  /// ```swift
  /// let events = SynchronizedArray<Int>(label: "events")
  /// events.append(1)
  /// print(events.count)  // 1
  /// ```
  ///
  /// - Parameter label: the name in messages; if empty, the address is shown.
  public init(label: String = "") {
    lock = CollectionLock("synchronized array", label: label)
    elements = []
    lock.isMade()
  }

  /// Creates an array with the elements of `sequence`.
  ///
  /// ```swift
  /// let squares = SynchronizedArray((1...3).map { $0 * $0 }, label: "squares")
  /// print(squares.count)  // 3
  /// ```
  ///
  /// - Parameter sequence: the first elements, in order.
  /// - Parameter label: the name in messages; if empty, the address is shown.
  public init(_ sequence: some Sequence<Element>, label: String = "") {
    lock = CollectionLock("synchronized array", label: label)
    elements = Array(sequence)
    lock.isMade()
  }
  deinit { lock.isGone() }

  /// The label given at creation.
  public final var label: String { lock.label }

  // MARK: reading

  /// The number of elements.
  @inlinable public var count: Int { lock.around { elements.count } }
  /// Whether there are no elements.
  @inlinable public var isEmpty: Bool { lock.around { elements.isEmpty } }
  /// The first element; nil if the array is empty.
  @inlinable public var first: Element? { lock.around { elements.first } }
  /// The last element; nil if the array is empty.
  @inlinable public var last: Element? { lock.around { elements.last } }

  /// The element at `index`; nil if the index is out of range.
  ///
  /// Setting replaces an existing element. Setting an index out of range, or setting nil, changes nothing; the first write past
  /// the end is reported on standard error. Compound assignment is atomic: `array[0]! += 1` loses no update.
  ///
  /// ```swift
  /// let names = SynchronizedArray(["a", "b"])
  /// names[1] = "c"
  /// print(names[1] ?? "", names[7] == nil)  // c true
  /// ```
  @inlinable public subscript(index: Int) -> Element? {
    get { lock.around { elements.indices.contains(index) ? elements[index] : nil } }
    set { if let newValue, replace(at: index, with: newValue) == nil { reportLostWrite(index) } }
    _modify {
      lock.enter()
      var value: Element? = elements.indices.contains(index) ? elements[index] : nil
      defer { leave(storing: &value, at: index) }
      yield &value
    }
  }

  // The old element leaves in `value` and dies with it in the caller, when the lock is free.
  @usableFromInline func leave(storing value: inout Element?, at index: Int) {
    guard elements.indices.contains(index), let new = value.take() else {
      lock.leave()
      if value != nil { reportLostWrite(index) }
      return
    }
    value = elements[index]
    elements[index] = new
    lock.leave()
  }

  @inline(never) @usableFromInline func reportLostWrite(_ index: Int) {
    let (count, isNews) = lock.around { () -> (Int, Bool) in
      defer { hasReported = true }
      return (elements.count, !hasReported)
    }
    if isNews { lock.reportLostWrite(index: index, count: count) }
  }

  // MARK: changing

  /// Appends `element`.
  ///
  /// ```swift
  /// let names = SynchronizedArray(["a"])
  /// names.append("b")
  /// print(names.count)  // 2
  /// ```
  ///
  /// - Complexity: O(1) amortized; O(n) once after a snapshot was taken.
  @inlinable public func append(_ element: consuming Element) {
    lock.enter()
    elements.append(element)
    lock.leave()
  }

  /// Appends all of `newElements` as one contiguous run.
  ///
  /// ```swift
  /// let numbers = SynchronizedArray([1])
  /// numbers.append(contentsOf: 2...4)
  /// print(numbers.count)  // 4
  /// ```
  ///
  /// - Complexity: O(m) for m new elements, amortized; O(n + m) once after a snapshot was taken.
  @inlinable public func append(contentsOf newElements: some Sequence<Element>) {
    // Drawn before the lock is taken: a sequence's own code must not run under it.
    let drawn = Array(newElements)
    lock.around { elements.append(contentsOf: drawn) }
  }

  /// Inserts `element` before the element at `index`, or at the end if `index` equals the count.
  ///
  /// ```swift
  /// let names = SynchronizedArray(["b"])
  /// try names.insert("a", at: 0)
  /// print(names.first ?? "")  // a
  /// ```
  ///
  /// - Throws: `IndexOutOfRange` for any other index; nothing has changed then.
  /// - Complexity: O(n).
  @inlinable public func insert(_ element: Element, at index: Int) throws(IndexOutOfRange) {
    try lock.around { () throws(IndexOutOfRange) in
      guard (0...elements.count).contains(index) else { throw IndexOutOfRange(index: index, count: elements.count) }
      elements.insert(element, at: index)
    }
  }

  /// Replaces the element at `index`.
  ///
  /// ```swift
  /// let names = SynchronizedArray(["a"])
  /// print(names.replace(at: 0, with: "b") ?? "")  // a
  /// ```
  ///
  /// - Returns: the old element; nil, with nothing changed, if the index is out of range.
  @inlinable @discardableResult public func replace(at index: Int, with element: Element) -> Element? {
    lock.around {
      guard elements.indices.contains(index) else { return nil }
      var other = element
      swap(&elements[index], &other)
      return other
    }
  }

  /// Removes the element at `index`.
  ///
  /// ```swift
  /// let names = SynchronizedArray(["a", "b"])
  /// print(names.remove(at: 1) ?? "", names.remove(at: 9) == nil)  // b true
  /// ```
  ///
  /// - Returns: the removed element; nil, with nothing changed, if the index is out of range.
  /// - Complexity: O(n).
  @inlinable @discardableResult public func remove(at index: Int) -> Element? {
    lock.around { elements.indices.contains(index) ? elements.remove(at: index) : nil }
  }

  /// Removes and returns the first element; nil if the array is empty. Complexity: O(n).
  ///
  /// ```swift
  /// let jobs = SynchronizedArray([1, 2])
  /// while let job = jobs.popFirst() { print(job) }  // 1, 2
  /// ```
  @inlinable @discardableResult public func popFirst() -> Element? { remove(at: 0) }

  /// Removes and returns the last element; nil if the array is empty.
  ///
  /// ```swift
  /// let stack = SynchronizedArray([1, 2])
  /// print(stack.popLast() ?? 0)  // 2
  /// ```
  @inlinable @discardableResult public func popLast() -> Element? { lock.around { elements.popLast() } }

  /// Changes the element at `index` in place, atomically.
  ///
  /// `body` runs under the lock: other threads wait for it, and it must not use this array, or the program is stopped. Changes
  /// that it makes before it throws are kept.
  ///
  /// ```swift
  /// let counts = SynchronizedArray([1, 2])
  /// counts.update(at: 0) { $0 += 10 }
  /// print(counts.first ?? 0)  // 11
  /// ```
  ///
  /// - Returns: the result of `body`; nil, without running `body`, if the index is out of range.
  /// - Complexity: O(1) beside the cost of `body`; O(n) once after a snapshot was taken.
  @inlinable @discardableResult
  public func update<R, E: Error>(at index: Int, _ body: (inout Element) throws(E) -> R) throws(E) -> R? {
    try lock.around { () throws(E) -> R? in
      guard elements.indices.contains(index) else { return nil }
      return try body(&elements[index])
    }
  }
}

// SAFETY: all state is touched only under `lock`; what goes in and comes out may be sent.
extension SynchronizedArray: @unchecked Sendable where Element: Sendable {}

/// The error for an index that is out of range.
///
/// ```swift
/// let error = IndexOutOfRange(index: 4, count: 3)
/// print(error)
/// print(error.index, error.count)  // 4 3
/// ```
public struct IndexOutOfRange: Error, Equatable, CustomStringConvertible {
  /// The invalid index.
  public let index: Int
  /// The count at that time.
  public let count: Int

  /// Creates the error.
  ///
  /// ```swift
  /// print(IndexOutOfRange(index: 4, count: 3))
  /// ```
  public init(index: Int, count: Int) {
    self.index = index
    self.count = count
  }

  /// The error in words.
  public var description: String { "index \(index) is out of range: the count was \(count)" }
}
