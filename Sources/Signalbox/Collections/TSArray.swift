// TSArray.swift: the article's thread-safe array of anything, under its own name. A typed one is SynchronizedArray.swift.

/// An array of values of any type that threads may read and write at the same time; every operation is one step.
///
/// It does what the article's class of this name does, save that writing waits for its turn instead of happening later, that
/// `remove(at:)` returns the element, and that a wrong index stops nothing. Deep copies come with SignalboxFoundation.
///
/// Thread safety: every member may be used from any thread. Objects that are elements are shared by whoever has read them; that
/// they may be is not checked, because `Any` says nothing. Memory: a write happens before the reads that see it.
open class TSArray {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The label of arrays made without one.
  public static let DEFAULT_QUEUE_LABEL = "SyncArrayAccess"

  private let elements: SynchronizedArray<Any>

  /// Creates an empty array.
  /// - Parameter queueName: what messages call it. There is no queue behind it.
  public init(with queueName: String? = nil) {
    elements = SynchronizedArray(label: queueName ?? Self.DEFAULT_QUEUE_LABEL)
  }

  // MARK: changing

  /// Adds `newElement` at the end.
  public func append(_ newElement: Any) { elements.append(newElement) }

  /// Puts `newElements` in the place of all there are, in one step.
  public func update(_ newElements: [Any]) { elements.replaceAll(with: newElements) }

  /// Takes out the element at `index`.
  /// - Returns: that element; nil, and nothing has changed, if there was none.
  @discardableResult public func remove(at index: Int) -> Any? { elements.remove(at: index) }

  /// Takes out all elements.
  public func removeAll() { elements.removeAll() }

  // MARK: reading

  /// How many elements there are at this moment.
  public var count: Int { elements.count }

  /// The element at `index`; nil if there is none. Setting replaces the element that is there; setting where none is, or to nil,
  /// changes nothing (the first write past the end is reported). Compound assignment is one step.
  public subscript(index: Int) -> Any? {
    get { elements[index] }
    set { elements[index] = newValue }
    _modify { yield &elements[index] }
  }

  /// The first element; nil if there is none.
  public func first() -> Any? { elements.first }

  /// The first element that is a `T` of which `predicate` is true; nil if there is none. `predicate` runs without the lock.
  public func first<T>(where predicate: (T) -> Bool) -> T? {
    for case let value as T in elements where predicate(value) { return value }
    return nil
  }

  /// The place of the first element that is a `T` of which `predicate` is true; nil if there is none. `predicate` runs without
  /// the lock: others may have moved the element when this returns.
  public func index<T>(where predicate: (T) -> Bool) -> Int? {
    elements.firstIndex { element in (element as? T).map(predicate) ?? false }
  }

  /// All elements at this moment; objects are shared, not copied.
  public var refCopyValues: [Any] { elements.values }
}

// SAFETY: the only property does not change and locks for itself; that elements may be shared is the caller's promise, as in
// the article.
extension TSArray: @unchecked Sendable {}
