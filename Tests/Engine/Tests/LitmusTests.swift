// LitmusTests.swift: the memory model, by the classic small programs: with the right orders the forbidden outcome never comes, in all
// schedules; with weaker ones it is found.
import SignalboxExplore
import SignalboxSystem
import Testing

/// The words that the threads share.
private final class Words: Sendable {
  let x = Atomic64(0)
  let y = Atomic64(0)
  let z = Atomic64(0)
}

@Suite(.serialized) struct LitmusTests {
  /// Runs all schedules; what came out.
  private func outcomes(
    memory: ExploreMemory = .weak, function: StaticString = #function,
    _ body: @escaping @Sendable (Words, [Saw]) -> Void
  ) throws -> Set<[UInt64]> {
    let outcomes = Outcomes()
    let result = try exploreWords(memory: memory, schedules: 200_000, function: function) {
      let saw = [Saw(), Saw(), Saw(), Saw()]
      body(Words(), saw)
      outcomes.add(saw.flatMap(\.values))
    }
    #expect(result.isExhaustive)
    report(result, function)
    return outcomes.set
  }

  // MARK: store buffering

  /// Each of two threads writes its own word, passes what lies between, and reads the other's word.
  private func storeBuffering(
    memory: ExploreMemory = .weak, _ function: StaticString = #function,
    store: @escaping @Sendable (borrowing Atomic64) -> Void, load: @escaping @Sendable (borrowing Atomic64) -> UInt64,
    betweenFirst: @escaping @Sendable () -> Void = {}, betweenSecond: @escaping @Sendable () -> Void = {}
  ) throws -> Set<[UInt64]> {
    try outcomes(memory: memory, function: function) { words, saw in
      race(
        {
          store(words.x)
          betweenFirst()
          saw[0].values = [load(words.y)]
        },
        {
          store(words.y)
          betweenSecond()
          saw[1].values = [load(words.x)]
        })
    }
  }

  @Test("Store buffering: with seq_cst one of the two threads sees the other's store")
  func storeBuffering() throws {
    let seen = try storeBuffering(store: { $0.storeSeqCst(1) }, load: { $0.loadSeqCst() })
    #expect(seen == [[0, 1], [1, 0], [1, 1]])
  }

  @Test("A report shows the order and the value of a load that reads an older store")
  func shownLoad() throws {
    do {
      let result = try exploreWords(memory: .weak, schedules: 1_000) {
        let words = Words(), saw = Saw()
        for value in [5, 6] as [UInt64] { words.x.storeRelaxed(value) }  // relaxed, both: before the other thread begins
        race(
          {
            words.x.storeRelaxed(7)  // relaxed, this and the next: the order that the test is about is the load's
            words.y.storeRelaxed(1)
          }, { if words.y.loadAcquire() == 1 { saw.values = [words.x.loadAcquire()] } })
        try require(saw.values != [6], "an older store was read")
      }
      Issue.record("\(result)")
    } catch let failure as ExploreFailure {
      let text = "\(failure)"
      for part in [" acquire: 6  LitmusTests.swift", "reads what was there 1 store before"] {
        #expect(text.contains(part), "\(text)")
      }
    }
  }

  @Test("Store buffering: with release and acquire both threads may miss the other's store")
  func storeBufferingWeakened() throws {
    let seen = try storeBuffering(store: { $0.storeRelease(1) }, load: { $0.loadAcquire() })
    #expect(seen == [[0, 0], [0, 1], [1, 0], [1, 1]])
  }

  @Test("Store buffering: in sequential memory relaxed orders do no harm")
  func storeBufferingSequential() throws {
    let seen = try storeBuffering(memory: .sequential, store: { $0.storeRelaxed(1) }, load: { $0.loadRelaxed() })
    #expect(seen == [[0, 1], [1, 0], [1, 1]])
  }

