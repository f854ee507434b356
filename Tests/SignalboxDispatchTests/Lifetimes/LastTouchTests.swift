// LastTouchTests.swift: what a primitive does after the step that lets others free its object: nothing, operation by operation. Needs
// the trait `Explore`. The same under a storm is ProgramCLifetimes.
#if Explore
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("No primitive touches its object after others may free it", .serialized) struct LastTouchTests {
  /// The operations of the seam that `body` makes on a thread of its own, in order.
  private func operations(_ body: @escaping @Sendable () -> Void) -> [ExplorePoint] {
    let actor = ExploreActor()
    let thread = TestThread {
      _ = ThreadSlot.owner()  // before it is led: enrolment is no part of the call
      actor.lead(body)
    }
    var made: [ExplorePoint] = []
    while true {
      var position: ExploreActor.Position?
      guard eventually({ (position = actor.position, position != nil).1 }) else {
        Issue.record("the thread does not come to rest after \(made)")
        break
      }
      guard case .held(let point)? = position else { break }
      made.append(point)
      actor.allow(1)
    }
    actor.allowAll()
    thread.join()
    return made
  }

  /// Runs `body` while another thread has the turn of `queue`.
  private func whileHeld(_ queue: DispatchQueue, _ body: () -> Void) {
    let (taken, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let holder = TestThread {
      queue.sync {
        taken.signal()
        done.wait()
      }
    }
    taken.wait()
    body()
    done.signal()
    holder.join()
  }

  @Test("A push fills its slot as its last touch of the queue", arguments: [false, true])
  func push(isC: Bool) {
    let queue = DispatchQueue(label: "pushed")
    whileHeld(queue) {
      let made = operations {
        if isC { queue.async(CWork({ _ in }, nil)) } else { queue.async {} }
      }
      #expect(made == [.update, .load, .store, .store])
    }
  }

  @Test("A push onto a new page fills its slot as its last touch, too")
  func pushOnPage() {
    let queue = DispatchQueue(label: "pushed")
    whileHeld(queue) {
      for _ in 0..<InlineSlots.count { queue.async {} }
      let made = operations { queue.async {} }
      // The claim that meets the end, the page's link and the new position; the check; the slot.
      #expect(made.first == .update && made.suffix(5) == [.store, .store, .load, .store, .store])
    }
  }

  @Test("A signal that finds a waiting thread gives the token, and names the place to the kernel")
  func signal() {
    let semaphore = CSemaphore(value: 0)
    let waiter = TestThread { semaphore.wait() }
    #expect(eventually { semaphore.testsOnly_sleepers == 1 })
    let made = operations { _ = semaphore.signal() }
    #expect(made == [.update, .update, .wake])
    waiter.join()
  }

  @Test("A leave that nobody waits for ends with its swap")
  func leave() {
    let group = CGroup()
    group.enter()
    #expect(operations { group.leave() } == [.load, .update])
  }

  @Test("A leave that somebody waits for finds the group held by its members")
  func leaveWithAudience() {
    let group = CGroup()
    group.enter()
    let waiter = TestThread { group.wait() }
    #expect(eventually { group.testsOnly_state[GroupState.waiters] == 1 })
    #expect(group.testsOnly_state[GroupState.kept] == 1)
    group.leave()
    waiter.join()
    #expect(group.testsOnly_state[GroupState.kept] == 0)
  }

  @Test("A group of Swift's, whose leaver has a reference, is not held by its members")
  func leaveInSwift() {
    let group = DispatchGroup()
    group.enter()
    let waiter = TestThread { group.wait() }
    #expect(eventually { group.testsOnly_state[GroupState.waiters] == 1 })
    #expect(group.testsOnly_state[GroupState.kept] == 0)
    group.leave()
    waiter.join()
  }
}
#endif
