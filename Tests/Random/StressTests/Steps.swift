// Steps.swift: the random operations: which there are, how often each comes, and the ones that submit single items.
import Signalbox

extension World {
  enum Kind: CaseIterable {
    case async, groupedAsync, barrier, global, workItem, sync, asyncAndWait, suspend, batch, enterLeave, groupWait
    case hold, poll, after, apply, passing, inactive, specific, chain

    /// How often it comes among the others.
    var weight: Int {
      switch self {
      case .async: 12
      case .sync: 8
      case .groupedAsync, .barrier, .workItem, .global: 4
      case .asyncAndWait, .batch, .hold, .passing: 3
      case .suspend, .enterLeave, .groupWait, .poll, .after, .specific, .chain: 2
      case .apply, .inactive: 1
      }
    }

    /// A world's own mixture: some kinds come often, some never, so that rare encounters are frequent somewhere.
    static func mixture(_ random: inout SeededRandom) -> [Kind] {
      var kinds = allCases.flatMap { kind in Array(repeating: kind, count: kind.weight * random.pick([0, 1, 1, 4])) }
      if kinds.isEmpty { kinds = [.async] }
      return kinds
    }
  }

  /// One random operation.
  func step(_ context: inout Context) {
    let kind = context.random.pick(mixture)
    if isCrowded { return }
    switch kind {
    case .async: async(&context)
    case .groupedAsync: async(&context, group: context.random.pick(groups))
    case .barrier: async(&context, isBarrier: true)
    case .global: global(&context)
    case .workItem: workItem(&context)
    case .sync: sync(&context)
    case .asyncAndWait: sync(&context, isHandedOver: true)
    case .suspend: suspend(&context)
    case .batch: batch(&context)
    case .enterLeave: enterLeave(&context)
    case .groupWait: groupWait(&context)
    case .hold: hold(&context)
    case .poll: poll(&context)
    case .after: after(&context)
    case .apply: apply(&context)
    case .passing: passing(&context)
    case .inactive: inactive(&context)
    case .specific: specific(&context)
    case .chain: chain(&context)
    }
  }

  /// What an item does in its turn besides being checked: mostly little, sometimes further steps.
  func body(_ context: inout Context) {
    if context.random.once(in: 4) { pause(context.random.pick(0..<200)) }
    guard context.depth < 3, context.random.once(in: 3) else { return }
    for _ in 0..<context.random.pick(1...2) { step(&context) }
  }

  /// Keeps the thread busy for a moment.
  func pause(_ rounds: Int) {
    var random = SeededRandom(1)
    for _ in 0..<rounds { _ = random.next() }
  }

  // MARK: single items

  func async(_ context: inout Context, group: DispatchGroup? = nil, isBarrier: Bool = false) {
    let site = context.random.pick(sites)
    submit(to: site, &context, group: group, isBarrier: isBarrier)
  }

  func submit(to site: Site, _ context: inout Context, group: DispatchGroup? = nil, isBarrier: Bool = false) {
    let entry = ledger.open(.item, at: site.rank)
    let order = context.program?.order(at: site, isBarrier: isBarrier)
    let inner = context.inner(holding: site.reach)
    let token = Token(census)
    site.queue.async(group: group, flags: isBarrier ? .barrier : []) { [self] in
      var context = inner
      site.visit(isBarrier: isBarrier, order) { body(&context) }
      ledger.keep(entry)
      _ = token
    }
  }

  func global(_ context: inout Context) {
    let entry = ledger.open(.item, at: Site.passing)
    let inner = context.inner(holding: Site.passing)
    let group = context.random.once(in: 3) ? context.random.pick(groups) : nil
    DispatchQueue.global(qos: context.random.pick(World.classes).qosClass).async(group: group) { [self] in
      var context = inner
      body(&context)
      ledger.keep(entry)
    }
  }

  func after(_ context: inout Context) {
    let site = context.random.pick(sites)
    let entry = ledger.open(.timer, at: site.rank)
    let inner = context.inner(holding: site.reach)
    let deadline = DispatchTime.now() + .microseconds(context.random.pick(0...1000))
    let isBarrier = context.random.once(in: 3)
    let work: @Sendable () -> Void = { [self] in
      failures.check(DispatchTime.now() >= deadline, "\(site.queue.label): a delayed item came early")
      var context = inner
      site.visit(isBarrier: isBarrier, nil) { body(&context) }
      ledger.keep(entry)
    }
    if context.random.once(in: 3) {
      let item = DispatchWorkItem(flags: isBarrier ? .barrier : [], block: work)
      site.queue.asyncAfter(deadline: deadline, execute: item)
    } else {
      site.queue.asyncAfter(deadline: deadline, flags: isBarrier ? .barrier : [], execute: work)
    }
  }
}
