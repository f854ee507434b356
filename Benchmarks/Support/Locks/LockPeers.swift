// LockPeers.swift: the locks that belong to neither library: glibc's mutex in its kinds, its other locks, and Swift's Mutex.
import Glibc
import Synchronization

// SAFETY: the C library's locks are made for concurrent use; the storage lives until the last reference is gone.
/// A block of memory that holds one of the C library's locks.
public final class LockStorage<Value>: @unchecked Sendable {
  /// Where it is.
  public let address: UnsafeMutablePointer<Value>
  private let destroy: (UnsafeMutablePointer<Value>) -> Void

  init(_ value: Value, prepare: (UnsafeMutablePointer<Value>) -> Void, destroy: @escaping (UnsafeMutablePointer<Value>) -> Void)
  {
    address = .allocate(capacity: 1)
    address.initialize(to: value)
    self.destroy = destroy
    prepare(address)
  }

  deinit {
    destroy(address)
    address.deallocate()
  }
}

/// glibc's mutex.
public struct GlibcMutex: BenchLock {
  /// What the C library calls its kinds.
  public enum Kind: Sendable {
    /// The default: sleeps at once.
    case normal
    /// Spins before it sleeps.
    case adaptive
    /// Knows its holder.
    case errorCheck
    /// Its holder may take it again.
    case recursive

    var number: Int32 {
      switch self {
      case .normal: Int32(PTHREAD_MUTEX_NORMAL)
      case .adaptive: Int32(PTHREAD_MUTEX_ADAPTIVE_NP)
      case .errorCheck: Int32(PTHREAD_MUTEX_ERRORCHECK)
      case .recursive: Int32(PTHREAD_MUTEX_RECURSIVE)
      }
    }
  }

  @usableFromInline let storage: LockStorage<pthread_mutex_t>

  /// A free mutex of that kind.
  public init(_ kind: Kind) {
    storage = LockStorage(pthread_mutex_t()) { mutex in
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_settype(&attributes, kind.number)
      pthread_mutex_init(mutex, &attributes)
      pthread_mutexattr_destroy(&attributes)
    } destroy: {
      pthread_mutex_destroy($0)
    }
  }

  /// Runs `body` while holding the mutex.
  @inlinable @inline(__always) public func around(_ body: () -> Void) {
    pthread_mutex_lock(storage.address)
    body()
    pthread_mutex_unlock(storage.address)
  }
}

/// glibc's spin lock.
public struct GlibcSpinLock: BenchLock {
  @usableFromInline let storage: LockStorage<pthread_spinlock_t>

  /// A free spin lock.
  public init() {
    storage = LockStorage(pthread_spinlock_t()) {
      pthread_spin_init($0, Int32(PTHREAD_PROCESS_PRIVATE))
    } destroy: {
      pthread_spin_destroy($0)
    }
  }

  /// Runs `body` while holding the lock.
  @inlinable @inline(__always) public func around(_ body: () -> Void) {
    pthread_spin_lock(storage.address)
    body()
    pthread_spin_unlock(storage.address)
  }
}

/// glibc's reader-writer lock, from one of its sides.
public struct GlibcReaderWriterLock: BenchLock {
  /// Which threads the lock lets in.
  public enum Side: Sendable {
    /// Together with other readers.
    case read
    /// Alone.
    case write
  }

  @usableFromInline let storage: LockStorage<pthread_rwlock_t>
  @usableFromInline let side: Side

  /// A free lock, to be taken on that side.
  public init(_ side: Side) {
    self.side = side
    storage = LockStorage(pthread_rwlock_t()) {
      pthread_rwlock_init($0, nil)
    } destroy: {
      pthread_rwlock_destroy($0)
    }
  }

  /// Runs `body` while holding the lock.
  @inlinable @inline(__always) public func around(_ body: () -> Void) {
    if side == .read { pthread_rwlock_rdlock(storage.address) } else { pthread_rwlock_wrlock(storage.address) }
    body()
    pthread_rwlock_unlock(storage.address)
  }
}

/// Swift's own mutex.
public struct SwiftMutex: BenchLock {
  @usableFromInline final class Storage: Sendable {
    @usableFromInline let mutex = Mutex<Void>(())
    @usableFromInline init() {}
  }
  @usableFromInline let storage = Storage()

  /// A free mutex.
  public init() {}

  /// Runs `body` while holding the mutex.
  @inlinable @inline(__always) public func around(_ body: () -> Void) { storage.mutex.withLock { _ in body() } }
}

extension Peer {
  /// The locks that every program could use instead, under the same load.
  public static func locks(threads: Int, _ section: Section) -> [Peer] {
    [
      Peer("glibc default") { lockWorkload(GlibcMutex(.normal), threads: threads, section) },
      Peer("glibc adaptive") { lockWorkload(GlibcMutex(.adaptive), threads: threads, section) },
      Peer("Swift Mutex") { lockWorkload(SwiftMutex(), threads: threads, section) },
    ]
  }
}

extension LockTrialPeer {
  /// The same locks, in a trial.
  public static func locks(threads: Int) -> [LockTrialPeer] {
    [
      LockTrialPeer(name: "glibc default") { lockTurn(GlibcMutex(.normal), threads: threads, milliseconds: $0) },
      LockTrialPeer(name: "glibc adaptive") { lockTurn(GlibcMutex(.adaptive), threads: threads, milliseconds: $0) },
      LockTrialPeer(name: "Swift Mutex") { lockTurn(SwiftMutex(), threads: threads, milliseconds: $0) },
    ]
  }
}
