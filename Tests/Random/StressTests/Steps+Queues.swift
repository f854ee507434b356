// Steps+Queues.swift: random operations on queues as objects: suspended, made and dropped, asked for values; and applies.
import Signalbox
import Synchronization

extension World {
  /// Suspends a queue, does what waits for nobody, resumes it.
  func suspend(_ context: inout Context) {
    let site = context.random.pick(sites)
    let mayWait = context.mayWait
    context.mayWait = false
    site.queue.suspend()
    if context.random.once(in: 2) { submit(to: site, &context) }
    if context.depth < 3 { step(&context) }
    site.queue.resume()
    context.mayWait = mayWait
  }

  /// A queue that lives as long as what is submitted to it, or as this step.
  func passing(_ context: inout Context) {
    let target = context.random.once(in: 2) ? nil : context.random.pick(sites)
    let site = passingSite(&context, target: target)
    for _ in 0..<context.random.pick(0...9) { submit(to: site, &context, isBarrier: context.random.once(in: 5)) }
    // Its items hold what the target's hold; without one nothing, so they may wait for anything that is held here.
    let isBeyond = target.map { $0.rank > context.held } ?? (context.held == Site.passing)
    guard context.mayWait, isBeyond, context.random.once(in: 2) else { return }
    let entry = ledger.open(.sync, at: Site.passing)
    site.queue.sync { site.visit(isBarrier: false, nil) { ledger.keep(entry) } }
  }

  /// A queue that is filled before it starts.
  func inactive(_ context: inout Context) {
    let site = passingSite(&context, target: context.random.once(in: 2) ? nil : context.random.pick(sites), isInactive: true)
    for _ in 0..<context.random.pick(0...3) { submit(to: site, &context) }
    if context.random.once(in: 3) {
      site.queue.suspend()
      site.queue.activate()
      submit(to: site, &context)
      site.queue.resume()
    } else {
      site.queue.activate()
    }
  }

  private func passingSite(_ context: inout Context, target: Site?, isInactive: Bool = false) -> Site {
    var plan = SitePlan(label: passingLabel(), isSerial: !context.random.once(in: 3), isInactive: isInactive)
    plan.isRetargeted = isInactive && context.random.once(in: 2)
    if context.random.once(in: 4) { plan.qos = context.random.pick(World.classes) }
    return Site(plan, rank: Site.passing, target: target, threads: threads, census: census, failures: failures)
  }

  private static let key = DispatchSpecificKey<Token>()

  func specific(_ context: inout Context) {
    let site = context.random.pick(sites)
    site.queue.setSpecific(key: World.key, value: context.random.once(in: 4) ? nil : Token(census))
    _ = context.random.pick(sites).queue.getSpecific(key: World.key)
    _ = DispatchQueue.getSpecific(key: World.key)
  }

  /// Indices side by side, each exactly once, sometimes with another apply inside.
  func apply(_ context: inout Context) {
    let count = context.random.pick(0...40)
    let isNested = context.random.once(in: 3)
    let entries = (0..<count).map { _ in ledger.open(.applyBody, at: context.held, times: isNested ? 4 : 1) }
    let forks = entries.map { _ in context.inner(holding: context.held) }
    let mayWait = context.mayWait
    DispatchQueue.concurrentPerform(iterations: count) { index in
      if isNested {
        DispatchQueue.concurrentPerform(iterations: 4) { _ in ledger.keep(entries[index]) }
      } else {
        var context = forks[index]
        context.mayWait = mayWait
        body(&context)
        ledger.keep(entries[index])
      }
    }
    if entries.contains(where: { !ledger.isKept($0) }) { failures.add("an apply returned before its bodies had ended") }
  }
}
