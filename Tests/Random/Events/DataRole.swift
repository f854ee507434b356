// DataRole.swift: data sources in a play: what is merged is what is reported, added, united or replaced.
import Signalbox

final class DataRole: SourceRole {
  private enum Kind { case add, or, replace }
  private let kind: Kind
  private var merged: UInt = 0
  /// What was reported: the sum, the bits or the latest.
  private let told = Tally()

  init(_ stage: Stage, _ number: Int, _ script: inout Script) {
    kind = script.pick([.add, .or, .replace])
    super.init("\(number) data \(kind)", stage)
    let queue = script.pick(stage.queues)
    let source: any DispatchSourceProtocol =
      switch kind {
      case .add: DispatchSource.makeUserDataAddSource(queue: queue)
      case .or: DispatchSource.makeUserDataOrSource(queue: queue)
      case .replace: DispatchSource.makeUserDataReplaceSource(queue: queue)
      }
    adopt(source, &script) { [unowned witness, told, kind] data in
      witness.check(data != 0, "an event without data")
      switch kind {
      case .add: told.add(Int(data))
      case .or: told.unite(data)
      case .replace: told.set(Int(data))
      }
    }
  }

  override func act(_ script: inout Script) {
    guard let source else { return }
    let value = UInt(script.byte())
    // What replaces must keep its order.
    let isElsewhere = kind != .replace && script.once(in: 3)
    for _ in 0..<(1 + script.pick(8)) {
      note(value)
      if isElsewhere {
        stage.elsewhere { [kind] in Self.merge(value, into: source, kind) }
      } else {
        Self.merge(value, into: source, kind)
      }
    }
  }

  private static func merge(_ value: UInt, into source: DispatchSource, _ kind: Kind) {
    switch kind {
    case .add: (source as any DispatchSourceUserDataAdd).add(data: value)
    case .or: (source as any DispatchSourceUserDataOr).or(data: value)
    case .replace: (source as any DispatchSourceUserDataReplace).replace(data: value)
    }
  }

  private func note(_ value: UInt) {
    switch kind {
    case .add: merged += value
    case .or: merged |= value
    case .replace: merged = value
    }
  }

  private var isComplete: Bool { UInt(told.value) == merged || (kind == .replace && merged == 0) }
  override func hasToldAll() -> Bool { stage.elsewhere.value == 0 && isComplete }

  override func judgeEvents() {
    switch kind {
    case .add: witness.check(told.value <= merged, "\(told.value) reported for a sum of \(merged)")
    case .or: witness.check(UInt(told.value) & ~merged == 0, "the bits \(told.value) reported for \(merged)")
    case .replace: break
    }
  }

  override var detail: String { "merged \(merged), told \(told.value)" }
}
