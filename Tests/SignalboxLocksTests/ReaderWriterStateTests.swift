// ReaderWriterStateTests.swift: the reader-writer word without threads: small states, and all orders of small crowds.
import SignalboxWords
import Testing

@testable import SignalboxLocks

@Suite("The reader-writer lock's state word keeps its invariants") struct ReaderWriterStateTests {
  typealias State = ReaderWriterState

  /// Words with up to two of everything that break no invariant.
  static let states: [State] = {
    var found: [State] = []
    for flags in UInt64(0)..<16 {
      for holder in UInt64(0)...2 {
        for readers in UInt64(0)...2 {
          for writers in UInt64(0)...2 {
            let state = State(rawValue: holder | flags << 24 | readers << 32 | writers << 48)
            if state.brokenInvariant == nil { found.append(state) }
          }
        }
      }
    }
    return found
  }()

  @Test("The fields that readers of other processes know by their places")
  func placesOfFields() {
    #expect(ReaderWriterState.holderMask == 0xFF_FFFF && ReaderWriterState.writing == 1 << 24)
    #expect(ReaderWriterState.generation == 1 << 27)
  }

  @Test("The fields do not overlap, and lie where the drawing has them")
  func layout() {
    let fields = [
      State.holderMask, State.writing, State.writersWaiting, State.handOff, State.generation, State.oneReaderWaits * 0xFFFF,
      State.oneWriterWaits * 0xFFFF,
    ]
    #expect(fields.reduce(0, |) == 0xFFFF_FFFF_0FFF_FFFF)
    #expect(fields.reduce(0) { $0 + $1.nonzeroBitCount } == 60)
    #expect(State.readersBarred == 0x380_0000 && State.writersBarred == 0x5FF_FFFF)
  }

  @Test("Every step from every small state keeps the invariants")
  func invariants() {
    #expect(Self.states.count > 100)
    for state in Self.states {
      var next: [State?] = [
        state.afterRead(.fresh), state.afterRead(.holding), state.afterReadWait(), state.afterWriteWait(),
        state.afterWrite(5, .fresh),
      ]
      if state.readersWait > 0 { next += [state.afterRead(.waiting), state.afterReadGiveUp()] }
      if state.writersWait > 0 {
        next += [state.afterWrite(5, .waiting), state.afterWrite(5, .starving), state.afterStarving()]
        next += [state.afterWriteGiveUp(.waiting).next, state.afterWriteGiveUp(.starving).next]
      }
      if state.readers > 0 { next.append(state.afterReadUnlock().next) }
      if state.isWriting { next.append(state.afterWriteUnlock().next) }
      for case let result? in next { #expect(result.brokenInvariant == nil) }
    }
  }

  @Test("Readers and writers come in when they may, and not otherwise")
  func whoMayEnter() {
    for state in Self.states {
      let isOpen = !state.isWriting && state.writersWait == 0
      #expect((state.afterRead(.fresh) != nil) == isOpen)
      #expect((state.rawValue & State.readersBarred == 0) == isOpen)
      #expect(state.isOpenToReaders == isOpen)
      #expect((state.afterRead(.holding) != nil) == (isOpen || state.readers > 0))
      let isFree = state.holder == 0
      #expect((state.afterWrite(5, .fresh) != nil) == (isFree && !state.isHandOff))
      #expect((state.rawValue & State.writersBarred == 0) == (isFree && !state.isHandOff))
      if state.writersWait > 0 {
        #expect((state.afterWrite(5, .waiting) != nil) == (isFree && !state.isHandOff))
        #expect((state.afterWrite(5, .starving) != nil) == isFree)
      }
    }
  }

  @Test("Near the end of the count a reader does not come in by one swap")
  func manyReaders() {
    #expect(State(rawValue: State.mostHolds).isOpenToReaders && !State(rawValue: State.mostHolds + 1).isOpenToReaders)
  }

  @Test("A leaving writer lets in every reader that waits, before the next writer")
  func readersAfterWriter() {
    for state in Self.states where state.isWriting {
      let (next, wake) = state.afterWriteUnlock()
      #expect(next.readers == state.readersWait && next.readersWait == 0 && next.writersWait == state.writersWait)
      #expect((next.generation != state.generation) == (state.readersWait > 0))
      if state.readersWait > 0 {
        #expect(wake == .readers)
      } else {
        #expect(wake == (state.writersWait == 0 ? .nobody : state.isHandOff ? .starvingWriter : .writer))
      }
    }
  }

  @Test("The last reader that leaves wakes a writer, and no other does")
  func writerAfterReaders() {
    for state in Self.states where state.readers > 0 {
      let wake = state.afterReadUnlock().wake
      let isLast = state.readers == 1 && state.writersWait > 0
      #expect(wake == (!isLast ? .nobody : state.isHandOff ? .starvingWriter : .writer))
    }
  }

  @Test("The last writer that gives up lets the readers behind it in; one of several passes its wake on")
  func writerGivesUp() {
    for state in Self.states where state.writersWait > 0 && !state.isWriting {
      let (next, wake) = state.afterWriteGiveUp(.starving)
      #expect(next.writersWait == state.writersWait - 1 && !next.isHandOff)
      if next.writersWait == 0 {
        #expect(wake == (state.readersWait > 0 ? .readers : .nobody))
      } else {
        #expect(wake == (state.holder == 0 ? .writer : .nobody))
      }
    }
  }

  @Test("In no order of steps is a writer not alone, or somebody asleep who could come in", arguments: [2, 3], [false, true])
  func everyOrder(threads: Int, isTimed: Bool) {
    let result = search(from: ReaderWriterModel(threads: Array(repeating: .away, count: threads), isTimed: isTimed))
    #expect(result.complaint == nil)
    #expect(result.states > (threads == 2 ? 100 : 2_000))
  }
}
