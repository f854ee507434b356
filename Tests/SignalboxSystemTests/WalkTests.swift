// WalkTests.swift: the quick walk of the caller's own stack, beside the runtime's unwinder: through code without frame pointers.
import Dispatch
import Glibc
import Testing

@testable import SignalboxSystem

/// The stack as both see it, from the caller outward.
@inline(never) private func bothStacks() -> (quick: [UInt], whole: [UInt]) {
  let quick = StackCapture.addresses(limit: 128), whole = ThreadStack.own()
  // Each begins in this function, at two places.
  return (Array(quick.dropFirst()), Array(whole.dropFirst()))
}

/// Calls back from the C library, which is built without frame pointers.
@inline(never) private func fromTheLibrary() -> (quick: [UInt], whole: [UInt]) {
  var seen: (quick: [UInt], whole: [UInt]) = ([], [])
  var numbers: [Int32] = [2, 1]
  // SAFETY: the comparison gets the key's address, on this thread, before bsearch returns.
  withUnsafeMutablePointer(to: &seen) { seen in
    _ = bsearch(seen, &numbers, 2, 4) { key, _ in
      UnsafeMutableRawPointer(mutating: key!).assumingMemoryBound(to: (quick: [UInt], whole: [UInt]).self).pointee =
        bothStacks()
      return 0
    }
  }
  return seen
}

@inline(never) private func deep(_ depth: Int) -> (quick: [UInt], whole: [UInt]) {
  if depth == 0 { return fromTheLibrary() }
  let found = deep(depth - 1)
  return found.quick.isEmpty ? ([], []) : found  // not a tail call
}

@Suite("Walking the caller's stack") struct WalkTests {
  @Test("A stack through the C library, which has no frame pointers, has every caller")
  func library() {
    let found = fromTheLibrary()
    #expect(found.quick.count > 5 && found.quick == found.whole)
  }

  @Test("A stack through the toolchain's Dispatch, thirty levels deep, has every caller")
  func dispatch() {
    let queue = DispatchQueue(label: "walk")
    let found = queue.sync { deep(30) }
    #expect(found.quick.count > 30 && found.quick == found.whole)
  }

  @Test("A stack ends at the first function of its thread")
  func thread() {
    let counts = SharedNumber(), same = SharedNumber()
    TestThread {
      let found = fromTheLibrary()
      counts.value.storeRelease(UInt64(found.quick.count))
      same.value.storeRelease(found.quick == found.whole ? 1 : 0)
    }.join()
    #expect(counts.value.loadAcquire() > 3 && same.value.loadAcquire() == 1)
  }

  @Test("Rules are remembered by many threads at once, and all see the same stack")
  func threads() {
    let wrong = SharedNumber()
    let threads = (0..<4).map { _ in
      TestThread {
        for _ in 0..<200 {
          let found = deep(10)
          if found.quick != found.whole { _ = wrong.value.addRelaxed(1) }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(wrong.value.loadRelaxed() == 0)
  }

  @Test("A stack has no more addresses than there is room for, and none of another stack")
  func limits() {
    #expect(StackCapture.addresses(limit: 3).count == 3)
    var room = [UInt](repeating: 0, count: 8)
    let count = room.withUnsafeMutableBufferPointer { StackCapture.fill($0, above: 16) }
    #expect(count == 0, "the address lies in no stack of this thread")
  }
}
