// WaitBucketTests.swift: into which bucket each waiting time goes, and how many items lie between two positions.
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("Figures of queues, as numbers") struct WaitBucketTests {
  @Test("Each time lies below the end of its bucket and not below the end of the one before; buckets grow by a quarter at most")
  func buckets() {
    var times: [UInt64] = [0, 1, 127]
    for power in 7..<UInt64(43) { for step in 0..<16 { times.append((1 << power) + UInt64(step) << (power - 4)) } }
    var last = 0
    for time in times {
      for near in [time, time + 1, time == 0 ? 0 : time - 1] where near < 1 << 43 {
        let index = WaitBucket.index(near)
        #expect(near < WaitBucket.end(index) && (index == 0 || near >= WaitBucket.end(index - 1)), "\(near) in \(index)")
      }
      let index = WaitBucket.index(time)
      #expect(index >= last)
      last = index
    }
    #expect(last == WaitBucket.count - 1 && WaitBucket.index(.max) == WaitBucket.count - 1)
    for index in 1..<WaitBucket.count {
      let (before, end) = (Double(WaitBucket.end(index - 1)), Double(WaitBucket.end(index)))
      #expect(end > before && end / before <= 1.25)
    }
  }

  @Test("Counts are read up to the last bucket that has any")
  func counts() {
    let counts = WaitCounts()
    #expect(counts.all == [])
    counts.add(0)
    counts.add(200)
    counts.add(201)
    #expect(counts.all == [1, 0, 2] && WaitBucket.index(200) == 2)
  }

  /// Queue inside positions 0 to 6, pages of 255.
  @Test("Between two positions lie the items of the pages between, and no claim behind the last page's end")
  func pending() {
    let (page, next) = (UInt64(0x7000), UInt64(0x8000))
    func position(_ page: UInt64, _ index: UInt64) -> ListPosition { ListPosition(page: page, index: index) }
    #expect(ListCounts.pending(position(0, 2), position(0, 5), pages: 0) == 3)
    #expect(ListCounts.pending(position(0, 6), position(0, 9), pages: 0) == 0, "three wait for a page")
    #expect(ListCounts.pending(position(0, 5), position(0, 0), pages: 0) == 0, "the list turns back at this moment")
    #expect(ListCounts.pending(position(0, 2), position(page, 3), pages: 1) == 7)
    #expect(ListCounts.pending(position(page, 255), position(next, 1), pages: 1) == 1)
    #expect(ListCounts.pending(position(0, 6), position(next, 300), pages: 3) == 2 * 255 + 255)
    #expect(ListCounts.pending(position(page, 5), position(next, 1), pages: 0 &- 1) == 251, "a page that was linked before")
  }
}
