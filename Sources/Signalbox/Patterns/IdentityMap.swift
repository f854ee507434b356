// IdentityMap.swift: one object for each identifier, found by all threads; and how those wait that come while one
// thread makes it.
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// A map from identifiers to objects that makes sure that there is only one object for each identifier.
///
///     let people = IdentityMap<Int, Person>(label: "people")
///     let ada = try people.objectOrInsert(forID: 1) { try load(1) }  // loaded once, whoever asks at the same time
///
/// Thread safety: every member may be used from any thread and is atomic. Memory: adding an object happens before the reads
/// that find it.
public final class IdentityMap<ID: Hashable, Object> {
  private enum Entry {
    case there(Object)
    case making(Making)
  }
  private enum Claim {
    case there(Object)
    case others(Making)
    case mine(Making)
  }

  private let entries: SynchronizedDictionary<ID, Entry>

  /// Creates an empty map.
  ///
  /// ```swift
  /// let numbers = IdentityMap<Int, String>(label: "numbers")
  /// print(numbers.objectOrInsert(forID: 1) { "one" })  // one
  /// ```
  ///
  /// - Parameter label: the name in messages; if empty, the address is shown.
  public init(label: String = "") { entries = SynchronizedDictionary(label: label) }

  // MARK: reading

  /// The object for `id`; nil if there is none, or while it is being made.
  ///
  /// ```swift
  /// let names = IdentityMap<Int, String>()
  /// print(names.object(forID: 7) ?? "unknown")  // unknown
  /// ```
  public func object(forID id: ID) -> Object? {
    if case .there(let object)? = entries[id] { object } else { nil }
  }

  /// The same as `object(forID:)`; the article uses both names.
  ///
  /// ```swift
  /// let names = IdentityMap<Int, String>()
  /// print(names.object(withID: 7) ?? "unknown")  // unknown
  /// ```
  public func object(withID id: ID) -> Object? { object(forID: id) }

  /// A snapshot of all objects, in no particular order.
  public var objects: [Object] {
    entries.values.compactMap { if case .there(let object) = $0 { object } else { nil } }
  }

  /// The number of objects.
  public var count: Int { objects.count }

  // MARK: changing

  /// Sets the object for `id`.
  ///
  /// ```swift
  /// let names = IdentityMap<Int, String>()
  /// names.setObject("seven", forID: 7)
  /// print(names.count)  // 1
  /// ```
  ///
  /// - Returns: the old object for `id`, which is no longer in the map; nil if there was none.
  @discardableResult public func setObject(_ object: Object, forID id: ID) -> Object? {
    if case .there(let old)? = entries.updateValue(.there(object), forKey: id) { old } else { nil }
  }

  /// Removes the object for `id`.
  ///
  /// ```swift
  /// let names = IdentityMap<Int, String>()
  /// names.setObject("seven", forID: 7)
  /// print(names.removeObject(forID: 7) ?? "", names.count)  // seven 0
  /// ```
  ///
  /// - Returns: the removed object; nil if there was none.
  @discardableResult public func removeObject(forID id: ID) -> Object? {
    entries.withLock { entries in
      guard case .there(let object)? = entries[id] else { return nil }
      entries[id] = nil
      return object
    }
  }

  /// The object for `id`. If there is none, `make` is called and its result becomes the object.
  ///
  /// If several threads ask for the same identifier, one of them makes the object and the others wait for it; other identifiers
  /// are not blocked. `make` may use the map, but it stops the program if it asks for `id` itself, and so do threads that wait
  /// for each other's objects in a cycle. If `make` throws, one of the waiting threads makes the object. If an object is added
  /// meanwhile, it stays and is returned.
  ///
  /// ```swift
  /// let names = IdentityMap<Int, String>()
  /// print(names.objectOrInsert(forID: 7) { "seven" })  // seven: made once
  /// ```
  public func objectOrInsert<E: Error>(forID id: ID, _ make: () throws(E) -> Object) throws(E) -> Object {
    while true {
      switch claim(id) {
      case .there(let object): return object
      case .others(let making):
        making.stopIfMine(entries.lock.label, id)
        making.wait()
      case .mine(let making):
        defer { making.finish() }
        do throws(E) { return settle(id, try make()) } catch {
          abandon(id, making)
          throw error
        }
      }
    }
  }

