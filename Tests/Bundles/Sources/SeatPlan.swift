// SeatPlan.swift: who has which seat. All of it is on one queue, and yet a seat can be sold twice.
import Dispatch

/// The seats of one evening, for any thread.
public final class SeatPlan: @unchecked Sendable {
  private let queue = DispatchQueue(label: "seats")
  // SAFETY: read and written on `queue` alone.
  private var guests: [Int: String] = [:]

  /// With nothing in it.
  public init() {}

  /// Whether nobody has the seat.
  public func isFree(_ seat: Int) -> Bool { queue.sync { guests[seat] == nil } }
  /// How many are taken.
  public var taken: Int { queue.sync { guests.count } }
  /// Who has the seat.
  public func guest(of seat: Int) -> String? { queue.sync { guests[seat] } }

  private func put(_ guest: String, on seat: Int) { queue.sync { guests[seat] = guest } }

  /// Gives the seat to the guest; false if it is taken.
  public func book(_ seat: Int, for guest: String) -> Bool {
    #if MENDED
    return queue.sync {
      guard guests[seat] == nil else { return false }
      guests[seat] = guest
      return true
    }
    #else
    // Between the two another guest can get it.
    guard isFree(seat) else { return false }
    put(guest, on: seat)
    return true
    #endif
  }
}
