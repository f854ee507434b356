// SynchronizedDictionary.swift: a dictionary that threads share: what touches one key or the count. Whole contents, loops and
// bodies under the lock are SynchronizedDictionary+Whole.swift.

/// A dictionary that threads may read and write at the same time; every operation is one step.
///
/// Reading never waits for a loop: `for`, `map`, `filter`, `first(where:)` and whatever else `Sequence` offers run over a copy
/// taken in O(1) when they begin, hold no lock, and may use the dictionary. Keys are hashed and compared under the lock: `==`
/// and `hash(into:)` must not use the dictionary (the program is stopped).
///
///     let counts = SynchronizedDictionary<String, Int>()
///     counts[word, default: 0] += 1                       // one step: no addition is lost
///     let last = counts.removeValue(forKey: "the")        // the value that was there
///
/// Thread safety: every member may be used from any thread. Memory: a write happens before the reads that see it.
public final class SynchronizedDictionary<Key: Hashable, Value> {
  @usableFromInline let lock: CollectionLock
  // SAFETY of the missing exclusivity check: touched only under `lock`, which its holder cannot enter again.
  @exclusivity(unchecked) @usableFromInline var entries: [Key: Value]

  /// Creates a dictionary of `entries`.
  /// - Parameter label: what messages call it; its address if empty.
  public init(_ entries: [Key: Value] = [:], label: String = "") {
    lock = CollectionLock("synchronized dictionary", label: label)
    self.entries = entries
    lock.isMade()
  }
  deinit { lock.isGone() }

  /// The label given at creation.
  public final var label: String { lock.label }

  // MARK: reading

  /// How many entries there are at this moment.
  @inlinable public var count: Int { lock.around { entries.count } }
  /// Whether there are none at this moment.
  @inlinable public var isEmpty: Bool { lock.around { entries.isEmpty } }
  /// Whether `key` has a value at this moment.
  @inlinable public func contains(key: Key) -> Bool { lock.around { entries.index(forKey: key) != nil } }

  /// The value of `key`; nil if there is none. Setting nil takes the entry out.
  ///
  /// Compound assignment is one step: `dictionary["a"]? += 1` loses no addition. What it overwrites in place is destroyed under
  /// the lock.
  @inlinable public subscript(key: Key) -> Value? {
    get { lock.around { entries[key] } }
    set { if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) } }
    _modify {
      lock.enter()
      defer { lock.leave() }
      yield &entries[key]
    }
  }

  /// The value of `key`, or `value` if there is none; changing it makes the entry. Compound assignment is one step:
  /// `dictionary["a", default: 0] += 1` loses no addition; there `value` is computed under the lock.
  @inlinable public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get { lock.around { entries[key] } ?? value() }
    _modify {
      lock.enter()
      defer { lock.leave() }
      yield &entries[key, default: value()]
    }
  }

  // MARK: changing

  /// Gives `key` the value `value`.
  /// - Returns: the value it had; nil if it had none.
  @inlinable @discardableResult public func updateValue(_ value: Value, forKey key: Key) -> Value? {
    lock.around { entries.updateValue(value, forKey: key) }
  }

  /// Takes out the entry of `key`.
  /// - Returns: the value it had; nil if it had none.
  @inlinable @discardableResult public func removeValue(forKey key: Key) -> Value? {
    lock.around { entries.removeValue(forKey: key) }
  }

  /// Changes the value of `key` where it lies, in one step.
  ///
  /// `body` runs under the lock: it must not use this dictionary (the program is stopped), and other threads wait for it. What
  /// it has changed before it throws stays changed.
  /// - Returns: what `body` returns; nil, and `body` has not run, if `key` has no value.
  @inlinable @discardableResult
  public func update<R, E: Error>(forKey key: Key, _ body: (inout Value) throws(E) -> R) throws(E) -> R? {
    try lock.around { () throws(E) -> R? in
      guard let index = entries.index(forKey: key) else { return nil }
      return try body(&entries.values[index])
    }
  }

  /// Changes the value of `key` where it lies, in one step; a missing one begins as `value`, computed under the lock.
  ///
  /// `body` as in `update(forKey:_:)`; the entry is made even if it throws.
  /// - Returns: what `body` returns.
  @inlinable @discardableResult
  public func update<R: ~Copyable, E: Error>(
    forKey key: Key, default value: @autoclosure () -> Value, _ body: (inout Value) throws(E) -> R
  ) throws(E) -> R {
    try lock.around { () throws(E) -> R in try body(&entries[key, default: value()]) }
  }

  /// The value of `key`; if there is none, what `make` returns, which becomes the value. One step: of several threads one makes.
  ///
  /// `make` runs under the lock and must not use this dictionary (the program is stopped); if it throws, nothing has changed.
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
