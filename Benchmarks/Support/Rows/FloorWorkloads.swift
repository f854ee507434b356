// FloorWorkloads.swift: the floors that stay on the calling threads: swaps, stored calls, blocks of memory.
import Glibc
import Synchronization

private final class Word: Sendable {
  private let value = Atomic<Int>(0)

  @inline(__always)
  func swapPair() {
    _ = value.compareExchange(expected: 0, desired: 1, ordering: .acquiring)
    opaqueBody()
    _ = value.compareExchange(expected: 1, desired: 0, ordering: .releasing)
  }
}

func swapPairs() -> Workload {
  let word = Word()
  return .timed { count in for _ in 0..<count { word.swapPair() } }
}

func swapPairs(threads: Int, handful: Int) -> Workload {
  let word = Word()
  let crew = Crew(threads: threads, handful: handful) { _, share in for _ in 0..<share { word.swapPair() } }
  return .selfTimed { count in crew.run(count) }
}

/// A page of slots, filled by one fetch-add each and then emptied: what an `async` must do at least, on one thread.
private final class SlotPage {
  static let capacity = 4_096
  private let claimed = Atomic<Int>(0)
  private let functions: UnsafeMutablePointer<@convention(c) () -> Void>
  private let contexts: UnsafeMutablePointer<UnsafeMutableRawPointer?>

  init() {
    functions = .allocate(capacity: Self.capacity)
    contexts = .allocate(capacity: Self.capacity)
  }

  deinit {
    functions.deallocate()
    contexts.deallocate()
  }

  func push(contextBytes: Int?) {
    let slot = claimed.add(1, ordering: .acquiringAndReleasing).oldValue
    (contexts + slot).initialize(to: contextBytes.flatMap { malloc($0) })
    (functions + slot).initialize(to: { opaqueBody() })
  }

  func drain() {
    for slot in 0..<claimed.exchange(0, ordering: .acquiringAndReleasing) {
      functions[slot]()
      if let context = contexts[slot] { free(context) }
    }
  }
}

func storedCalls(contextBytes: Int?) -> Workload {
  let page = SlotPage()
  return .timed { count in
    var left = count
    while left > 0 {
      let filled = min(left, SlotPage.capacity)
      for _ in 0..<filled { page.push(contextBytes: contextBytes) }
      page.drain()
      left -= filled
    }
  }
}

func allocations(bytes: Int) -> Workload {
  .timed { count in
    for _ in 0..<count {
      let block = malloc(bytes)
      keep(UInt64(UInt(bitPattern: block)))
      free(block)
    }
  }
}
