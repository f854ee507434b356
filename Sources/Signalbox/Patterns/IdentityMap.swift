// IdentityMap.swift: one object for each identifier, found by all threads. Who waits while it is being made is Making.swift.
import SignalboxSystem

/// A map from identifiers to objects, so that whoever asks for one identifier gets one and the same object.
///
///     let people = IdentityMap<Int, Person>(label: "people")
///     let ada = try people.objectOrInsert(forID: 1) { try load(1) }  // loaded once, whoever asks at the same time
///
/// Thread safety: every member may be used from any thread; each is one step. Memory: adding an object happens before the reads
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
  /// - Parameter label: what messages call it; its address if empty.
  public init(label: String = "") { entries = SynchronizedDictionary(label: label) }

  // MARK: reading

  /// The object of `id`; nil if there is none, or while it is being made.
  public func object(forID id: ID) -> Object? {
    if case .there(let object)? = entries[id] { object } else { nil }
  }

  /// As `object(forID:)`; the article has both names.
  public func object(withID id: ID) -> Object? { object(forID: id) }

  /// All objects at this moment, in no particular order.
  public var objects: [Object] {
    entries.values.compactMap { if case .there(let object) = $0 { object } else { nil } }
  }

  /// How many objects there are at this moment.
  public var count: Int { objects.count }

  // MARK: changing

  /// Makes `object` the object of `id`.
  /// - Returns: the object that `id` had, which is in the map no more; nil if it had none.
  @discardableResult public func setObject(_ object: Object, forID id: ID) -> Object? {
    if case .there(let old)? = entries.updateValue(.there(object), forKey: id) { old } else { nil }
  }

  /// Takes out the object of `id`.
  /// - Returns: that object; nil if there was none.
  @discardableResult public func removeObject(forID id: ID) -> Object? {
    entries.withLock { entries in
      guard case .there(let object)? = entries[id] else { return nil }
      entries[id] = nil
      return object
    }
  }

  /// The object of `id`; if there is none, the one that `make` returns, which is the object of `id` from then on.
  ///
  /// Of several threads that ask for one identifier one makes its object and the others wait for it; other identifiers are free
  /// meanwhile. `make` may use the map, but asking for `id` itself stops the program, and so do threads that wait for one another's
  /// objects in a circle. If `make` throws, one of those who wait makes the object. An object added meanwhile stays, and is
  /// returned.
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
  /// Makes `object` the object of its identifier.
  /// - Returns: the object that the identifier had, which is in the map no more; nil if it had none.
  @discardableResult public func addObject(_ object: Object) -> Object? { setObject(object, forID: object.id) }

  /// The object of the identifier of `object`; if there is none, `object` itself, which is in the map from then on.
  public func objectOrInsert(_ object: Object) -> Object { objectOrInsert(forID: object.id) { object } }
}

// SAFETY: the only property does not change and locks for itself; what goes in and comes out may be sent.
extension IdentityMap: @unchecked Sendable where ID: Sendable, Object: Sendable {}
