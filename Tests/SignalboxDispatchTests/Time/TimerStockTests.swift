// TimerStockTests.swift: blocks of timer entries against a plain count: every entry is one caller's at a time, and what is too much is given up.
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

@Suite("The stock of timer entries") struct TimerStockTests {
  @Test("An entry is never taken twice, comes free of links, and blocks that are too many leave", arguments: 0..<8)
  func model(seed: Int) {
    var random = SmallRandom(seed: UInt64(seed) + 11)
    var stock = TimerStock(), taken: [TimerEntryPointer] = [], blocks = 0
    for round in 0..<400 {
      // Up and down, from nothing to some forty blocks.
      let isGrowing = random.next() % 100 < (round / 100 % 2 == 0 ? 70 : 30)
      let count = Int(random.next() % 200)
      if isGrowing {
        for _ in 0..<count {
          let entry: TimerEntryPointer
          if let found = stock.take() {
            entry = found
          } else {
            #expect(blocks * TimerBlock.count == taken.count, "all that there are have been taken")
            stock.add(TimerBlock.make())
            blocks += 1
            guard let found = stock.take() else { return #expect(Bool(false), "a new block has entries") }
            entry = found
          }
          #expect(!entry.isArmed && entry.pointee.isFromStock)
          taken.append(entry)
        }
        #expect(Set(taken).count == taken.count)
      } else {
        var spent: [TimerEntryPointer] = []
        for _ in 0..<min(count, taken.count) { spent.append(taken.remove(at: Int(random.next() % UInt64(taken.count)))) }
        var gone: TimerBlockPointer?
        stock.give(spent, gone: &gone)
        var next = gone
        while let block = next {
          #expect(block.pointee.freeCount == TimerBlock.count)
          next = block.pointee.next
          blocks -= 1
        }
        gone?.freeAll()
      }
      #expect(stock.spareCount <= TimerStock.spareLimit)
      #expect(blocks * TimerBlock.count >= taken.count)
    }
    var gone: TimerBlockPointer?
    stock.give(taken, gone: &gone)
    gone?.freeAll()
    #expect(stock.spareCount <= TimerStock.spareLimit)
  }

  @Test("Of a crowd that has gone sixteen blocks are kept, and used again") func crowd() {
    var stock = TimerStock()
    var all: [TimerEntryPointer] = []
    for _ in 0..<40 {
      stock.add(TimerBlock.make())
      for _ in 0..<TimerBlock.count { if let entry = stock.take() { all.append(entry) } }
    }
    #expect(all.count == 40 * TimerBlock.count && stock.take() == nil && stock.spareCount == 0)
    var gone: TimerBlockPointer?, count = 0
    stock.give(all, gone: &gone)
    var next = gone
    while let block = next { (next, count) = (block.pointee.next, count + 1) }
    gone?.freeAll()
    gone = nil
    #expect(count == 40 - TimerStock.spareLimit && stock.spareCount == TimerStock.spareLimit)
    all = (0..<TimerStock.spareLimit * TimerBlock.count).compactMap { _ in stock.take() }
    #expect(all.count == TimerStock.spareLimit * TimerBlock.count && stock.take() == nil)
    stock.give(all, gone: &gone)
  }
}