  private func claim(_ id: ID) -> Claim {
    entries.withLock { entries in
      switch entries[id] {
      case .there(let object)?: return .there(object)
      case .making(let making)?: return .others(making)
      case nil:
        let making = Making()
        entries[id] = .making(making)
        return .mine(making)
      }
    }
  }

  private func settle(_ id: ID, _ object: Object) -> Object {
    entries.withLock { entries in
      if case .there(let other)? = entries[id] { return other }
      entries[id] = .there(object)
      return object
    }
  }

  private func abandon(_ id: ID, _ making: Making) {
    entries.withLock { entries in
      if case .making(let other)? = entries[id], other === making { entries[id] = nil }
    }
  }
}

extension IdentityMap where Object: Identifiable, Object.ID == ID {
  /// Sets `object` as the object for its identifier.
  ///
  /// ```swift
  /// final class User: Identifiable, Sendable {
  ///   let id: Int
  ///   init(id: Int) { self.id = id }
  /// }
  /// let users = IdentityMap<Int, User>()
  /// users.addObject(User(id: 7))
  /// print(users.object(forID: 7)?.id ?? 0)  // 7
  /// ```
  ///
  /// - Returns: the old object, which is no longer in the map; nil if there was none.
  @discardableResult public func addObject(_ object: Object) -> Object? { setObject(object, forID: object.id) }

  /// The object for the identifier of `object`. If there is none, `object` itself is added and returned.
  ///
  /// ```swift
  /// final class User: Identifiable, Sendable {
  ///   let id: Int
  ///   init(id: Int) { self.id = id }
  /// }
  /// let users = IdentityMap<Int, User>(), first = users.objectOrInsert(User(id: 7))
  /// print(users.objectOrInsert(User(id: 7)) === first)  // true
  /// ```
  public func objectOrInsert(_ object: Object) -> Object { objectOrInsert(forID: object.id) { object } }
}

// SAFETY: the only property does not change and locks for itself; what goes in and comes out may be sent.
extension IdentityMap: @unchecked Sendable where ID: Sendable, Object: Sendable {}

// MARK: an object while one thread makes it: whose it is, and how the others wait

/// One making. The word: 0 under way, 1 under way and a thread may sleep, 2 over.
final class Making: Sendable {
  private let word = Atomic32(0)
  private let owner = ThreadSlot.owner()

  /// The making thread is through, whatever came of it.
  func finish() {
    // release M1: what the maker stored in the map is visible to the threads whose wait this ends (M2).
    if word.exchangeAcqRel(2) == 1 { word.wake(count: .max) }
  }

  /// The calling thread must not wait for itself.
  func stopIfMine<ID>(_ label: String, _ id: ID) {
    guard owner == ThreadSlot.owner() else { return }
    Misuse.stop(
      "identity map \"\(label)\": making the object of \(id) asks the map for the object of \(id), so it would wait for itself "
        + "forever; make the object without asking for it")
  }

  /// Returns when the making is over. A cycle of makings that wait for one another is reported.
  func wait() {
    guard announce() else { return }
    let address = withUnsafePointer(to: word) { UInt(bitPattern: $0) }
    Waiting.begin(
      .once, object: address, isTimed: false, park: (address, 1), OwnerWords(OwnerWord(UInt(owner), .thread)))
    defer { WaitRecord.withdraw() }
    var inversion = InversionHook.Wait()
    inversion.isBehind(owner)
    BlockingHook.around(longWait: true) {
      // acquire M2: pairs with M1.
      while word.loadAcquire() != 2 { word.park(expected: 1) }
    }
  }

  /// Says that a thread sleeps; false if the making is over.
  private func announce() -> Bool {
    // acquire M2: pairs with M1; the word only ever grows, so anything but 0 is 1 or 2.
    let swap = word.casAcquire(0, 1)
    return swap.exchanged || swap.original == 1
  }
}
