// TSDictionary.swift: the article's thread-safe dictionary of anything, under its own name. A typed one is
// SynchronizedDictionary, in Signalbox.
import Signalbox

/// A dictionary of values of any type that several threads may read and write at the same time; every operation is atomic.
///
/// The class matches the one of this name in the article, with three differences: a write blocks until it is done instead of
/// happening later, `removeValue(forKey:)` really returns the value, and `filter` and `first(where:)` see the entries whose key
/// and value have the requested types.
///
/// Thread safety: every member may be used from any thread. Values that are objects are shared by all code that has
/// read them; the compiler cannot check that this is safe, because of `Any`. Memory: a write happens before the reads
/// that see it.
open class TSDictionary {
  private let entries = SynchronizedDictionary<AnyHashable, Any>(label: "SyncDictAccess")

  /// Creates an empty dictionary.
  ///
  /// ```swift
  /// let dictionary = TSDictionary()
  /// print(dictionary.values.count)  // 0
  /// ```
  public init() {}

  // MARK: changing

  /// Replaces all entries atomically.
  ///
  /// ```swift
  /// let dictionary = TSDictionary()
  /// dictionary.update(["a": 1]) { old, new in print(old, "is replaced by", new) }
  /// print(dictionary.values.count)  // 1
  /// ```
  ///
  /// - Parameter newDict: the new entries.
  /// - Parameter valueReplaceFilter: if given, called with the old and the new value of each key in both. The old value stays,
  ///   and the filter may update it, as it is usually an object. Entries whose keys are not in `newDict` are removed in any
  ///   case. The filter runs under the lock and must not use this dictionary, or the program is stopped.
  /// - Complexity: O(n + m) on average for n old and m new entries.
  public func update(_ newDict: [AnyHashable: Any], valueReplaceFilter: ((_ oldValue: Any, _ newValue: Any) -> Void)? = nil) {
    guard let valueReplaceFilter else {
      entries.replaceAll(with: newDict)
      return
    }
    var merged = newDict  // after the swap the old entries, destroyed when the lock is free
    entries.withLock { entries in
      for (key, newValue) in newDict {
        guard let oldValue = entries[key] else { continue }
        valueReplaceFilter(oldValue, newValue)
        merged[key] = oldValue
      }
      swap(&entries, &merged)
    }
  }

  /// The value for `key`; nil if there is none. Setting nil removes the entry. Compound assignment is atomic.
  ///
  /// ```swift
  /// let dictionary = TSDictionary()
  /// dictionary["a"] = 1
  /// print(dictionary["a"] as? Int ?? 0)  // 1
  /// ```
  public subscript(key: AnyHashable) -> Any? {
    get { entries[key] }
    set { entries[key] = newValue }
    _modify { yield &entries[key] }
  }

  /// Removes all entries.
  ///
  /// ```swift
  /// let dictionary = TSDictionary()
  /// dictionary["a"] = 1
  /// dictionary.removeAll()
  /// print(dictionary.values.count)  // 0
  /// ```
  ///
  /// - Complexity: O(n).
  public func removeAll() { entries.removeAll() }

  /// Removes the entry for `key`.
  ///
  /// ```swift
  /// let dictionary = TSDictionary()
  /// dictionary["a"] = 1
  /// print(dictionary.removeValue(forKey: "a") as? Int ?? 0)  // 1
  /// ```
  ///
  /// - Returns: the removed value; nil if there was none.
  @discardableResult public func removeValue(forKey key: AnyHashable) -> Any? { entries.removeValue(forKey: key) }

  // MARK: reading

  /// The entries with a key of type `K` and a value of type `T` for which `isIncluded` returns true; it runs without the lock.
  ///
  /// ```swift
  /// let dictionary = TSDictionary()
  /// dictionary.update(["a": 1, "b": 2, "c": "three"])
  /// let small: [String: Int] = dictionary.filter { $0.value < 2 }
  /// print(small)  // ["a": 1]
  /// ```
  ///
  /// - Complexity: O(n).
  public func filter<K: Hashable, T>(_ isIncluded: (Dictionary<K, T>.Element) -> Bool) -> [K: T] {
    var found: [K: T] = [:]
    for entry in typed(K.self, T.self) where isIncluded(entry) { found[entry.key] = entry.value }
    return found
  }

  /// An entry with a key of type `K` and a value of type `T` for which `predicate` returns true; nil if there is none. It runs
  /// without the lock.
  ///
  /// ```swift
  /// let dictionary = TSDictionary()
  /// dictionary.update(["a": 1, "b": 2])
  /// let found: (key: String, value: Int)? = dictionary.first { $0.value > 1 }
  /// print(found?.key ?? "")  // b
  /// ```
  ///
  /// - Complexity: O(n).
  public func first<K: Hashable, T>(where predicate: ((key: K, value: T)) -> Bool) -> (key: K, value: T)? {
    typed(K.self, T.self).first(where: predicate)
  }

  private func typed<K: Hashable, T>(_: K.Type, _: T.Type) -> some Sequence<(key: K, value: T)> {
    entries.snapshot.lazy.compactMap { entry -> (key: K, value: T)? in
      guard let key = entry.key as? K, let value = entry.value as? T else { return nil }
      return (key, value)
    }
  }

  /// A snapshot of all entries; objects are shared, not copied.
  ///
  /// ```swift
  /// let dictionary = TSDictionary()
  /// dictionary["a"] = 1
  /// print(dictionary.refCopyDict().count)  // 1
  /// ```
  public func refCopyDict() -> [AnyHashable: Any] { entries.snapshot }

  /// A snapshot of all values, in no particular order; objects are shared, not copied.
  public var values: [Any] { entries.values }
}

// SAFETY: the only property does not change and locks for itself; that values may be shared is the caller's promise, as in
// the article.
extension TSDictionary: @unchecked Sendable {}
