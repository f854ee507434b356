// Steps+Sync.swift: random waits for a turn, in the several ways the API has for it.
import Signalbox

extension World {
  /// Waits for a turn on a queue beyond all that is held here, in one of the ways there are.
  func sync(_ context: inout Context, isHandedOver: Bool = false) {
    let open = sites.filter { $0.rank > context.held }
    guard context.mayWait, !open.isEmpty else { return async(&context) }
    let site = context.random.pick(open)
    let isBarrier = context.random.once(in: 3)
    let entry = ledger.open(.sync, at: site.rank)
    let order = context.program?.order(at: site, isBarrier: isBarrier)
    var inner = context
    inner.random = context.random.fork()
    inner.held = site.reach
    inner.depth += 1
    let work = { [self] () -> Int in
      site.visit(isBarrier: isBarrier, order) { body(&inner) }
      ledger.keep(entry)
      return entry
    }
    let flags: DispatchWorkItemFlags = isBarrier ? .barrier : []
    let result = take(site, flags, isHandedOver, way: context.random.pick(0...3), work)
    failures.check(result == entry, "\(site.queue.label): a sync returned another one's result")
  }

  private struct Thrown: Error { let value: Int }

  /// The result comes back as a value, as a typed error, or through a work item.
  private func take(
    _ site: Site, _ flags: DispatchWorkItemFlags, _ isHandedOver: Bool, way: Int, _ work: @escaping () -> Int
  ) -> Int {
    switch way {
    case 0:
      var value = 0
      let item = DispatchWorkItem(flags: flags) { value = work() }
      if isHandedOver { site.queue.asyncAndWait(execute: item) } else { site.queue.sync(execute: item) }
      return value
    case 1:
      let throwing = { () throws(Thrown) -> Int in throw Thrown(value: work()) }
      do throws(Thrown) {
        if isHandedOver { return try site.queue.asyncAndWait(flags: flags, execute: throwing) - 1 }
        return try site.queue.sync(flags: flags, execute: throwing) - 1
      } catch { return error.value }
    default:
      if isHandedOver { return site.queue.asyncAndWait(flags: flags, execute: work) }
      return site.queue.sync(flags: flags, execute: work)
    }
  }
}
