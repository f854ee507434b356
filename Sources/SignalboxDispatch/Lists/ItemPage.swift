// ItemPage.swift: 255 slots of heap memory for a queue whose first few slots (inside the queue) do not suffice; and its cache.
//
//   word 0: the next page   word 1: free-list link   then 255 slots of two words. 4,096 bytes. Every first word zero when free.
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

typealias AtomicWords = UnsafeMutablePointer<Atomic64>

enum ItemPage {
  static var slotCount: UInt64 { @inline(__always) get { ListPosition.slotsOnPage } }
  static let wordCount = 512
  private static let perThreadLimit: UInt64 = 4
  private static let sharedLimit = 256
  private static let shared = Shared()

  /// The words of the page at an address, which a list leads to.
  // SAFETY: the page stays a page while the list leads to it.
  @inline(__always) static func words(at page: UInt64) -> AtomicWords {
    UnsafeMutableRawPointer.at(UInt(page)).assumingMemoryBound(to: Atomic64.self)
  }
  /// Its slots, behind the two words of the head.
  @inline(__always) static func slots(at page: UInt64) -> AtomicWords { words(at: page) + 2 }
  /// How far behind a page's address they lie.
  static var slotsOffset: UInt { 16 }

  /// A zeroed page.
  static func take() -> AtomicWords {
    let thread = ThreadSlot.current
    if let free = thread.pointee.pages {
      let page = free.assumingMemoryBound(to: Atomic64.self)
      // relaxed, both: the cache is this thread's own
      thread.pointee.pages = UnsafeMutableRawPointer(bitPattern: UInt(page[1].loadRelaxed()))
      thread.pointee.page_count -= 1
      page[1].storeRelaxed(0)
      return page
    }
    return shared.take() ?? allocate()
  }

  /// The page's slots and first word are zero again.
  static func give(_ page: AtomicWords) {
    let thread = ThreadSlot.current
    // A thread that was never enrolled would lose its cache at its end.
    guard thread.pointee.page_count < perThreadLimit, thread.pointee.owner != 0 else { return giveShared(page) }
    // relaxed: the cache is this thread's own; the page changes threads through locks and claims.
    page[1].storeRelaxed(UInt64(UInt(bitPattern: thread.pointee.pages)))
    thread.pointee.pages = UnsafeMutableRawPointer(page)
    thread.pointee.page_count += 1
  }

  static func threadEnds() {
    let thread = ThreadSlot.current
    while let free = thread.pointee.pages {
      let page = free.assumingMemoryBound(to: Atomic64.self)
      // relaxed, both: the cache is this thread's own
      thread.pointee.pages = UnsafeMutableRawPointer(bitPattern: UInt(page[1].loadRelaxed()))
      page[1].storeRelaxed(0)
      giveShared(page)
    }
    thread.pointee.page_count = perThreadLimit  // what this thread still gives goes to all: nobody would fetch it here
  }

  static func free(_ page: AtomicWords) { UnsafeMutableRawPointer(page).deallocate() }

  private static func giveShared(_ page: AtomicWords) { if !shared.give(page, limit: sharedLimit) { free(page) } }

  private static func allocate() -> AtomicWords {
    let raw = UnsafeMutableRawPointer.allocate(byteCount: wordCount * 8, alignment: 64)
    raw.initializeMemory(as: UInt64.self, repeating: 0, count: wordCount)
    // SAFETY: Atomic64 is one UInt64 in memory; the words are only used as Atomic64 from here on.
    return raw.assumingMemoryBound(to: Atomic64.self)
  }

  private final class Shared: Sendable {
    let lock = UnfairLock()
    // SAFETY: guarded by `lock`, which excludes what the exclusivity check detects.
    @exclusivity(unchecked) nonisolated(unsafe) var pages: [AtomicWords] = []
    func take() -> AtomicWords? { lock.withLock { pages.popLast() } }
    func give(_ page: AtomicWords, limit: Int) -> Bool {
      lock.withLock {
        guard pages.count < limit else { return false }
        pages.append(page)
        return true
      }
    }
  }
}
