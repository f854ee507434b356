// Stock.swift: tickets that are left, in an actor. Each call is safe; two in a row are not one.

/// A number of tickets, and no more.
public actor Stock {
  /// How many are left; less than none is too many sold.
  public private(set) var left: Int

  /// With that number of tickets.
  public init(_ count: Int) { left = count }

  /// One less.
  public func take() { left -= 1 }

  /// Takes one if there is one.
  public func takeIfLeft() -> Bool {
    guard left > 0 else { return false }
    left -= 1
    return true
  }
}

/// What has been paid.
public actor Till {
  /// All prices together.
  public private(set) var sum = 0

  /// With nothing in it.
  public init() {}

  /// So much more.
  public func put(_ price: Int) { sum += price }
}

/// Sells one ticket; false if none is left.
public func sell(from stock: Stock, into till: Till) async -> Bool {
  #if MENDED
  guard await stock.takeIfLeft() else { return false }
  await till.put(20)
  #else
  // While one guest pays another can take the ticket.
  guard await stock.left > 0 else { return false }
  await till.put(20)
  await stock.take()
  #endif
  return true
}
