// SamplerStateTests.swift: the sampler's word: every step from every state, and every interleaving of threads that leave work to a worker with the
// sampler's glances, samples and sleep. No threads, no clock.
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("The sampler hears who asks for a glance, and loses none") struct SamplerStateTests {
  static let states: [SamplerState] = [.asleep, .period, .soon, .deaf]

  @Test("Every step from every state")
  func steps() {
    for state in Self.states {
      #expect(state.brokenInvariant == nil)
      #expect(state.hears == (state == .asleep || state == .period))
      let called = state.afterCall(), asked = state.afterAsk()
      #expect(called.next == (state == .asleep ? .period : state) && called.wakes == (state == .asleep))
      #expect(asked.next == (state.hears ? .soon : state) && asked.wakes == state.hears)
      for mayGlance in [false, true] {
        #expect(state.afterGlance(mayGlance: mayGlance) == (state != .soon ? state : mayGlance ? .period : .deaf))
        #expect(state.afterSample(mayGlance: mayGlance) == (state == .deaf && mayGlance ? .period : state))
      }
      let quiet = state.afterQuiet()
      #expect(quiet.next == (state == .soon ? .soon : .asleep) && quiet.sleeps == (state != .soon))
    }
    #expect(SamplerState(rawValue: 4).brokenInvariant != nil)
  }

  @Test("Two threads that leave work, and one that calls: whatever the order, nothing lies beside a sampler that sleeps on")
  func interleavings() {
    let found = World.search(leaving: [])
    #expect(found.broken == nil)
    #expect(found.count > 1_000)
  }

  @Test(
    "Without one of the two checks after a swap, or without the wake, an order is found in which work lies",
    arguments: World.Part.allCases)
  func weaker(part: World.Part) { #expect(World.search(leaving: [part]).broken != nil) }
}

/// Threads and sampler as they are at one moment. Each step is one operation on what they share.
struct World: Hashable {
  /// What a search leaves out, to show that it would be missed.
  enum Part: CaseIterable { case checkAfterGlance, checkAfterSample, checkAfterSleep, wake }

  enum Asker: Hashable { case fresh, left, heard, owesWake, done }
  enum Caller: Hashable { case fresh, left, saw, owesWake, done }
  enum Sampler: Hashable {
    case about, parked(UInt32), reads, swaps, checksGlance, asks
    case samples, hears, checksSample, asksAgain, mayBeQuiet, quiet, checksSleep, asksAtOnce
  }

  var word: UInt32 = SamplerState.asleep.rawValue
  /// Whether work lies with a worker that does not come to it.
  var lies = false
  var askers: [Asker] = [.fresh, .fresh]
  var caller = Caller.fresh
  var sampler = Sampler.about

  private var state: SamplerState { SamplerState(rawValue: word) }
  private func with(_ change: (inout World) -> Void) -> World {
    var next = self
    change(&next)
    return next
  }

  /// Work lies, all have done what they would, and the sampler sleeps in a state in which a thread counts on more.
  var isBroken: Bool {
    guard lies, case .parked = sampler, caller == .done, askers.allSatisfy({ $0 == .done }) else { return false }
    return state != .deaf
  }

  /// A thread that parks wakes if the word is another by then; one that sleeps already is woken.
  private mutating func wake() { if case .parked = sampler { sampler = .about } }

  func steps(leaving parts: Set<Part>) -> [World] {
    askers.indices.flatMap { asking($0, parts) } + calling(parts) + sampling(parts)
  }

  private func asking(_ index: Int, _ parts: Set<Part>) -> [World] {
    switch askers[index] {
    case .fresh:
      [
        with {
          $0.lies = true; $0.askers[index] = .left
        }
      ]
    case .left: [with { $0.askers[index] = state.hears ? .heard : .done }]
    case .heard:
      [
        with {
          let (next, wakes) = state.afterAsk()
          $0.word = next.rawValue
          $0.askers[index] = wakes && !parts.contains(.wake) ? .owesWake : .done
        }
      ]
    case .owesWake:
      [
        with {
          $0.wake(); $0.askers[index] = .done
        }
      ]
    case .done: []
    }
  }

  private func calling(_ parts: Set<Part>) -> [World] {
    switch caller {
    case .fresh: [with { $0.caller = .left }]
    case .left: [with { $0.caller = state == .asleep ? .saw : .done }]
    case .saw:
      [
        with {
          let (next, wakes) = state.afterCall()
          $0.word = next.rawValue
          $0.caller = wakes ? .owesWake : .done
        }
      ]
    case .owesWake:
      [
        with {
          $0.wake(); $0.caller = .done
        }
      ]
    case .done: []
    }
  }

  private func sampling(_ parts: Set<Part>) -> [World] {
    switch sampler {
    case .about:
      switch state {
      case .soon: [with { $0.sampler = .reads }]
      // It loads the word, and parks if that is still the same.
      default: [with { $0.sampler = .parked(word) }]
      }
    case .parked(let expected):
      // Its time is over, but for one that sleeps without limit; or the word was another before it slept.
      (expected == SamplerState.asleep.rawValue ? [] : [with { $0.sampler = .samples }])
        + (expected != word ? [with { $0.sampler = .about }] : [])
    case .reads:
      // The work is given to others, or a reading comes too early to judge.
      [
        with {
          $0.lies = false; $0.sampler = .swaps
        }
      ] + (lies ? [with { $0.sampler = .reads }] : [])
    case .swaps:
      [false, true].map { mayGlance in
        with {
          $0.word = state.afterGlance(mayGlance: mayGlance).rawValue
          $0.sampler = mayGlance && !parts.contains(.checkAfterGlance) ? .checksGlance : .about
        }
      }
    case .checksGlance: [with { $0.sampler = lies ? .asks : .about }]
    case .asks:
      [
        with {
          $0.word = state.afterAsk().next.rawValue; $0.sampler = .reads
        }
      ]
    // A sample may find the work too fresh, but then there is another before the sampler sleeps.
    case .samples:
      [
        with {
          $0.lies = false; $0.sampler = .hears
        }
      ]
    case .hears:
      [false, true].map { mayGlance in
        let hearsAgain = state == .deaf && mayGlance && !parts.contains(.checkAfterSample)
        return with {
          $0.word = state.afterSample(mayGlance: mayGlance).rawValue; $0.sampler = hearsAgain ? .checksSample : .mayBeQuiet
        }
      }
    case .checksSample: [with { $0.sampler = lies ? .asksAgain : .mayBeQuiet }]
    case .asksAgain:
      [
        with {
          $0.word = state.afterAsk().next.rawValue; $0.sampler = .mayBeQuiet
        }
      ]
    case .mayBeQuiet: [Sampler.about, .quiet].map { next in with { $0.sampler = next } }
    case .quiet:
      [
        with {
          let (next, sleeps) = state.afterQuiet()
          $0.word = next.rawValue
          $0.sampler = sleeps && !parts.contains(.checkAfterSleep) ? .checksSleep : .about
        }
      ]
    case .checksSleep: [with { $0.sampler = lies ? .asksAtOnce : .about }]
    case .asksAtOnce:
      [
        with {
          $0.word = state.afterAsk().next.rawValue; $0.sampler = .about
        }
      ]
    }
  }

  /// Every state that is reached, and one that is broken.
  static func search(leaving parts: Set<Part>) -> (count: Int, broken: World?) {
    var seen: Set<World> = [World()]
    var open = Array(seen)
    while let world = open.popLast() {
      if world.isBroken { return (seen.count, world) }
      for next in world.steps(leaving: parts) where seen.insert(next).inserted { open.append(next) }
    }
    return (seen.count, nil)
  }
}

@Suite("The sampler glances for less than a hundredth of a processor") struct GlanceBudgetTests {
  /// How many readings are taken from `start` for `time` by a sampler that would take one each 30 us.
  static func readings(_ budget: inout GlanceBudget, from start: UInt64, for time: UInt64) -> UInt64 {
    var count: UInt64 = 0
    for now in stride(from: start, to: start + time, by: 30_000) where budget.allows(now: now) {
      budget.spend(now: now)
      count += 1
    }
    return count
  }

  @Test("Sixteen in a row, then one in two milliseconds; and sixteen again after a rest")
  func rate() {
    var budget = GlanceBudget()
    let day: UInt64 = 86_400_000_000_000
    #expect(Self.readings(&budget, from: day, for: 1_900_000) == 16)
    #expect((49...51).contains(Self.readings(&budget, from: day + 2_000_000, for: 100_000_000)))
    #expect(Self.readings(&budget, from: 2 * day, for: 1_900_000) == 16)
    #expect(!budget.allows(now: 2 * day + 1_900_000))
    #expect(budget.allows(now: 2 * day + 4_000_000))
  }

  @Test("A reading that was asked for is taken, allowed or not, and counts")
  func owed() {
    var budget = GlanceBudget()
    let now: UInt64 = 1_000_000_000
    for _ in 0..<20 { budget.spend(now: now) }
    #expect(!budget.allows(now: now + 9_999_999))
    #expect(budget.allows(now: now + 10_000_000))
  }

  @Test("A machine that has just started counts as one at rest for as long as it runs")
  func youngMachine() {
    var budget = GlanceBudget()
    #expect(!budget.allows(now: 1_000_000))
    #expect(Self.readings(&budget, from: 4_000_000, for: 30_000) == 1)
  }
}
