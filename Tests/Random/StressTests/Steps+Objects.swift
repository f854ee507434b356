// Steps+Objects.swift: random operations on groups, semaphores and work items.
import Signalbox
import Synchronization

/// Plain results of a batch's members, written by them and read by whoever hears that all have ended.
private final class Results: @unchecked Sendable {
  // SAFETY of @unchecked: each member writes its own element; the reader comes after the group is empty.
  let values: UnsafeMutablePointer<Int>
  init(_ count: Int) {
    values = .allocate(capacity: count)
    values.initialize(repeating: 0, count: count)
  }
  deinit { values.deallocate() }
  func sum(_ count: Int) -> Int { (0..<count).reduce(0) { $0 + values[$1] } }
}

extension World {
  /// A group of its own: members on several queues, a notification, perhaps a wait, and perhaps a second use.
  func batch(_ context: inout Context) {
    let group = DispatchGroup()
    for generation in 1...context.random.pick(1...2) {
      let count = context.random.pick(1...5)
      let results = Results(count)
      for index in 0..<count {
        let site = context.random.pick(sites)
        let entry = ledger.open(.item, at: site.rank)
        let inner = context.inner(holding: site.reach)
        site.queue.async(group: group) { [self] in
          var context = inner
          site.visit(isBarrier: false, nil) { body(&context) }
          results.values[index] = 1
          ledger.keep(entry)
        }
      }
      let listener = context.random.pick(sites)
      let heard = ledger.open(.notification, at: listener.rank)
      group.notify(queue: listener.queue) { [self] in
        listener.visit(isBarrier: false, nil) {
          failures.check(results.sum(count) == count, "a notification came before all members had ended")
        }
        ledger.keep(heard)
      }
      let mayWait = context.mayWait && context.held == Site.passing
      if mayWait, generation == 2 || context.random.once(in: 2) {
        group.wait()
        failures.check(results.sum(count) == count, "a wait ended before all members had")
      } else {
        return  // a second use would let the notification see members of the next one
      }
    }
  }

  /// Enters by hand; leaves here, or in an item later.
  func enterLeave(_ context: inout Context) {
    let group = context.random.pick(groups)
    group.enter()
    if context.random.once(in: 2) {
      async(&context)
      return group.leave()
    }
    let site = context.random.pick(sites)
    let entry = ledger.open(.leave, at: site.rank)
    site.queue.async { [self] in
      site.visit(isBarrier: false, nil) {}
      group.leave()
      ledger.keep(entry)
    }
  }

  func groupWait(_ context: inout Context) {
    let group = context.random.pick(groups)
    if context.random.once(in: 2) {
      let site = context.random.pick(sites)
      let entry = ledger.open(.notification, at: site.rank)
      group.notify(flags: context.random.once(in: 2) ? .barrier : [], queue: site.queue) { [self] in ledger.keep(entry) }
    }
    _ = group.wait(timeout: .now() + .microseconds(context.random.pick(0...300)))
  }

  /// Takes a semaphore, does something that waits for nobody, gives it back.
  func hold(_ context: inout Context) {
    let gauge = context.random.pick(semaphores)
    // A suspended queue may not wait for a holder's own suspended queue: holders never wait, so this is safe everywhere.
    gauge.semaphore.wait()
    if gauge.initial == 1 {
      gauge.guarded += 1
      gauge.expected.add(1, ordering: .relaxed)
    }
    if context.random.once(in: 2) { async(&context) }
    gauge.semaphore.signal()
  }

  /// Takes a semaphore if it can be had in time.
  func poll(_ context: inout Context) {
    let gauge = context.random.pick(semaphores)
    let limit = context.random.pick(0...200)
    let outcome =
      context.random.once(in: 2)
      ? gauge.semaphore.wait(timeout: .now() + .microseconds(limit))
      : gauge.semaphore.wait(wallTimeout: .now() + .microseconds(limit))
    guard outcome == .success else { return }
    if gauge.initial == 1 {
      gauge.guarded += 1
      gauge.expected.add(1, ordering: .relaxed)
    }
    pause(context.random.pick(0..<400))
    gauge.semaphore.signal()
  }

  /// A work item that may be cancelled at any moment; its end is reported exactly once, whether it ran or not.
  func workItem(_ context: inout Context) {
    let site = context.random.pick(sites)
    let entry = ledger.open(.workItem, at: site.rank, lenient: true)
    let inner = context.inner(holding: site.reach)
    let token = Token(census)
    let isBarrier = context.random.once(in: 3)
    let result = Results(1)
    let item = DispatchWorkItem(flags: isBarrier ? .barrier : []) { [self] in
      var context = inner
      site.visit(isBarrier: isBarrier, nil) { body(&context) }
      result.values[0] = 1
      ledger.keep(entry)
      _ = token
    }
    let heard = ledger.open(.notification, at: site.rank)
    let listener = context.random.pick(sites)
    item.notify(queue: listener.queue) { [self, item] in
      failures.check(result.values[0] == 1 || item.isCancelled, "a work item is over that neither ran nor was cancelled")
      ledger.settle(entry)
      ledger.keep(heard)
    }
    let when = context.random.pick(0...5)
    if when == 0 { item.cancel() }
    if context.random.once(in: 3) {
      site.queue.async(group: context.random.pick(groups), execute: item)
    } else {
      site.queue.async(execute: item)
    }
    if when == 1 { item.cancel() }
    if when == 2, context.mayWait, context.held == Site.passing {
      item.wait()
      failures.check(result.values[0] == 1, "a wait for a work item ended before it had run")
    } else if when == 3 {
      _ = item.wait(timeout: .now() + .microseconds(context.random.pick(0...300)))
    }
  }

  /// A work item that follows another one, which is performed right here.
  func chain(_ context: inout Context) {
    let site = context.random.pick(sites)
    let entry = ledger.open(.notification, at: site.rank)
    let result = Results(1)
    let second = DispatchWorkItem { [self] in
      site.visit(isBarrier: false, nil) { failures.check(result.values[0] == 1, "a follower came first") }
      ledger.keep(entry)
    }
    let first = DispatchWorkItem { result.values[0] = 1 }
    first.notify(queue: site.queue, execute: second)
    if context.random.once(in: 2) { first.perform() } else { DispatchQueue.global(qos: .utility).async(execute: first) }
  }
}
