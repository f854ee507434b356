// ReaderWriterModel.swift: threads at a reader-writer lock, step by step, in the order in which ReaderWriterLock+Wait makes them.
@testable import SignalboxLocks
import SignalboxWords

/// Up to four threads that read or write. As in LockModel, no timer saves a sleeper; it only lets a writer starve.
struct ReaderWriterModel: Model {
  typealias State = ReaderWriterState

  enum Thread: Hashable {
    case away, writing
    /// Read holds of this thread.
    case reading(Int)
    /// Counted in the word; about to check it. The generation it waits in; whether it reads already.
    case pollingToRead(UInt64)
    case pollingToWrite(State.Writer)
    /// The kernel is about to compare the half with this value.
    case parkingToRead(UInt64, UInt32)
    case parkingToWrite(State.Writer, UInt32)
    case asleepToRead(UInt64)
    case asleepToWrite(State.Writer)
    /// Has swapped; the wake is still to be made.
    case waking(State.WakeAction, thenReads: Int)
  }

  var word: UInt64 = 0
  var threads: [Thread]
  /// Whether waits may end by time.
  var isTimed: Bool

  private var state: State { State(rawValue: word) }
  private func owner(_ index: Int) -> UInt64 { UInt64(index + 1) }

  private func with(_ index: Int, _ thread: Thread, _ state: State? = nil) -> Self {
    var next = self
    next.threads[index] = thread
    if let state { next.word = state.rawValue }
    return next
  }

  /// After a swap: which threads it wakes is still to be found, unless it wakes none.
  private func after(_ index: Int, _ step: (next: State, wake: State.WakeAction), holds: Int = 0) -> Self {
    if step.wake != .nobody { return with(index, .waking(step.wake, thenReads: holds), step.next) }
    return with(index, holds > 0 ? .reading(holds) : .away, step.next)
  }

  var successors: [Self] { threads.indices.flatMap { steps(of: $0) } }

  private func steps(of index: Int) -> [Self] {
    switch threads[index] {
    case .away: [askToRead(index, .fresh, holds: 0), askToWrite(index)]
    case .reading(let holds):
      [after(index, state.afterReadUnlock(), holds: holds - 1)]
        + (holds == 1 ? [askToRead(index, .holding, holds: 1)] : [])
    case .writing: [after(index, state.afterWriteUnlock())]
    case .pollingToRead(let generation): pollToRead(index, generation)
    case .pollingToWrite(let writer): pollToWrite(index, writer)
    case .parkingToRead(let generation, let expected):
      [with(index, state.low == expected ? .asleepToRead(generation) : .pollingToRead(generation))]
    case .parkingToWrite(let writer, let expected):
      [with(index, state.low == expected ? .asleepToWrite(writer) : .pollingToWrite(writer))]
    case .asleepToRead(let generation): isTimed ? [with(index, .pollingToRead(generation))] : []
    case .asleepToWrite(let writer):
      (isTimed ? [with(index, .pollingToWrite(writer))] : [])
        + (writer == .waiting ? [with(index, .pollingToWrite(.starving))] : [])
    case .waking(let wake, let holds): wakes(index, wake, holds > 0 ? .reading(holds) : .away)
    }
  }

  private func askToRead(_ index: Int, _ reader: State.Reader, holds: Int) -> Self {
    if let next = state.afterRead(reader) { return with(index, .reading(holds + 1), next) }
    return with(index, .pollingToRead(state.generation), state.afterReadWait())
  }

  private func askToWrite(_ index: Int) -> Self {
    if let next = state.afterWrite(owner(index), .fresh) { return with(index, .writing, next) }
    return with(index, .pollingToWrite(.waiting), state.afterWriteWait())
  }

  private func pollToRead(_ index: Int, _ generation: UInt64) -> [Self] {
    if state.generation != generation { return [with(index, .reading(1))] }
    if let next = state.afterRead(.waiting) { return [with(index, .reading(1), next)] }
    return [with(index, .parkingToRead(generation, state.low))]
      + (isTimed ? [with(index, .away, state.afterReadGiveUp())] : [])
  }

  private func pollToWrite(_ index: Int, _ writer: State.Writer) -> [Self] {
    if let next = state.afterWrite(owner(index), writer) { return [with(index, .writing, next)] }
    let asked = writer == .starving ? state.afterStarving() : state
    return [with(index, .parkingToWrite(writer, asked.low), asked)]
      + (isTimed ? [after(index, state.afterWriteGiveUp(writer))] : [])
  }

  private func wakes(_ index: Int, _ wake: State.WakeAction, _ then: Thread) -> [Self] {
    let done = with(index, then)
    if wake == .readers {
      var next = done
      for (other, thread) in threads.enumerated() {
        if case .asleepToRead(let generation) = thread { next.threads[other] = .pollingToRead(generation) }
      }
      return [next]
    }
    let sleepers = threads.indices.filter {
      guard case .asleepToWrite(let writer) = threads[$0] else { return false }
      return wake == .writer || writer == .starving
    }
    if sleepers.isEmpty { return [done] }
    return sleepers.map { sleeper in
      guard case .asleepToWrite(let writer) = threads[sleeper] else { return done }
      return done.with(sleeper, .pollingToWrite(writer))
    }
  }

  var complaint: String? {
    if let broken = state.brokenInvariant { return broken }
    let writers = threads.indices.filter { threads[$0] == .writing }
    let readHolds = threads.reduce(0) {
      switch $1 {
      case .reading(let holds), .waking(_, let holds): $0 + holds
      default: $0
      }
    }
    if writers.count > 1 || (!writers.isEmpty && readHolds > 0) { return "a writer is not alone" }
    if state.writer != (writers.first.map { owner($0) } ?? 0) { return "the word names the wrong writer" }
    let admitted = threads.count { thread in
      switch thread {
      case .pollingToRead(let g), .parkingToRead(let g, _), .asleepToRead(let g): g != state.generation
      default: false
      }
    }
    if state.readers != UInt64(readHolds + admitted) { return "the word counts the wrong number of readers" }
    return strandedComplaint
  }

  /// A thread sleeps although it could come in, and no thread is on the way to tell it.
  private var strandedComplaint: String? {
    if threads.allSatisfy({ $0 == .away }), word & ~State.generation != 0 { return "nobody is there, and the word is not free" }
    for thread in threads {
      switch thread {
      case .away, .writing, .reading, .asleepToRead, .asleepToWrite: continue
      default: return nil
      }
    }
    for thread in threads {
      if case .asleepToRead(let generation) = thread {
        if generation != state.generation || state.afterRead(.waiting) != nil { return "a reader is left asleep" }
      }
    }
    let writers = threads.filter { if case .asleepToWrite = $0 { true } else { false } }
    if !writers.isEmpty, state.holder == 0 { return "a writer is left asleep" }
    return nil
  }
}
