// Explore.swift: the trait `Explore`: every atomic operation and every park of the seam passes a point an explorer controls.
//
// Behind the point are a recorder, which counts, and the script (ExploreScript.swift), which holds threads. Without the trait the
// calls do not exist, and with it nothing happens until one is switched on, so a graph in which some package enabled the trait
// stays correct.

/// What an instrumented operation of the seam is about to do.
public enum ExplorePoint: Int, Sendable, CaseIterable {
  case load, store, update, park, wake
}

#if Explore
import Synchronization

/// The pass-through recorder behind the trait: counts what passes each kind of point.
public enum ExploreRecorder {
  static let isOn = Atomic<Bool>(false)
  static let counts = InlineArray<5, Atomic<UInt64>> { _ in Atomic(0) }

  /// Starts counting from zero. Thread safety: any thread; operations under way may or may not be counted.
  public static func start() {
    for index in counts.indices { counts[index].store(0, ordering: .relaxed) }
    isOn.store(true, ordering: .relaxed)
  }
  /// Stops counting.
  public static func stop() { isOn.store(false, ordering: .relaxed) }
  /// How many operations passed points of this kind since `start()`.
  public static func count(of point: ExplorePoint) -> UInt64 { counts[point.rawValue].load(ordering: .relaxed) }

  // relaxed: statistics only; the recorder must add no order of its own, or the thread sanitizer would miss races.
  @usableFromInline static func pass(_ point: ExplorePoint) {
    ExploreScript.pass(point)
    guard isOn.load(ordering: .relaxed) else { return }
    counts[point.rawValue].wrappingAdd(1, ordering: .relaxed)
  }
}

@inlinable func explorePoint(_ point: ExplorePoint) { ExploreRecorder.pass(point) }
/// A park has ended; nothing has been looked at since. No operation, so it is not counted.
func exploreWoken() { ExploreScript.pass(nil) }
#else
@inlinable @inline(__always) func explorePoint(_ point: ExplorePoint) {}
@inline(__always) func exploreWoken() {}
#endif
