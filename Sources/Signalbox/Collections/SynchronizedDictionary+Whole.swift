// SynchronizedDictionary+Whole.swift: the dictionary as a whole: copies, loops over them, merging, and bodies under the lock.

extension SynchronizedDictionary {
  /// A snapshot of all entries. The copy is O(1): storage is shared until either side is written to.
  @inlinable public var snapshot: [Key: Value] { lock.around { entries } }
  /// A snapshot of all keys, in no particular order.
  @inlinable public var keys: [Key] { Array(snapshot.keys) }
  /// A snapshot of all values, in no particular order.
  @inlinable public var values: [Value] { Array(snapshot.values) }

  /// A new synchronized dictionary with the same entries; objects are shared, not copied.
  ///
  /// ```swift
  /// let ports = SynchronizedDictionary(["http": 80]), other = ports.copy()
  /// other["https"] = 443
  /// print(ports.count, other.count)  // 1 2
  /// ```
  public func copy() -> SynchronizedDictionary { SynchronizedDictionary(snapshot, label: label) }

  /// Runs `body` with exclusive access to all entries.
  ///
  /// `body` runs under the lock: other threads wait for it, and it must not use this dictionary, or the program is stopped.
  /// Changes that it makes before it throws are kept. Values that it overwrites are released under the lock.
  ///
  /// ```swift
  /// let balances = SynchronizedDictionary(["ann": 100, "bob": 0])
  /// balances.withLock { all in
  ///   all["ann", default: 0] -= 30
  ///   all["bob", default: 0] += 30  // other threads see both changes, or none
  /// }
  /// print(balances["bob"] ?? 0)  // 30
  /// ```
  @inlinable
  public func withLock<R: ~Copyable, E: Error>(_ body: (inout [Key: Value]) throws(E) -> R) throws(E) -> R {
    try lock.around { () throws(E) -> R in try body(&entries) }
  }

  /// Replaces all entries atomically.
  ///
  /// ```swift
  /// let ports = SynchronizedDictionary(["http": 80])
  /// print(ports.replaceAll(with: ["https": 443]), ports.keys)  // ["http": 80] ["https"]
  /// ```
  ///
  /// - Returns: the old entries.
  @inlinable @discardableResult public func replaceAll(with newEntries: [Key: Value]) -> [Key: Value] {
    var other = newEntries
    lock.around { swap(&entries, &other) }
    return other
  }

  /// Removes all entries.
  ///
  /// ```swift
  /// let ports = SynchronizedDictionary(["http": 80])
  /// print(ports.removeAll(), ports.isEmpty)  // ["http": 80] true
  /// ```
  ///
  /// - Returns: the removed entries.
  /// - Complexity: O(n).
  @inlinable @discardableResult public func removeAll() -> [Key: Value] { replaceAll(with: [:]) }

  /// Adds `others` atomically; for keys in both, the new value wins.
  ///
  /// ```swift
  /// let ports = SynchronizedDictionary(["http": 80])
  /// ports.merge(["http": 8_080, "https": 443])
  /// print(ports["http"] ?? 0, ports.count)  // 8080 2
  /// ```
  ///
  /// - Complexity: O(m) on average for m new entries.
  @inlinable public func merge(_ others: [Key: Value]) { merge(others) { _, new in new } }

  /// Adds `others` atomically. If `filter` throws, nothing is added.
  ///
  /// ```swift
  /// let counts = SynchronizedDictionary(["a": 1])
  /// counts.merge(["a": 2, "b": 3]) { old, new in old + new }
  /// print(counts["a"] ?? 0, counts["b"] ?? 0)  // 3 3
  /// ```
  ///
  /// - Parameter others: the entries to add.
  /// - Parameter filter: called with the old and the new value of each key in both; returns the value to keep. It runs under
  ///   the lock and must not use this dictionary, or the program is stopped.
  /// - Complexity: O(m) on average for m new entries, beside the cost of `filter`.
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

  /// Removes the entries for which `shouldBeRemoved` returns true, atomically. If it throws, nothing is removed.
  ///
  /// `shouldBeRemoved` runs under the lock and must not use this dictionary, or the program is stopped.
  ///
  /// ```swift
  /// let ages = SynchronizedDictionary(["ann": 17, "bob": 40])
  /// print(ages.removeAll { $0.value < 18 }, ages.keys)  // 1 ["bob"]
  /// ```
  ///
  /// - Returns: the number of removed entries.
  /// - Complexity: O(n).
  @inlinable @discardableResult
  public func removeAll<E: Error>(where shouldBeRemoved: (Element) throws(E) -> Bool) throws(E) -> Int {
    var kept: [Key: Value] = [:]  // after the swap the old entries, destroyed when the lock is free
    return try lock.around { () throws(E) -> Int in
      for entry in entries where try !shouldBeRemoved(entry) { kept[entry.key] = entry.value }
      swap(&entries, &kept)
      return kept.count - entries.count
    }
  }

  /// The entries for which `isIncluded` returns true; it runs without the lock, on a snapshot.
  ///
  /// ```swift
  /// let ages = SynchronizedDictionary(["ann": 17, "bob": 40])
  /// print(ages.filter { $0.value >= 18 })  // ["bob": 40]
  /// ```
  ///
  /// - Complexity: O(n); the snapshot is O(1).
  @inlinable public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> [Key: Value] {
    try snapshot.filter(isIncluded)
  }

  /// The entries with transformed values; `transform` runs without the lock, on a snapshot.
  ///
  /// ```swift
  /// let sizes = SynchronizedDictionary(["a": 1])
  /// print(sizes.mapValues { $0 * 1_024 })  // ["a": 1024]
  /// ```
  @inlinable public func mapValues<T>(_ transform: (Value) throws -> T) rethrows -> [Key: T] {
    try snapshot.mapValues(transform)
  }

  /// Like `mapValues`, but without the entries for which `transform` returns nil.
  ///
  /// ```swift
  /// let texts = SynchronizedDictionary(["a": "1", "b": "?"])
  /// print(texts.compactMapValues { Int($0) })  // ["a": 1]
  /// ```
  @inlinable public func compactMapValues<T>(_ transform: (Value) throws -> T?) rethrows -> [Key: T] {
    try snapshot.compactMapValues(transform)
  }
}

// No underestimatedCount: it would be asked in another step than the copy is made, and be too high by then.
extension SynchronizedDictionary: Sequence {
  /// A key and its value.
  public typealias Element = (key: Key, value: Value)
  /// Iterates over a snapshot of the entries; later changes do not affect it.
  ///
  /// ```swift
  /// let ports = SynchronizedDictionary(["http": 80])
  /// for (name, port) in ports { ports[name] = port + 1 }  // the loop has one round
  /// print(ports["http"] ?? 0)  // 81
  /// ```
  @inlinable public func makeIterator() -> Dictionary<Key, Value>.Iterator { snapshot.makeIterator() }
}

extension SynchronizedDictionary: CustomStringConvertible {
  /// The entries, formatted as those of a dictionary.
  public var description: String { snapshot.description }
}
