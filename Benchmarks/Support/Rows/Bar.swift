// Bar.swift: what a row asks of Signalbox, as words. Whether it is reached is Measuring/Verdict.swift.

/// What a row asks of Signalbox.
public enum Bar: Sendable, Equatable {
  /// toolchain ÷ Signalbox is at least this.
  case ratio(Double)
  /// As `ratio`; but the kernel does most of the work, so being at most `floorFactor` × the floor will do as well.
  case kernelBound(ratio: Double, floorFactor: Double)
  /// Signalbox's cost is at most this many times its own cost in another row.
  case ownCost(atMost: Double, of: String)
  /// Signalbox's cost is at most `nanoseconds` above its own cost in another row.
  case ownCostAnd(nanoseconds: Double, of: String)
  /// Signalbox's cost in nanoseconds is at most this.
  case time(atMost: Double)
  /// Signalbox's cost is at most this many times the floor.
  case nearFloor(atMost: Double)
  /// As `ratio`, and not slower than any of the row's peers either.
  case ratioBesidePeers(Double)
  /// Nothing: the row is there to be seen beside others.
  case none

  /// "Not slower", with the allowance that noise needs.
  public static let notSlower = Bar.ratio(notSlowerRatio)
  /// "Not slower", in a row where the kernel does most of the work.
  public static let notSlowerOrNearFloor = Bar.kernelBound(ratio: notSlowerRatio, floorFactor: 1.25)

  static let notSlowerRatio = 0.95

  /// The ratio toolchain ÷ Signalbox that is asked for, if one is.
  public var requiredRatio: Double? {
    switch self {
    case .ratio(let ratio), .kernelBound(let ratio, _), .ratioBesidePeers(let ratio): ratio
    case .ownCost, .ownCostAnd, .time, .nearFloor, .none: nil
    }
  }

  /// The row whose cost is the yardstick, if the bar is of that kind.
  public var referenceRow: String? {
    switch self {
    case .ownCost(_, let name), .ownCostAnd(_, let name): name
    case .ratio, .kernelBound, .time, .nearFloor, .ratioBesidePeers, .none: nil
    }
  }

  /// A few characters for a table.
  public var text: String {
    switch self {
    case .ratio(let ratio): "≥ \(ratioText(ratio))"
    case .kernelBound(let ratio, let factor): "≥ \(ratioText(ratio)) or ≤ \(ratioText(factor)) floor"
    case .ownCost(let factor, let name): "≤ \(ratioText(factor)) \(name)"
    case .ownCostAnd(let most, let name): "≤ \(name) + \(nanosecondsText(most)) ns"
    case .time(let most): "≤ \(nanosecondsText(most)) ns"
    case .nearFloor(let factor): "≤ \(ratioText(factor)) floor"
    case .ratioBesidePeers(let ratio): "≥ \(ratioText(ratio)), peers ≥ \(ratioText(Self.notSlowerRatio))"
    case .none: "no bar"
    }
  }
}
