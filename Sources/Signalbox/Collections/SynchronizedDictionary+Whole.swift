// SynchronizedDictionary+Whole.swift: the dictionary as a whole: copies, loops over them, merging, and bodies under the lock.

extension SynchronizedDictionary {
  /// All entries at this moment; the copy is O(1), shared until one of the two is written.
  @inlinable public var snapshot: [Key: Value] { lock.around { entries } }
  /// All keys at this moment, in no particular order.
  @inlinable public var keys: [Key] { Array(snapshot.keys) }
  /// All values at this moment, in no particular order.
  @inlinable public var values: [Value] { Array(snapshot.values) }

  /// A new dictionary of the same entries; objects are shared, not copied.
  public func copy() -> SynchronizedDictionary { SynchronizedDictionary(snapshot, label: label) }

  /// Runs `body` with all entries, in one step: nobody reads or writes them meanwhile.
  ///
  /// `body` runs under the lock: it must not use this dictionary (the program is stopped), and other threads wait for it. What
  /// it has changed before it throws stays changed. A value that it overwrites is destroyed under the lock.
  @inlinable
  public func withLock<R: ~Copyable, E: Error>(_ body: (inout [Key: Value]) throws(E) -> R) throws(E) -> R {
    try lock.around { () throws(E) -> R in try body(&entries) }
  }

  /// Puts `newEntries` in the place of all there are, in one step.
  /// - Returns: the old entries.
  @inlinable @discardableResult public func replaceAll(with newEntries: [Key: Value]) -> [Key: Value] {
    var other = newEntries
    lock.around { swap(&entries, &other) }
    return other
  }

  /// Takes out all entries.
  /// - Returns: those entries.
  @inlinable @discardableResult public func removeAll() -> [Key: Value] { replaceAll(with: [:]) }

  /// Adds `others`, in one step; their values win.
  @inlinable public func merge(_ others: [Key: Value]) { merge(others) { _, new in new } }

  /// Adds `others`, in one step: all of them, or none if `filter` throws.
  ///
  /// - Parameter filter: called with the old and the new value of a key that both have; returns the value to keep. It runs
  ///   under the lock and must not use this dictionary (the program is stopped).
  @inlinable
  public func merge<E: Error>(
    _ others: [Key: Value], filter: (_ old: Value, _ new: Value) throws(E) -> Value
  ) throws(E) {
    var merged: [Key: Value] = [:]  // after the swap the old entries, destroyed when the lock is free
    try lock.around { () throws(E) in
      merged = entries
      for (key, new) in others { merged[key] = try merged[key].map { old throws(E) in try filter(old, new) } ?? new }
      swap(&entries, &merged)
    }
  }

  /// Takes out the entries of which `shouldBeRemoved` is true, in one step: all of them, or none if it throws.
  ///
  /// `shouldBeRemoved` runs under the lock and must not use this dictionary (the program is stopped).
  /// - Returns: how many were taken out.
  @inlinable @discardableResult
  public func removeAll<E: Error>(where shouldBeRemoved: (Element) throws(E) -> Bool) throws(E) -> Int {
    var kept: [Key: Value] = [:]  // after the swap the old entries, destroyed when the lock is free
    return try lock.around { () throws(E) -> Int in
      for entry in entries where try !shouldBeRemoved(entry) { kept[entry.key] = entry.value }
      swap(&entries, &kept)
      return kept.count - entries.count
    }
  }

  /// The entries of which `isIncluded` is true at this moment; it runs without the lock, over a copy.
  @inlinable public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> [Key: Value] {
    try snapshot.filter(isIncluded)
  }

  /// The entries at this moment with their values changed; `transform` runs without the lock, over a copy.
  @inlinable public func mapValues<T>(_ transform: (Value) throws -> T) rethrows -> [Key: T] {
    try snapshot.mapValues(transform)
  }

  /// As `mapValues`, without the entries for which `transform` returns nil.
  @inlinable public func compactMapValues<T>(_ transform: (Value) throws -> T?) rethrows -> [Key: T] {
    try snapshot.compactMapValues(transform)
  }
}

// No underestimatedCount: it would be asked in another step than the copy is made, and be too high by then.
extension SynchronizedDictionary: Sequence {
  /// A key and its value.
  public typealias Element = (key: Key, value: Value)
  /// Goes over the entries that are there now; later changes do not disturb it.
  @inlinable public func makeIterator() -> Dictionary<Key, Value>.Iterator { snapshot.makeIterator() }
}

extension SynchronizedDictionary: CustomStringConvertible {
  /// The entries at this moment, as a dictionary is described.
  public var description: String { snapshot.description }
}
