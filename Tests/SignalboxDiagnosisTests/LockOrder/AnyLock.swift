// AnyLock.swift: a lock of every type of ours behind one face, for the tests of what instruments see of them.
import Signalbox
import SignalboxLocks
import SignalboxSystem

/// A lock as the tests use it, whatever its type.
struct AnyLock: Sendable {
  /// What reports call it, as far as that does not hang on addresses.
  let name: String
  let with: @Sendable (() -> Void) -> Void
  /// Whether it was free.
  let tryWith: (@Sendable (() -> Void) -> Bool)?

  init(
    _ name: String, _ with: @escaping @Sendable (() -> Void) -> Void,
    tryWith: (@Sendable (() -> Void) -> Bool)? = nil
  ) {
    (self.name, self.with, self.tryWith) = (name, with, tryWith)
  }
}

/// A value without a place of its own, in an object.
final class Holder<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}

/// Memory for a lock that is a plain word.
final class Word<Value>: @unchecked Sendable {
  // SAFETY: touched by the lock's functions only.
  let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  init(_ value: Value) { pointer.initialize(to: value) }
  deinit { pointer.deallocate() }
}

final class Account: Sendable {}

func underWord(_ word: Word<os_unfair_lock>, _ body: () -> Void) {
  os_unfair_lock_lock(word.pointer)
  body()
  os_unfair_lock_unlock(word.pointer)
}

extension AnyLock {
  static func mutex(_ kind: MutexLock.Kind, _ noun: String, _ name: String?) -> AnyLock {
    let lock = MutexLock(kind: kind, name: name)
    return AnyLock(name.map { "\(noun) \"\($0)\"" } ?? "\(noun) made in ") { body in
      lock.lock()
      body()
      lock.unlock()
    } tryWith: { body in
      guard lock.tryLock() else { return false }
      body()
      lock.unlock()
      return true
    }
  }

  static func unfair() -> AnyLock {
    let lock = OSAllocatedUnfairLock()
    return AnyLock("unfair lock made in ") { body in
      lock.lock()
      body()
      lock.unlock()
    } tryWith: { body in
      guard lock.lockIfAvailable() else { return false }
      body()
      lock.unlock()
      return true
    }
  }

  static func unfairWord() -> AnyLock {
    let word = Word(os_unfair_lock())
    return AnyLock("unfair lock 0x") { body in
      underWord(word, body)
    } tryWith: { body in
      guard os_unfair_lock_trylock(word.pointer) else { return false }
      body()
      os_unfair_lock_unlock(word.pointer)
      return true
    }
  }

  static func writer(_ name: String?) -> AnyLock {
    let lock = ReaderWriterLock(name: name)
    return AnyLock(name.map { "reader-writer lock \"\($0)\"" } ?? "reader-writer lock made in ") { body in
      lock.writeLock()
      body()
      lock.writeUnlock()
    } tryWith: { body in
      guard lock.tryWriteLock() else { return false }
      body()
      lock.writeUnlock()
      return true
    }
  }

  static func condition() -> AnyLock {
    let condition = Holder(ConditionVariable())
    return AnyLock("condition 0x") { body in condition.value.withLock { body() } }
  }

  static func object() -> AnyLock {
    let account = Account()
    return AnyLock("object lock 0x") { body in synchronized(account) { body() } }
  }

  static func aClass() -> AnyLock {
    AnyLock("object lock 0x") { body in
      objc_sync_enter(Account.self)
      body()
      objc_sync_exit(Account.self)
    }
  }

  static func array(_ label: String) -> AnyLock {
    let array = SynchronizedArray([1], label: label)
    return AnyLock(label.isEmpty ? "mutex made in " : "mutex \"\(label)\"") { body in array.withLock { _ in body() } }
  }

  static func dictionary(_ label: String) -> AnyLock {
    let dictionary = SynchronizedDictionary([1: 1], label: label)
    return AnyLock(label.isEmpty ? "mutex made in " : "mutex \"\(label)\"") { body in dictionary.withLock { _ in body() } }
  }

  static func all() -> [AnyLock] {
    [
      mutex(.normal, "mutex", "m"), mutex(.normal, "mutex", nil), mutex(.errorCheck, "error-checking mutex", "e"),
      mutex(.recursive, "recursive mutex", "r"), unfair(), unfairWord(), writer("w"), writer(nil), condition(), object(),
      aClass(), array("list"), array(""), dictionary("map"), dictionary(""),
    ]
  }
}