  @Test("Store buffering: a barrier of all threads on one side stands for one on the other")
  func storeBufferingBarrier() throws {
    let seen = try storeBuffering(
      store: { $0.storeRelaxed(1) }, load: { $0.loadRelaxed() }, betweenFirst: { Barrier.keepOrder() },
      betweenSecond: { #expect(Barrier.processWide()) })
    #expect(seen == [[0, 1], [1, 0], [1, 1]])
  }

  // MARK: message passing

  /// One thread writes a word and then a flag, the other reads the flag and then the word.
  private func messagePassing(
    _ function: StaticString = #function, store: @escaping @Sendable (borrowing Atomic64) -> Void,
    load: @escaping @Sendable (borrowing Atomic64) -> UInt64
  ) throws -> Set<[UInt64]> {
    try outcomes(function: function) { words, saw in
      race(
        {
          words.x.storeRelaxed(1)
          store(words.y)
        }, { saw[0].values = [load(words.y), words.x.loadRelaxed()] })
    }
  }

  @Test("Message passing: who acquires what was released sees what came before it")
  func messagePassing() throws {
    let seen = try messagePassing(store: { $0.storeRelease(1) }, load: { $0.loadAcquire() })
    #expect(seen == [[0, 0], [0, 1], [1, 1]])
  }

  @Test("Message passing: with a relaxed store the message may be old")
  func messagePassingWithoutRelease() throws {
    let seen = try messagePassing(store: { $0.storeRelaxed(1) }, load: { $0.loadAcquire() })
    #expect(seen.contains([1, 0]))
  }

  @Test("Message passing: with a relaxed load the message may be old")
  func messagePassingWithoutAcquire() throws {
    let seen = try messagePassing(store: { $0.storeRelease(1) }, load: { $0.loadRelaxed() })
    #expect(seen.contains([1, 0]))
  }

  @Test("Message passing goes on from thread to thread")
  func messagePassingThroughThree() throws {
    let seen = try outcomes { words, saw in
      race(
        {
          words.x.storeRelaxed(1)
          words.y.storeRelease(1)
        }, { if words.y.loadAcquire() == 1 { words.z.storeRelease(1) } },
        { saw[0].values = [words.z.loadAcquire(), words.x.loadRelaxed()] })
    }
    #expect(seen.contains([1, 1]) && !seen.contains([1, 0]))
  }

  // MARK: independent reads of independent writes

  private func independentReads(
    _ function: StaticString = #function, store: @escaping @Sendable (borrowing Atomic64) -> Void,
    load: @escaping @Sendable (borrowing Atomic64) -> UInt64
  ) throws -> Set<[UInt64]> {
    try outcomes(function: function) { words, saw in
      race(
        { store(words.x) }, { store(words.y) },
        {
          let first = load(words.x)
          saw[0].values = [first, load(words.y)]
        },
        {
          let first = load(words.y)
          saw[1].values = [first, load(words.x)]
        })
    }
  }

  @Test("Independent reads of independent writes: with seq_cst all threads agree on the order")
  func independentReads() throws {
    let seen = try independentReads(store: { $0.storeSeqCst(1) }, load: { $0.loadSeqCst() })
    #expect(!seen.contains([1, 0, 1, 0]))
    #expect(seen.count == 15)
  }

  @Test("Independent reads of independent writes: with release and acquire threads may disagree")
  func independentReadsWeakened() throws {
    let seen = try independentReads(store: { $0.storeRelease(1) }, load: { $0.loadAcquire() })
    #expect(seen.contains([1, 0, 1, 0]))
    #expect(seen.count == 16)
  }

  // MARK: coherence

  @Test("Coherence: a thread never reads an older value of a word than it has read before")
  func coherence() throws {
    let seen = try outcomes { words, saw in
      race(
        {
          words.x.storeRelaxed(1)
          words.x.storeRelaxed(2)
        }, { saw[0].values = [words.x.loadRelaxed(), words.x.loadRelaxed()] })
    }
    #expect(seen == [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]])
  }

  @Test("Coherence: what one thread has read another does not miss who comes after it")
  func coherenceOfReads() throws {
    let seen = try outcomes { words, saw in
      race(
        { words.x.storeRelaxed(1) },
        {
          saw[0].values = [words.x.loadRelaxed()]
          words.y.storeRelease(1)
        }, { saw[1].values = [words.y.loadAcquire(), words.x.loadRelaxed()] })
    }
    #expect(!seen.contains([1, 1, 0]))
    #expect(seen.contains([1, 0, 0]) && seen.contains([1, 1, 1]) && seen.contains([0, 1, 0]))
  }

  @Test("Updates read the newest value: no addition is lost")
  func additions() throws {
    let seen = try outcomes { words, saw in
      race(
        { saw[0].values = [words.x.addRelaxed(1)] }, { saw[1].values = [words.x.addRelaxed(1)] },
        { saw[2].values = [words.x.addRelaxed(1)] })
    }
    #expect(seen == [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  }

  // MARK: release sequences

  @Test("Release sequence: an update of others in between hands the release on")
  func releaseSequence() throws {
    let seen = try outcomes { words, saw in
      race(
        {
          words.x.storeRelaxed(1)
          words.y.storeRelease(1)
        }, { _ = words.y.casRelaxed(1, 2) },
        { saw[0].values = [words.y.loadAcquire(), words.x.loadRelaxed()] })
    }
    #expect(seen.contains([2, 1]) && !seen.contains([2, 0]) && !seen.contains([1, 0]))
  }

  @Test("Release sequence: a relaxed store ends it, the same thread's too")
  func releaseSequenceBroken() throws {
    let seen = try outcomes { words, saw in
      race(
        {
          words.x.storeRelaxed(1)
          words.y.storeRelease(1)
          words.y.storeRelaxed(2)
        }, { saw[0].values = [words.y.loadAcquire(), words.x.loadRelaxed()] })
    }
    #expect(seen.contains([2, 0]) && !seen.contains([1, 0]))
  }

  // MARK: load buffering

  @Test("Load buffering: that a load reads what comes after it is not modelled")
  func loadBuffering() throws {
    let seen = try outcomes { words, saw in
      race(
        {
          saw[0].values = [words.x.loadRelaxed()]
          words.y.storeRelaxed(1)
        },
        {
          saw[1].values = [words.y.loadRelaxed()]
          words.x.storeRelaxed(1)
        })
    }
    #expect(seen == [[0, 0], [0, 1], [1, 0]])
  }

  // MARK: threads

  @Test("What a thread did before it starts another, and what that one did until it is joined, is known")
  func startAndJoin() throws {
    let seen = try outcomes { words, saw in
      words.x.storeRelaxed(1)
      race({
        saw[0].values = [words.x.loadRelaxed()]
        words.y.storeRelaxed(1)
      })
      saw[1].values = [words.y.loadRelaxed()]
    }
    #expect(seen == [[1, 1]])
  }

  @Test("A thread that polls reads every store in the end")
  func polling() throws {
    let seen = try outcomes { words, saw in
      race(
        {
          words.x.storeRelaxed(1)
          words.y.storeRelease(1)
        },
        {
          while words.y.loadAcquire() == 0 {}
          saw[0].values = [words.x.loadRelaxed()]
        })
    }
    #expect(seen == [[1]])
  }

  // MARK: parking

  @Test("A store before a wake is not missed by whoever parks")
  func parking() throws {
    let seen = try outcomes { words, saw in
      let word = SharedWord()
      race(
        {
          word.value.storeRelease(1)
          word.value.wake()
        },
        {
          while word.value.loadAcquire() == 0 { word.value.park(expected: 0) }
          saw[0].values = [1]
        })
      withExtendedLifetime(words) {}
    }
    #expect(seen == [[1]])
  }

  @Test("A thread that nobody wakes is a deadlock")
  func parkingForgotten() {
    expectFailure(.deadlock) {
      let word = SharedWord()
      race(
        { word.value.storeRelease(1) },
        { while word.value.loadAcquire() == 0 { word.value.park(expected: 0) } })
    }
  }

  @Test("A limit is no help in still memory: a lost wake-up is a deadlock")
  func parkingWithLimit() {
    expectFailure(.deadlock) {
      let word = SharedWord()
      race(
        { word.value.storeRelease(1) },
        {
          while word.value.loadAcquire() == 0 { word.value.park(expected: 0, deadline: .uptime(Clock.uptime() + 1_000_000)) }
        })
    }
  }
}

/// A word to park on.
final class SharedWord: Sendable {
  let value = Atomic32(0)
}
