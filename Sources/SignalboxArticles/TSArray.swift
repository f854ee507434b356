// TSArray.swift: the article's thread-safe array of anything, under its own name. A typed one is
// SynchronizedArray, in Signalbox.
import Signalbox

/// An array of values of any type that several threads may read and write at the same time; every operation is atomic.
///
/// The class matches the one of this name in the article, with three differences: a write blocks until it is done instead of
/// happening later, `remove(at:)` returns the element, and an index out of range does not stop the program.
///
/// Thread safety: every member may be used from any thread. Elements that are objects are shared by all code that has
/// read them; the compiler cannot check that this is safe, because of `Any`. Memory: a write happens before the reads
/// that see it.
open class TSArray {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The default label.
  public static let DEFAULT_QUEUE_LABEL = "SyncArrayAccess"

  private let elements: SynchronizedArray<Any>

  /// Creates an empty array.
  ///
  /// ```swift
  /// let array = TSArray()
  /// print(array.count)  // 0
  /// ```
  ///
  /// - Parameter queueName: the name in messages. No queue is created.
  public init(with queueName: String? = nil) {
    elements = SynchronizedArray(label: queueName ?? Self.DEFAULT_QUEUE_LABEL)
  }

  // MARK: changing

  /// Appends `newElement`.
  ///
  /// ```swift
  /// let array = TSArray()
  /// array.append(1)
  /// ```
  ///
  /// - Complexity: O(1) amortized; O(n) once after a snapshot was taken.
  public func append(_ newElement: Any) { elements.append(newElement) }

  /// Replaces all elements atomically.
  ///
  /// ```swift
  /// let array = TSArray()
  /// array.update([1, "two"])
  /// print(array.count)  // 2
  /// ```
  ///
  /// - Complexity: O(n).
  public func update(_ newElements: [Any]) { elements.replaceAll(with: newElements) }

  /// Removes the element at `index`.
  ///
  /// ```swift
  /// let array = TSArray()
  /// array.append("a")
  /// print(array.remove(at: 0) as? String ?? "")  // a
  /// ```
  ///
  /// - Returns: the removed element; nil, with nothing changed, if the index is out of range.
  /// - Complexity: O(n).
  @discardableResult public func remove(at index: Int) -> Any? { elements.remove(at: index) }

  /// Removes all elements.
  ///
  /// ```swift
  /// let array = TSArray()
  /// array.append(1)
  /// array.removeAll()
  /// print(array.count)  // 0
  /// ```
  ///
  /// - Complexity: O(n).
  public func removeAll() { elements.removeAll() }

  // MARK: reading

  /// The number of elements.
  public var count: Int { elements.count }

  /// The element at `index`; nil if the index is out of range. Setting replaces an existing element; setting an index out of
  /// range, or setting nil, changes nothing (the first write past the end is reported). Compound assignment is atomic.
  ///
  /// ```swift
  /// let array = TSArray()
  /// array.update([1, 2])
  /// array[1] = "two"
  /// print(array[1] as? String ?? "", array[9] == nil)  // two true
  /// ```
  public subscript(index: Int) -> Any? {
    get { elements[index] }
    set { elements[index] = newValue }
    _modify { yield &elements[index] }
  }

  /// The first element; nil if the array is empty.
  ///
  /// ```swift
  /// let array = TSArray()
  /// array.append("a")
  /// print(array.first() as? String ?? "")  // a
  /// ```
  ///
  /// - Complexity: O(1).
  public func first() -> Any? { elements.first }

  /// The first element that is a `T` and for which `predicate` returns true; nil if there is none. `predicate` runs without the
  /// lock.
  ///
  /// ```swift
  /// let array = TSArray()
  /// array.update([1, 2, 3])
  /// print(array.first { (number: Int) in number > 1 } ?? 0)  // 2
  /// ```
  ///
  /// - Complexity: O(n).
  public func first<T>(where predicate: (T) -> Bool) -> T? {
    for case let value as T in elements where predicate(value) { return value }
    return nil
  }

  /// The index of the first element that is a `T` and for which `predicate` returns true; nil if there is none. `predicate`
  /// runs without the lock: other threads may have moved the element by the time this returns.
  ///
  /// ```swift
  /// let array = TSArray()
  /// array.update([1, 2, 3])
  /// print(array.index { (number: Int) in number > 1 } ?? -1)  // 1
  /// ```
  public func index<T>(where predicate: (T) -> Bool) -> Int? {
    elements.firstIndex { element in (element as? T).map(predicate) ?? false }
  }

  /// A snapshot of all elements; objects are shared, not copied.
  public var refCopyValues: [Any] { elements.values }
}

// SAFETY: the only property does not change and locks for itself; that elements may be shared is the caller's promise, as in
// the article.
extension TSArray: @unchecked Sendable {}
