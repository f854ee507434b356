// Stage.swift: threads that go on in the order a test says, one operation of the seam at a time. Needs the trait `Explore`.
#if Explore
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

extension ExploreActor.Position {
  /// Whether the thread waits to be allowed to go on.
  var isStopped: Bool { self != .parked && self != .gone }
}

/// Some led threads.
final class Stage {
  private var actors: [ExploreActor] = []
  private var threads: [TestThread] = []
  /// What has been done, for a failure's report.
  private(set) var schedule: [String] = []
  private let joinsStores: Bool

  /// An empty stage. Where stores are joined, several in a row are one operation.
  init(joiningStores: Bool = false) { joinsStores = joiningStores }

  /// Brings a thread on; it stops before its first operation. Its number.
  @discardableResult func enter(_ body: @escaping @Sendable () -> Void) -> Int {
    let actor = ExploreActor(joiningStores: joinsStores)
    actors.append(actor)
    threads.append(
      TestThread {
        _ = ThreadSlot.owner()  // before it is led: enrolment is no part of the play
        ThreadSlot.current.pointee.wait_spin = 6  // the shortest spin before a sleep
        actor.lead(body)
      })
    _ = rest(actors.count - 1)
    return actors.count - 1
  }

  /// Waits until the thread stands still: held, asleep or gone.
  func rest(_ thread: Int) -> ExploreActor.Position {
    var position: ExploreActor.Position?
    for _ in 0..<2_000 {
      if let position = actors[thread].position { return position }
      sched_yield()
    }
    guard eventually({ (position = actors[thread].position, position != nil).1 }), let position else {
      fail("thread \(thread) does not come to rest")
    }
    return position
  }

  /// Lets the thread make this many operations, or fewer if it falls asleep or ends; where it is then.
  @discardableResult func step(_ thread: Int, _ count: Int) -> ExploreActor.Position {
    schedule.append("\(thread) makes \(count)")
    for _ in 0..<count {
      guard rest(thread).isStopped else { break }
      actors[thread].allow(1)
    }
    return rest(thread)
  }

  /// Lets the thread go on until it sleeps or is through; how many operations that took.
  @discardableResult func run(_ thread: Int) -> Int {
    schedule.append("\(thread) goes on")
    var count = 0
    while rest(thread).isStopped {
      actors[thread].allow(1)
      count += 1
    }
    return count
  }

  /// Lets the thread go on until `condition` holds. False if it falls asleep or ends before.
  func run(_ thread: Int, until condition: () -> Bool) -> Bool {
    while !condition() {
      guard rest(thread).isStopped else { return false }
      actors[thread].allow(1)
      _ = rest(thread)
    }
    return true
  }

  /// Lets all threads go on, one after the other, until none can.
  func settle() {
    var isMoving = true
    while isMoving {
      isMoving = false
      for thread in actors.indices where run(thread) > 0 { isMoving = true }
    }
  }

  /// Whether the thread is through.
  func isThrough(_ thread: Int) -> Bool { rest(thread) == .gone }

  /// Lets the thread go on until it is asleep. False if it has got through instead.
  func park(_ thread: Int) -> Bool {
    run(thread)
    return rest(thread) == .parked
  }

  /// Waits until a sleeping thread has been woken, by another or by its time.
  func awaken(_ thread: Int) {
    schedule.append("\(thread) wakes")
    if !eventually({ actors[thread].position == .woken }) {
      fail("thread \(thread) was left asleep")
    }
  }

  /// Lets all go on by themselves, and waits for their ends.
  func end() {
    for actor in actors { actor.allowAll() }
    for index in actors.indices where !eventually({ actors[index].position == .gone }) {
      fail("thread \(index) was left asleep")
    }
    for thread in threads { thread.join() }
  }

  /// Threads that hang cannot be joined: the process ends here.
  func fail(_ what: String) -> Never {
    StandardError.write("\(what); the schedule: \(schedule.joined(separator: ", "))\n")
    exit(3)
  }
}
#endif
