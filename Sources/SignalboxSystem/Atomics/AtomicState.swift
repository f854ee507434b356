// AtomicState.swift: a packed word that several threads move from state to state, by pure steps. What the fields mean stands with the
// state's type (PackedWord.swift); what is done after a step is the caller's.
import SignalboxWords

/// A state of 64 bits in one atomic word.
public typealias AtomicState<State: PackedWord> = AtomicStateWord<State, Atomic64>
/// A state of 32 bits in one atomic word, on which threads can park.
public typealias AtomicState32<State: WordState> = AtomicStateWord<State, Atomic32> where State.RawValue == UInt32

/// An atomic word that holds a `State`, and is changed only by steps from one valid state to the next.
///
/// Each change is one swap of the whole word: a step is a pure function that may run several times, and what it says is to be done is
/// done by the caller after the swap. Debug builds check the invariants of every state before it is stored.
///
/// Orders. The plain forms acquire what the thread before released, and release to the thread after. The forms in `…SeqCst` also take
/// their place in the single total order, for states that are one half of a "write mine, then read yours" pair. The form in `…Acquire`
/// is for coming in, where the thread has nothing to publish yet.
///
/// The methods are transparent, so that debug builds too compile them for the caller's types. As generic functions they ask the Swift
/// runtime at each step for the metadata of the tuple that the step returns, and under the thread sanitizer that takes a lock of the whole
/// process: with 64 workers nothing else ran.
///
/// Thread safety: every method may be called from any thread. A value does not move once another thread may reach it.
@frozen
public struct AtomicStateWord<State: WordState, Word: AtomicWord & ~Copyable>: ~Copyable, Sendable
where Word.Value == State.RawValue {
  /// The word itself, for parking on it or on its halves, and for the frozen fast paths.
  public let word: Word

  /// Creates a word in `state`.
  @_transparent public init(_ state: State) { word = Word(state.rawValue) }

  /// The state now. acquire: what the thread that made it did before is visible.
  @_transparent public func load() -> State { State(rawValue: word.loadAcquire()) }
  /// A state of a moment ago. relaxed: a hint; a step that follows re-checks it.
  @_transparent public func hint() -> State { State(rawValue: word.loadRelaxed()) }
  /// The state now, in the single total order: seq_cst, a "read yours" whose "write mine" the caller names.
  @_transparent public func loadSeqCst() -> State { State(rawValue: word.loadSeqCst()) }

  /// One attempt: `next` in place of `old`. For steps that need something done before the swap, and undone if it fails, such as
  /// counting a reference.
  @_transparent
  public func exchange(_ old: State, for next: State) -> (exchanged: Bool, original: State) {
    next.checkInvariants()
    // acquire-release: pairs with the swaps of the threads before and after.
    let swap = word.casAcqRel(old.rawValue, next.rawValue)
    return (swap.exchanged, State(rawValue: swap.original))
  }

  /// Applies a step that may refuse (nil); returns what it says is to be done.
  @_transparent
  public func tryUpdate<Result>(_ step: (State) -> (State, Result)?) -> Result? {
    var old = word.loadAcquire()  // acquire: a refusal ends without a swap, and the caller acts on what was read
    while true {
      guard let (next, result) = step(State(rawValue: old)) else { return nil }
      next.checkInvariants()
      // acquire-release: pairs with the swaps of the threads before and after.
      let swap = word.casAcqRel(old, next.rawValue)
      if swap.exchanged { return result }
      old = swap.original
    }
  }

  /// Applies a step that may refuse (nil), for a thread that comes in.
  ///
  /// acquire alone: it has written nothing yet that others are to see by this step, and a refusal says only that it must wait.
  @_transparent
  public func tryUpdateAcquire<Result>(_ step: (State) -> (State, Result)?) -> Result? {
    var old = word.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      guard let (next, result) = step(State(rawValue: old)) else { return nil }
      next.checkInvariants()
      let swap = word.casAcquire(old, next.rawValue)  // acquire: pairs with the swap of the thread that let this one in
      if swap.exchanged { return result }
      old = swap.original
    }
  }

  /// Applies a step that may refuse (nil), in the single total order, a refusal's read included.
  @_transparent
  public func tryUpdateSeqCst<Result>(_ step: (State) -> (State, Result)?) -> Result? {
    var old = word.loadSeqCst()  // seq_cst: a refusal ends without a swap, so this very read comes after what the caller wrote
    while true {
      guard let (next, result) = step(State(rawValue: old)) else { return nil }
      next.checkInvariants()
      let swap = word.casSeqCst(old, next.rawValue)  // seq_cst: the other half of the pair that the caller names
      if swap.exchanged { return result }
      old = swap.original
    }
  }

  /// Applies a step that is always possible; returns what it says is to be done.
  @_transparent
  public func update<Result>(_ step: (State) -> (State, Result)) -> Result {
    var old = word.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      let (next, result) = step(State(rawValue: old))
      next.checkInvariants()
      // acquire-release: pairs with the swaps of the threads before and after.
      let swap = word.casAcqRel(old, next.rawValue)
      if swap.exchanged { return result }
      old = swap.original
    }
  }

  /// Applies a step that is always possible, in the single total order.
  @_transparent
  public func updateSeqCst<Result>(_ step: (State) -> (State, Result)) -> Result {
    var old = word.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      let (next, result) = step(State(rawValue: old))
      next.checkInvariants()
      let swap = word.casSeqCst(old, next.rawValue)  // seq_cst: the other half of the pair that the caller names
      if swap.exchanged { return result }
      old = swap.original
    }
  }

  /// The same from `first`, a state that the caller has just loaded in the total order; a step that changes nothing writes nothing.
  @_transparent
  public func updateSeqCst<Result>(from first: State, _ step: (State) -> (State, Result)) -> Result {
    var old = first.rawValue
    while true {
      let (next, result) = step(State(rawValue: old))
      if next.rawValue == old { return result }
      next.checkInvariants()
      // seq_cst: as in updateSeqCst; where it fails as well, so that a step that now changes nothing has read in the order
      let swap = word.casSeqCst(old, next.rawValue)
      if swap.exchanged { return result }
      old = swap.original
    }
  }

  /// Applies a step that asks for nothing and may change nothing; the state afterwards.
  ///
  /// A step that changes nothing writes nothing, and then orders nothing either: whoever needs more has a barrier behind it.
  @_transparent
  public func change(_ step: (State) -> State) -> State {
    var old = word.loadRelaxed()  // relaxed: the swap re-checks; without one the caller has a barrier, or acts on nothing
    while true {
      let next = step(State(rawValue: old))
      if next.rawValue == old { return next }
      next.checkInvariants()
      // acquire-release: pairs with the swaps of the threads before and after.
      let swap = word.casAcqRel(old, next.rawValue)
      if swap.exchanged { return next }
      old = swap.original
    }
  }

  /// Moves from one state to another for a thread that comes in; whether the word still held the first.
  @_transparent
  public func movedAcquire(from state: State, to next: State) -> Bool {
    next.checkInvariants()
    // acquire: pairs with the swap of the thread that let this one in.
    return word.casAcquire(state.rawValue, next.rawValue).exchanged
  }

  /// Moves from one state to another; whether the word still held the first.
  @_transparent
  public func moved(from state: State, to next: State) -> Bool {
    next.checkInvariants()
    // acquire-release: pairs with the swaps of the threads before and after.
    return word.casAcqRel(state.rawValue, next.rawValue).exchanged
  }

  /// Applies a step that asks for nothing, for a thread that comes in; whether it did not refuse (nil). As `tryUpdateAcquire`.
  @_transparent
  public func movedAcquire(_ step: (State) -> State?) -> Bool {
    tryUpdateAcquire { state in step(state).map { ($0, ()) } } != nil
  }

  /// Applies a step that asks for nothing; whether it did not refuse (nil).
  @_transparent
  public func moved(_ step: (State) -> State?) -> Bool {
    tryUpdate { state in step(state).map { ($0, ()) } } != nil
  }
}
