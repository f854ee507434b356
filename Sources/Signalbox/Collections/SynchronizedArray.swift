// SynchronizedArray.swift: an array that threads share: what touches one element or the count. Whole contents, loops and
// bodies under the lock are SynchronizedArray+Whole.swift.

/// An array that threads may read and write at the same time; every operation is one step.
///
/// Reading never waits for a loop: `for`, `map`, `filter`, `first(where:)` and whatever else `Sequence` offers run over a copy
/// taken in O(1) when they begin, hold no lock, and may use the array. An element that is overwritten or removed is destroyed
/// after the lock is free, so its `deinit` may use the array, too.
///
///     let names = SynchronizedArray<String>()
///     DispatchQueue.concurrentPerform(iterations: 100) { names.append("\($0)") }
///     let total = names.count            // 100
///     names.update(at: 0) { $0 += "!" }  // read, change, write: one step
///
/// Thread safety: every member may be used from any thread. Memory: a write happens before the reads that see it.
public final class SynchronizedArray<Element> {
  @usableFromInline let lock: CollectionLock
  // SAFETY of the missing exclusivity check: touched only under `lock`, which its holder cannot enter again.
  @exclusivity(unchecked) @usableFromInline var elements: [Element]
  // SAFETY: as `elements`.
  @exclusivity(unchecked) @usableFromInline var hasReported = false

  /// Creates an empty array.
  /// - Parameter label: what messages call it; its address if empty.
  public init(label: String = "") {
    lock = CollectionLock("synchronized array", label: label)
    elements = []
    lock.isMade()
  }

  /// Creates an array of the elements of `sequence`.
  /// - Parameter label: what messages call it; its address if empty.
  public init(_ sequence: some Sequence<Element>, label: String = "") {
    lock = CollectionLock("synchronized array", label: label)
    elements = Array(sequence)
    lock.isMade()
  }
  deinit { lock.isGone() }

  /// The label given at creation.
  public final var label: String { lock.label }

  // MARK: reading

  /// How many elements there are at this moment.
  @inlinable public var count: Int { lock.around { elements.count } }
  /// Whether there are none at this moment.
  @inlinable public var isEmpty: Bool { lock.around { elements.isEmpty } }
  /// The first element; nil if there is none.
  @inlinable public var first: Element? { lock.around { elements.first } }
  /// The last element; nil if there is none.
  @inlinable public var last: Element? { lock.around { elements.last } }

  /// The element at `index`; nil if there is none.
  ///
  /// Setting replaces the element that is there. Setting where none is, or to nil, changes nothing; the first such write past
  /// the end is reported on standard error. Compound assignment is one step: `array[0]! += 1` loses no addition.
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

  /// Adds `element` at the end. Complexity: O(1) amortised; O(n) once after a copy or a loop of the contents.
  @inlinable public func append(_ element: consuming Element) {
    lock.enter()
    elements.append(element)
    lock.leave()
  }

  /// Adds all of `newElements` at the end, next to one another.
  @inlinable public func append(contentsOf newElements: some Sequence<Element>) {
    // Drawn before the lock is taken: a sequence's own code must not run under it.
    let drawn = Array(newElements)
    lock.around { elements.append(contentsOf: drawn) }
  }

  /// Puts `element` before the one at `index`, or at the end if `index` is the count.
  /// - Throws: `IndexOutOfRange` if `index` is neither; nothing has changed then.
  @inlinable public func insert(_ element: Element, at index: Int) throws(IndexOutOfRange) {
    try lock.around { () throws(IndexOutOfRange) in
      guard (0...elements.count).contains(index) else { throw IndexOutOfRange(index: index, count: elements.count) }
      elements.insert(element, at: index)
    }
  }

  /// Puts `element` in the place of the one at `index`.
  /// - Returns: the element that was there; nil, and nothing has changed, if there was none.
  @inlinable @discardableResult public func replace(at index: Int, with element: Element) -> Element? {
    lock.around {
      guard elements.indices.contains(index) else { return nil }
      var other = element
      swap(&elements[index], &other)
      return other
    }
  }

  /// Takes out the element at `index`.
  /// - Returns: that element; nil, and nothing has changed, if there was none.
  @inlinable @discardableResult public func remove(at index: Int) -> Element? {
    lock.around { elements.indices.contains(index) ? elements.remove(at: index) : nil }
  }

  /// Takes out the first element; nil if there is none. Complexity: O(n).
  @inlinable @discardableResult public func popFirst() -> Element? { remove(at: 0) }

  /// Takes out the last element; nil if there is none.
  @inlinable @discardableResult public func popLast() -> Element? { lock.around { elements.popLast() } }

  /// Changes the element at `index` where it lies, in one step.
  ///
  /// `body` runs under the lock: it must not use this array (the program is stopped), and other threads wait for it. What it
  /// has changed before it throws stays changed.
  /// - Returns: what `body` returns; nil, and `body` has not run, if there is no such element.
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

/// There is no such place in the array.
public struct IndexOutOfRange: Error, Equatable, CustomStringConvertible {
  /// The place asked for.
  public let index: Int
  /// How many elements there were.
  public let count: Int

  /// An error.
  public init(index: Int, count: Int) {
    self.index = index
    self.count = count
  }

  /// What happened, in words.
  public var description: String { "index \(index) is out of range: the count was \(count)" }
}
