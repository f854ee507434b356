// SynchronizedDictionary.swift: a dictionary that threads share: what touches one key or the count. Whole contents, loops and
// bodies under the lock are SynchronizedDictionary+Whole.swift.

/// A dictionary that several threads may read and write at the same time; every operation is atomic.
///
/// Loops do not block readers or writers: `for`, `map`, `filter`, `first(where:)` and the rest of `Sequence` work on a snapshot
/// taken in O(1). They hold no lock and may use the dictionary. Keys are hashed and compared under the lock: their `==` and
/// `hash(into:)` must not use the dictionary, or the program is stopped.
///
///     let counts = SynchronizedDictionary<String, Int>()
///     counts[word, default: 0] += 1                       // atomic: no update is lost
///     let last = counts.removeValue(forKey: "the")        // the value that was there
///
/// Thread safety: every member may be used from any thread. Memory: a write happens before the reads that see it.
///
/// ```swift
/// let sizes = SynchronizedDictionary<String, Int>(label: "sizes")
/// let size = sizes.value(forKey: "a.txt") { 12 }
/// print(size)  // 12: made once, whichever thread asks first
/// ```
public final class SynchronizedDictionary<Key: Hashable, Value> {
  @usableFromInline let lock: CollectionLock
  // SAFETY of the missing exclusivity check: touched only under `lock`, which its holder cannot enter again.
  @exclusivity(unchecked) @usableFromInline var entries: [Key: Value]

  /// Creates a dictionary with `entries`.
  ///
  /// ```swift
  /// let ports = SynchronizedDictionary(["http": 80, "https": 443], label: "ports")
  /// print(ports.update(forKey: "http") { $0 += 8_000 } != nil)  // true
  /// ```
  ///
  /// - Parameter entries: the first entries.
  /// - Parameter label: the name in messages; if empty, the address is shown.
  public init(_ entries: [Key: Value] = [:], label: String = "") {
    lock = CollectionLock("synchronized dictionary", label: label)
    self.entries = entries
    lock.isMade()
  }
  deinit { lock.isGone() }

  /// The label given at creation.
  public final var label: String { lock.label }

  // MARK: reading

  /// The number of entries.
  @inlinable public var count: Int { lock.around { entries.count } }
  /// Whether there are no entries.
  @inlinable public var isEmpty: Bool { lock.around { entries.isEmpty } }
  /// Whether there is a value for `key`.
  ///
  /// ```swift
  /// let ports = SynchronizedDictionary(["http": 80])
  /// print(ports.contains(key: "http"))  // true
  /// ```
  ///
  /// - Complexity: O(1) on average.
  @inlinable public func contains(key: Key) -> Bool { lock.around { entries.index(forKey: key) != nil } }

  /// The value for `key`; nil if there is none. Setting nil removes the entry.
  ///
  /// Compound assignment is atomic: `dictionary["a"]? += 1` loses no update. A value overwritten this way is released under the
  /// lock.
  ///
  /// ```swift
  /// let ports = SynchronizedDictionary(["http": 80])
  /// ports["https"] = 443
  /// print(ports["https"] ?? 0)  // 443
  /// ```
  @inlinable public subscript(key: Key) -> Value? {
    get { lock.around { entries[key] } }
    set { if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) } }
    _modify {
      lock.enter()
      defer { lock.leave() }
      yield &entries[key]
    }
  }

  /// The value for `key`, or `value` if there is none; changing it adds the entry. Compound assignment is atomic:
  /// `dictionary["a", default: 0] += 1` loses no update. In it, `value` is evaluated under the lock.
  ///
  /// ```swift
  /// let counts = SynchronizedDictionary<String, Int>()
  /// for word in ["a", "b", "a"] { counts[word, default: 0] += 1 }
  /// print(counts["a"] ?? 0)  // 2
  /// ```
  @inlinable public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get { lock.around { entries[key] } ?? value() }
    _modify {
      lock.enter()
      defer { lock.leave() }
      yield &entries[key, default: value()]
    }
  }

  // MARK: changing

  /// Sets the value for `key`.
  ///
  /// ```swift
  /// let ports = SynchronizedDictionary(["http": 80])
  /// print(ports.updateValue(8_080, forKey: "http") ?? 0)  // 80
  /// ```
  ///
  /// - Returns: the old value; nil if there was none.
  @inlinable @discardableResult public func updateValue(_ value: Value, forKey key: Key) -> Value? {
    lock.around { entries.updateValue(value, forKey: key) }
  }

  /// Removes the entry for `key`.
  ///
  /// ```swift
  /// let ports = SynchronizedDictionary(["http": 80])
  /// print(ports.removeValue(forKey: "http") ?? 0, ports.isEmpty)  // 80 true
  /// ```
  ///
  /// - Returns: the removed value; nil if there was none.
  @inlinable @discardableResult public func removeValue(forKey key: Key) -> Value? {
    lock.around { entries.removeValue(forKey: key) }
  }

  /// Changes the value for `key` in place, atomically.
  ///
  /// `body` runs under the lock: other threads wait for it, and it must not use this dictionary, or the program is stopped.
  /// Changes that it makes before it throws are kept.
  ///
  /// ```swift
  /// let counts = SynchronizedDictionary(["a": 1])
  /// counts.update(forKey: "a") { $0 += 1 }
  /// print(counts["a"] ?? 0)  // 2
  /// ```
  ///
  /// - Returns: the result of `body`; nil, without running `body`, if there is no value for `key`.
  /// - Complexity: O(1) on average, beside the cost of `body`; O(n) once after a snapshot was taken.
  @inlinable @inline(__always) @discardableResult
  public func update<R, E: Error>(forKey key: Key, _ body: (inout Value) throws(E) -> R) throws(E) -> R? {
    lock.enter()
    defer { lock.leave() }
    guard let index = entries.index(forKey: key) else { return nil }
    return try body(&entries.values[index])
  }

  /// Changes the value for `key` in place, atomically. A missing value starts as `value`, which is evaluated under the lock.
  ///
  /// For `body`, see `update(forKey:_:)`; the entry is added even if it throws.
  ///
  /// ```swift
  /// let words = SynchronizedDictionary<Int, [String]>()
  /// words.update(forKey: 3, default: []) { $0.append("one") }
  /// print(words[3] ?? [])  // ["one"]
  /// ```
  ///
  /// - Returns: the result of `body`.
  /// - Complexity: O(1) on average, beside the cost of `body`; O(n) once after a snapshot was taken.
  @inlinable @discardableResult
  public func update<R: ~Copyable, E: Error>(
    forKey key: Key, default value: @autoclosure () -> Value, _ body: (inout Value) throws(E) -> R
  ) throws(E) -> R {
    try lock.around { () throws(E) -> R in try body(&entries[key, default: value()]) }
  }

  /// The value for `key`. If there is none, `make` is called and its result becomes the value. If several threads ask at the
  /// same time, only one of them calls `make`.
  ///
  /// `make` runs under the lock and must not use this dictionary, or the program is stopped. If it throws, nothing has changed.
  ///
  /// ```swift
  /// let sizes = SynchronizedDictionary<String, Int>()
  /// print(sizes.value(forKey: "a.txt") { 12 })  // 12
  /// ```
  @inlinable
  public func value<E: Error>(forKey key: Key, orInsert make: () throws(E) -> Value) throws(E) -> Value {
    try lock.around { () throws(E) -> Value in
      if let value = entries[key] { return value }
      let value = try make()
      entries[key] = value
      return value
    }
  }
}

// SAFETY: all state is touched only under `lock`; what goes in and comes out may be sent.
extension SynchronizedDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
