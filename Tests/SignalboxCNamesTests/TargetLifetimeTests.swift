// TargetLifetimeTests.swift: a queue whose target changes while it has items, and each of its targets, are freed when nobody has them.
import SignalboxCNames
import SignalboxTestSupport
import Testing

@Suite("Targets that change are let go of") struct TargetLifetimeTests {
  @Test("A queue and both targets are freed after items, and after a change of target between them", arguments: [false, true])
  func freed(isConcurrent: Bool) {
    weak var queue: dispatch_queue_t?
    weak var before: dispatch_queue_t?
    weak var after: dispatch_queue_t?
    func use() {
      let (old, new) = (dispatch_queue_create("before", nil), dispatch_queue_create("after", nil))
      let used = dispatch_queue_create("queue", isConcurrent ? DISPATCH_QUEUE_CONCURRENT : nil)
      (queue, before, after) = (used, old, new)
      dispatch_set_target_queue(used, old)
      let group = dispatch_group_create()
      for n in 0..<200 {
        dispatch_group_async(group, used) {}
        if n == 100 { dispatch_set_target_queue(used, new) }
      }
      #expect(dispatch_group_wait(group, eventually()) == 0)
    }
    use()
    #expect(eventually { queue == nil && before == nil && after == nil })
  }
}
