// Explore.swift: the trait `Explore`: every atomic operation and every park of the seam passes a point an explorer controls.
//
// Behind the point are a recorder, which counts, the script (ExploreScript.swift), which holds threads, and the control of an
// explorer in the process (ExploreControl.swift), which chooses between threads and between values. Without the trait the calls do
// not exist, and with it nothing happens until one is switched on, so a graph in which some package enabled the trait stays correct.

/// What an instrumented operation of the seam is about to do.
public enum ExplorePoint: Int, Sendable, CaseIterable {
  case load, store, update, park, wake
}

#if Explore
import Synchronization

/// The explorer's own words. relaxed throughout: neither counting nor holding threads may add an order of its own, or the thread
/// sanitizer would miss races. They are no words of the seam, or the explorer would explore itself.
struct ExploreWord: ~Copyable, Sendable {
  private let raw: Atomic<Int>
  init(_ value: Int = 0) { raw = Atomic(value) }

  func load() -> Int { raw.load(ordering: .relaxed) }  // relaxed: adds no order
  func store(_ value: Int) { raw.store(value, ordering: .relaxed) }  // relaxed: adds no order
  /// Adds; the value afterwards.
  // relaxed: adds no order.
  @discardableResult
  func add(_ value: Int) -> Int { raw.wrappingAdd(value, ordering: .relaxed).newValue }
  func or(_ bits: Int) { raw.bitwiseOr(bits, ordering: .relaxed) }  // relaxed: adds no order
  /// Writes `value` in place of 0; whether it stands there now.
  // relaxed: adds no order.
  func claim(_ value: Int) -> Bool {
    let swap = raw.compareExchange(expected: 0, desired: value, ordering: .relaxed)
    return swap.exchanged || swap.original == value
  }
}

/// The pass-through recorder behind the trait: counts what passes each kind of point.
public enum ExploreRecorder {
  static let isOn = ExploreWord()
  static let counts = InlineArray<5, ExploreWord> { _ in ExploreWord() }

  /// Starts counting from zero. Thread safety: any thread; operations under way may or may not be counted.
  public static func start() {
    for index in counts.indices { counts[index].store(0) }
    isOn.store(1)
  }
  /// Stops counting.
  public static func stop() { isOn.store(0) }
  /// How many operations passed points of this kind since `start()`.
  public static func count(of point: ExplorePoint) -> UInt64 { UInt64(counts[point.rawValue].load()) }

  static func pass(_ point: ExplorePoint) {
    ExploreScript.pass(point)
    guard isOn.load() == 1 else { return }
    counts[point.rawValue].add(1)
  }
}

func explorePoint(_ point: ExplorePoint) { ExploreRecorder.pass(point) }
/// A park has ended; nothing has been read since. No operation, so it is not counted.
func exploreWoken() { ExploreScript.pass(nil) }
#else
@inline(__always) func explorePoint(_ point: ExplorePoint) {}
@inline(__always) func exploreWoken() {}
#endif
