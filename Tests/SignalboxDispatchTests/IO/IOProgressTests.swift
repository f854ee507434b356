// IOProgressTests.swift: every reachable small state of an operation × every event keeps the invariants; the policy's
// rules; which operation starts behind barriers. No threads, no descriptors.
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

@Suite("Progress of an I/O operation keeps its invariants") struct IOProgressTests {
  /// All policies of small marks.
  static let policies: [IOPolicy] = {
    var all: [IOPolicy] = []
    for low in [nil, 0, 1, 2, 3, 9] as [Int?] {
      for high in [1, 2, 3, Int.max] {
        var policy = IOPolicy()
        policy.setHigh(high)
        if let low { policy.setLow(low) }
        all.append(policy)
      }
    }
    return all
  }()

  static func forEachStart(_ body: (IOProgress) -> Void) {
    for direction in [IOProgress.Direction.read, .write] {
      for policy in policies {
        for length in [0, 1, 2, 5] {
          for piece in [1, 3] {
            for (waits, isSingle) in [(false, false), (true, false), (true, true), (false, true)] {
              body(IOProgress(direction, length: length, policy: policy, piece: piece, waits: waits, isSingle: isSingle))
            }
          }
        }
      }
    }
  }

  /// The states that transfers lead to, each with what was reported until then.
  private static func walk(_ start: IOProgress, _ visit: (IOProgress, IOProgress.Step, _ told: Int) -> Void) {
    var open = [(start, 0)]
    while let (state, told) = open.popLast() {
      guard state.transferred < state.length else { continue }
      let request = state.request
      #expect(request >= 1 && request <= state.piece && request <= state.length - state.transferred)
      for count in 1...request {
        var next = state
        let step = next.moved(count, of: request)
        visit(next, step, told)
        if case .finish = step.next { continue }
        var reported = told
        if step.reports {
          reported += next.undelivered
          next.reported()
        }
        open.append((next, reported))
      }
    }
  }

  @Test("The invariants hold for all sequences of bytes, no byte is reported twice, and the water marks are kept")
  func transfers() {
    Self.forEachStart { start in
      Self.walk(start) { state, step, told in
        #expect(state.undelivered <= state.transferred && state.transferred <= state.length)
        #expect(state.undelivered <= state.high)
        #expect(told + state.undelivered == state.transferred || state.isSingle)
        if step.reports {
          #expect(state.undelivered >= min(state.low, state.high) && state.undelivered > 0)
          #expect(!state.isSingle)
        } else if case .finish = step.next {
          #expect(state.transferred == state.length || state.isSingle)
        } else if !state.isSingle {
          #expect(state.undelivered < state.high)
        }
        #expect((step.next == .finish(0)) == (state.transferred == state.length) || state.isSingle)
      }
    }
  }

  @Test("An operation that waits reports only what is worth it, and only a single shot with bytes ends")
  func blocked() {
    Self.forEachStart { start in
      #expect(start.length == 0 || start.blocked() == IOProgress.Step(next: .wait))
      Self.walk(start) { state, step, _ in
        guard !step.reports, step.next == .transfer || step.next == .wait else { return }
        let step = state.blocked()
        if state.isSingle && state.direction == .read {
          #expect(step == IOProgress.Step(next: .finish(0)))
        } else {
          #expect(step.next == .wait)
          #expect(step.reports == (state.undelivered >= state.low && !state.isSingle && state.undelivered > 0))
        }
      }
    }
  }

  @Test("At an end or error, bytes read but not reported come first, and a write's rest comes with the last call")
  func ends() {
    Self.forEachStart { start in
      Self.walk(start) { state, _, _ in
        for error in [0, 32] as [Int32] {
          let step = state.ended(error)
          #expect(step.next == .finish(error))
          #expect(step.reports == (state.direction == .read && state.undelivered > 0 && !state.isSingle))
        }
      }
    }
  }

  @Test("A strict interval always reports, another from the low mark on, a single shot never")
  func ticks() {
    Self.forEachStart { start in
      #expect(start.ticked(isStrict: true) == !start.isSingle)
      #expect(!start.ticked(isStrict: false))
      Self.walk(start) { state, _, _ in
        #expect(state.ticked(isStrict: false) == (!state.isSingle && state.undelivered > 0 && state.undelivered >= state.low))
      }
    }
  }

  @Test("An operation of no bytes is over before it begins")
  func begin() {
    Self.forEachStart { #expect($0.begun() == IOProgress.Step(next: $0.length == 0 ? .finish(0) : .transfer)) }
  }

  @Test("Something that waits is not asked again after it gave less than asked")
  func drained() {
    var policy = IOPolicy()
    policy.setLow(1)
    var waiting = IOProgress(.read, length: 100, policy: policy, piece: 10, waits: true)
    #expect(waiting.moved(3, of: 10) == IOProgress.Step(reports: true, next: .wait))
    var file = IOProgress(.read, length: 100, policy: policy, piece: 10, waits: false)
    #expect(file.moved(3, of: 10) == IOProgress.Step(reports: true, next: .transfer))
  }

  @Test("Marks take each other along; no high mark is below a byte")
  func policy() {
    var policy = IOPolicy()
    #expect(policy.low == nil && policy.high == .max)
    policy.setHigh(0)
    #expect(policy.high == 1)
    policy.setLow(100)
    #expect(policy.low == 100 && policy.high == 100)
    policy.setHigh(50)
    #expect(policy.low == 50 && policy.high == 50)
    policy.setHigh(-1)
    #expect(policy.high == .max && policy.low == 50)
    policy.setLow(-1)
    #expect(policy.low == .max)
  }

  @Test("First in, first out; taking some out keeps the order")
  func fifo() {
    var fifo = Fifo<Int>()
    for number in 0..<5 { fifo.append(number) }
    #expect(fifo.popFirst() == 0 && fifo.first == 1)
    fifo.append(5)
    #expect(fifo.removeAll { $0 % 2 == 0 } == [2, 4])
    var rest: [Int] = []
    while let number = fifo.popFirst() { rest.append(number) }
    #expect(rest == [1, 3, 5] && fifo.isEmpty && fifo.first == nil)
  }
}
