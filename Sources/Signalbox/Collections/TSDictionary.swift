// TSDictionary.swift: the article's thread-safe dictionary of anything, under its own name. A typed one is
// SynchronizedDictionary.swift.

/// A dictionary of values of any type that threads may read and write at the same time; every operation is one step.
///
/// It does what the article's class of this name does, save that writing waits for its turn instead of happening later, that
/// `removeValue(forKey:)` really returns the value, and that `filter` and `first(where:)` see the entries whose key and value
/// have the types asked for. Deep copies come with SignalboxFoundation.
///
/// Thread safety: every member may be used from any thread. Objects that are values are shared by whoever has read them; that
/// they may be is not checked, because `Any` says nothing. Memory: a write happens before the reads that see it.
open class TSDictionary {
  private let entries = SynchronizedDictionary<AnyHashable, Any>(label: "SyncDictAccess")

  /// Creates an empty dictionary.
  public init() {}

  // MARK: changing

  /// Puts `newDict` in the place of all entries, in one step.
  ///
  /// - Parameter valueReplaceFilter: if given, called for each key that both have, with the value that is there and the new one:
  ///   the one that is there stays, and the filter may change it, since it is an object as a rule. Entries whose keys `newDict`
  ///   lacks go either way. It runs under the lock and must not use this dictionary (the program is stopped).
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

  /// The value of `key`; nil if there is none. Setting nil takes the entry out. Compound assignment is one step.
  public subscript(key: AnyHashable) -> Any? {
    get { entries[key] }
    set { entries[key] = newValue }
    _modify { yield &entries[key] }
  }

  /// Takes out all entries.
  public func removeAll() { entries.removeAll() }

  /// Takes out the entry of `key`.
  /// - Returns: the value it had; nil if it had none.
  @discardableResult public func removeValue(forKey key: AnyHashable) -> Any? { entries.removeValue(forKey: key) }

  // MARK: reading

  /// The entries that are a `K` with a `T` of which `isIncluded` is true; it runs without the lock.
  public func filter<K: Hashable, T>(_ isIncluded: (Dictionary<K, T>.Element) -> Bool) -> [K: T] {
    var found: [K: T] = [:]
    for entry in typed(K.self, T.self) where isIncluded(entry) { found[entry.key] = entry.value }
    return found
  }

  /// An entry that is a `K` with a `T` of which `predicate` is true; nil if there is none. `predicate` runs without the lock.
  public func first<K: Hashable, T>(where predicate: ((key: K, value: T)) -> Bool) -> (key: K, value: T)? {
    typed(K.self, T.self).first(where: predicate)
  }

  private func typed<K: Hashable, T>(_: K.Type, _: T.Type) -> some Sequence<(key: K, value: T)> {
    entries.snapshot.lazy.compactMap { entry -> (key: K, value: T)? in
      guard let key = entry.key as? K, let value = entry.value as? T else { return nil }
      return (key, value)
    }
  }

  /// All entries at this moment; objects are shared, not copied.
  public func refCopyDict() -> [AnyHashable: Any] { entries.snapshot }

  /// All values at this moment, in no particular order; objects are shared, not copied.
  public var values: [Any] { entries.values }
}

// SAFETY: the only property does not change and locks for itself; that values may be shared is the caller's promise, as in
// the article.
extension TSDictionary: @unchecked Sendable {}
