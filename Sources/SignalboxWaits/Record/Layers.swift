// Layers.swift: the layers above that have registered, and questions to all of them. What they answer is
// DiagnosedLayer.swift.
import SignalboxSystem

/// The layers above: few, and for the life of the process.
package enum Layers {
  /// More cannot register: engine, operations and run loops are three, and a test may add some.
  private static let most = 8

  private static let lock = InnerLock()
  // SAFETY: a place is written once, under `lock`, before `count` says that it is filled; no code reads beyond `count`.
  nonisolated(unsafe) private static var places: InlineArray<8, (any DiagnosedLayer)?> = InlineArray(repeating: nil)
  private static let count = Atomic64(0)

  /// Adds a layer, for the life of the process.
  ///
  /// A layer calls this while its image is loaded, before anything of it can be used: its file has a constant in the
  /// section `.init_array`, whose functions the loader calls. So no path of the layer's has to see to it, and none pays
  /// for it. The call must not need anything that is not there yet at that time, such as the environment.
  package static func register(_ layer: some DiagnosedLayer) {
    lock.withLock {
      let place = Int(count.loadRelaxed())  // relaxed: `lock` orders the writers
      precondition(place < most, "more than \(most) layers have registered with the diagnosis")
      places[place] = layer
      // release L1: pairs with L2 in `first`: a thread that sees the number sees the place filled.
      count.storeRelease(UInt64(place + 1))
    }
  }

  /// The first answer that is not nil. Allocates nothing itself.
  @inline(__always)
  package static func first<Answer>(_ ask: (any DiagnosedLayer) -> Answer?) -> Answer? {
    let end = Int(count.loadAcquire())  // acquire L2: pairs with L1
    var place = 0
    while place < end {
      if let layer = places[place], let answer = ask(layer) { return answer }
      place += 1
    }
    return nil
  }

  /// Calls `body` with each of them.
  package static func forEach(_ body: (any DiagnosedLayer) -> Void) {
    let _: Void? = first {
      body($0)
      return nil
    }
  }

  package static func contains(_ isIt: (any DiagnosedLayer) -> Bool) -> Bool { first { isIt($0) ? true : nil } ?? false }

  package static func all<Element>(_ elements: (any DiagnosedLayer) -> [Element]) -> [Element] {
    var found: [Element] = []
    forEach { found += elements($0) }
    return found
  }

  /// All of them end it, even if one says no.
  package static func endScan() -> Bool {
    var isSound = true
    forEach { isSound = $0.endScan() && isSound }
    return isSound
  }
}
