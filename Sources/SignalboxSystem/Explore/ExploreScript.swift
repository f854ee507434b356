// ExploreScript.swift: holding threads at the explorer's points, so that a test decides in which order they go on. Tests only.
#if Explore
import CSignalbox
import Synchronization

/// One thread that a test leads by the hand: it stops at each operation of the seam until it is allowed to make it.
///
/// Thread safety: `enter` and `leave` on the led thread, all else on the leading one.
public final class ExploreActor: Sendable {
  /// What is to be seen of the led thread.
  public enum Position: Equatable, Sendable {
    /// Stopped before an operation.
    case held(ExplorePoint)
    /// Asleep in a park that it was allowed to make.
    case parked
    /// Stopped where that park has ended, before it reads anything.
    case woken
    /// Through.
    case gone
  }

  // The order in which the threads go on comes from each reading its own words again and again.
  private let thread = ExploreWord()
  private let reached = ExploreWord()
  private let passed = ExploreWord()
  // What the led thread sleeps on, so of 32 bits.
  private let allowed = Atomic<UInt32>(0)
  private let point = ExploreWord()
  private let isGone = ExploreWord()
  private let wasStore = ExploreWord()
  private let joinsStores: Bool

  /// A thread that has not come yet.
  ///
  /// - Parameter joiningStores: whether plain stores in a row, as when a wait's record is written, count as one operation.
  public init(joiningStores: Bool = false) { joinsStores = joiningStores }

  // MARK: the led thread

  /// Runs `body` under this actor's lead.
  public func lead(_ body: () -> Void) {
    thread.store(Int(sb_gettid()))
    ExploreScript.add(self)
    body()
    ExploreScript.remove(self)
    isGone.store(1)
  }

  fileprivate var isCaller: Bool { thread.load() == Int(sb_gettid()) }

  private static let woken = -1

  /// Stops before an operation; nil: where a park has ended.
  fileprivate func stop(at kind: ExplorePoint?) {
    let isFurtherStore = kind == .store && wasStore.load() == 1  // this thread's own
    wasStore.store(kind == .store ? 1 : 0)
    if joinsStores, isFurtherStore { return }
    point.store(kind?.rawValue ?? Self.woken)
    let number = reached.add(1)
    while true {
      let limit = allowed.load(ordering: .relaxed)  // relaxed, as ExploreWord is: adds no order
      if Int(limit) >= number { break }
      withUnsafePointer(to: allowed) {
        // SAFETY: an atomic word has the layout of the integer it holds.
        _ = sb_futex_wait(UnsafeRawPointer($0).assumingMemoryBound(to: UInt32.self), limit, nil, 0, .max)
      }
    }
    passed.store(number)
  }

  // MARK: the leading thread

  /// Lets the thread make this many more operations.
  public func allow(_ count: UInt32) {
    allow(upTo: allowed.load(ordering: .relaxed) &+ count)  // relaxed: only the leading thread writes it
  }
  /// Lets the thread go on by itself.
  public func allowAll() { allow(upTo: .max) }

  private func allow(upTo limit: UInt32) {
    allowed.store(limit, ordering: .relaxed)  // relaxed, as ExploreWord is: adds no order
    withUnsafePointer(to: allowed) {
      _ = sb_futex_wake(UnsafeRawPointer($0).assumingMemoryBound(to: UInt32.self), .max, .max)
    }
  }

  /// Where the thread has come to rest; nil while it is on its way.
  public var position: Position? {
    if isGone.load() == 1 { return .gone }
    let number = reached.load()
    guard number > 0 else { return nil }
    let kind = ExplorePoint(rawValue: point.load())
    if Int(allowed.load(ordering: .relaxed)) < number {  // relaxed: only the leading thread writes it
      return kind.map { .held($0) } ?? .woken
    }
    // Past its last point, and that was a park: asleep there if the kernel says so, and has gone on saying so.
    guard kind == .park, passed.load() == number else { return nil }
    let id = UInt64(thread.load())
    for _ in 0..<3 {
      guard KernelThread.sample(id)?.isWaiting == true, reached.load() == number else { return nil }
    }
    return .parked
  }
}

/// Who is led at present.
enum ExploreScript {
  private static let count = ExploreWord()
  private static let word = Atomic<UInt32>(0)
  // SAFETY: changed and read under `word`.
  nonisolated(unsafe) private static var actors: [ExploreActor] = []

  static func add(_ actor: ExploreActor) {
    locked { actors.append(actor) }
    count.add(1)
  }
  static func remove(_ actor: ExploreActor) {
    count.add(-1)
    locked { actors.removeAll { $0 === actor } }
  }

  static func pass(_ point: ExplorePoint?) {
    guard count.load() > 0 else { return }
    locked { actors.first { $0.isCaller } }?.stop(at: point)
  }

  private static func locked<R>(_ body: () -> R) -> R {
    // acquire: pairs with the release below; the list travels with the word.
    while !word.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged { spinPause() }
    // release: pairs with the acquire above.
    defer { word.store(0, ordering: .releasing) }
    return body()
  }
}
#endif
