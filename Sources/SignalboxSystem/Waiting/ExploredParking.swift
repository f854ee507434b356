// ExploredParking.swift: parks, wakes and barriers of threads that an explorer in the process controls (trait Explore). Without the trait
// there is no such thread.
#if Explore
extension ParkOutcome {
  fileprivate init?(explored result: Int32) {
    switch result {
    case 0: self = .woken
    case 1: self = .changed
    case 2: self = .timedOut
    default: return nil
    }
  }
}

extension Parking {
  /// The park of a thread that an explorer controls; nil: it is no such thread.
  static func exploredPark(
    _ address: UnsafePointer<Atomic32>, _ expected: UInt32, _ deadline: ParkDeadline, _ set: UInt32
  ) -> ParkOutcome? {
    guard let control = ExploreControl.ofCaller else { return nil }
    let (time, isWall): (UInt64, Int32) =
      switch deadline {
      case .never: (.max, 0)
      case .uptime(let time): (time, 0)
      case .wall(let time): (time, 1)
      }
    return ParkOutcome(explored: control.park(address, expected, time, isWall, set))
  }

  /// The wake by a thread that an explorer controls; nil: it is no such thread.
  static func exploredWake(_ address: UnsafePointer<Atomic32>, _ count: Int32, _ set: UInt32) -> Int? {
    guard let control = ExploreControl.ofCaller else { return nil }
    let woken = control.wake(address, count, set)
    return woken < 0 ? nil : Int(woken)
  }
}

extension Barrier {
  /// Whether an explorer has made the barrier.
  static func explored() -> Bool { ExploreControl.ofCaller.map { $0.fence() != 0 } ?? false }
}
#else
extension Parking {
  @inline(__always) static func exploredPark(
    _ address: UnsafePointer<Atomic32>, _ expected: UInt32, _ deadline: ParkDeadline, _ set: UInt32
  ) -> ParkOutcome? { nil }
  @inline(__always) static func exploredWake(_ address: UnsafePointer<Atomic32>, _ count: Int32, _ set: UInt32) -> Int? { nil }
}
extension Barrier {
  @inline(__always) static func explored() -> Bool { false }
}
#endif
