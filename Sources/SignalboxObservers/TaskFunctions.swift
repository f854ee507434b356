// TaskFunctions.swift: how often tasks have begun in each function while figures are on, and for how long they ran,
// were queued, and waited between their parts: sums over all tasks, also those that have ended. Times of one task are
// TaskRegister.swift; the layout is TaskRegisterLayout (SignalboxWords).
import SignalboxSystem
import SignalboxView
import SignalboxWords

enum TaskFunctions {
  private typealias Layout = TaskRegisterLayout

  // MARK: sums

  /// Adds ticks to a sum of a row.
  @inline(__always) static func add(_ ticks: UInt64, to sum: Int, _ row: Int) { add(count: Layout.span(ticks), to: sum, row) }

  /// Adds to the table of the calling thread's slot. Threads with high slots, and those that have none, share the last.
  @inline(__always) static func add(count: UInt64, to sum: Int, _ row: Int) {
    guard let start else { return }
    let owner = ThreadSlot.current.pointee.owner, slot = Int(OwnerValue.slot(of: owner)), last = Layout.sumTables - 1
    let isShared = owner == 0 || slot >= last
    let word = start + Layout.sums + ((isShared ? last : slot) * Layout.rows + row) * Layout.sumWords + sum
    if isShared {
      _ = word.pointee.addRelaxed(count)  // relaxed: a sum alone
    } else {
      word.pointee.storeRelaxed(word.pointee.loadRelaxed() &+ count)  // relaxed: this thread alone writes the word
    }
  }

  // MARK: rows

  static var areThere: Bool { start != nil }

  // SAFETY of nonisolated(unsafe): set once; every access to the words is atomic. Pages of zeros, which stay.
  private nonisolated(unsafe) static let start: UnsafeMutablePointer<Atomic64>? = {
    guard let zeros = Memory.mapZeros(Layout.functionsWords * 8) else { return nil }
    ProcessDescription.write(.taskFunctions, UInt(bitPattern: zeros))
    return zeros.assumingMemoryBound(to: Atomic64.self)
  }()

  /// The row of the function with which a task begins that has not run; 0: it has begun, or no row is left.
  static func row(of job: RecordedJob) -> Int {
    let course = job.course
    guard let context = course.beginning, course.function != 0 else { return 0 }
    return row(course.function, inner(course.function, context))
  }

  private static func row(_ function: UInt64, _ inner: UInt64) -> Int {
    guard let start else { return 0 }
    for step in 0..<UInt64(Layout.rowsTried) {
      let row = Int((hash(function ^ inner &* 3) &+ step) & UInt64(Layout.rows - 1))
      if row == 0 { continue }
      let words = start + row * Layout.functionWords
      var known = words[0].loadRelaxed()  // relaxed: a function stays
      if known == 0 {
        let swap = words[0].casRelaxed(0, function)  // relaxed: as above
        known = swap.exchanged ? function : swap.original
        // relaxed: as above; the thread that comes first decides what the row's second word is
        if known == function, inner != 0 { _ = words[1].casRelaxed(0, inner) }
      }
      // relaxed: as above; a row whose second word is not there yet is passed by: readers add up rows of one name
      if known == function, words[1].loadRelaxed() == inner { return row }
    }
    return 0
  }

  private static func hash(_ value: UInt64) -> UInt64 { (value &* 0x9E37_79B9_7F4A_7C15) >> 40 }

  // MARK: thunks

  /// What the function may call, if it is a thunk before a closure that the task has captured: where the description of
  /// the closure's function lies.
  private static func inner(_ function: UInt64, _ context: UInt) -> UInt64 {
    let captured = UInt(RecordedJob.word(context &- 16))
    if captured == 0 || captured & 7 != 0 { return 0 }
    let way = way(of: function, captured)
    return way == 0 ? 0 : RecordedJob.word(captured &+ way)
  }

  /// How far into what it captures a function finds a closure; 0: it finds none there.
  ///
  /// A function captures alike each time it begins a task. So its first task's is read with care, for there may be
  /// anything in it, and no other.
  private static func way(of function: UInt64, _ captured: UInt) -> UInt {
    guard let ways else { return 0 }
    for step in 0..<UInt64(Layout.rowsTried) {
      let words = ways + Int((hash(function) &+ step) & UInt64(Layout.rows - 1)) * 2
      var known = words[0].loadRelaxed()  // relaxed: a function stays
      if known == 0 {
        let swap = words[0].casRelaxed(0, function)  // relaxed: as above
        known = swap.exchanged ? function : swap.original
      }
      guard known == function else { continue }
      let way = words[1].loadRelaxed()  // relaxed: it stays; threads that find it out at once may differ, each is safe
      if way != 0 { return UInt(way - 1) }
      let found = ClosureReader().placeOfAsyncClosure(captured) ?? 0
      words[1].storeRelaxed(UInt64(found) + 1)  // relaxed: as above
      return found
    }
    return 0
  }

  /// Functions, and by how much more than 1 their ways are.
  // SAFETY of nonisolated(unsafe): set once; every access to the words is atomic. Pages of zeros, which stay.
  private nonisolated(unsafe) static let ways: UnsafeMutablePointer<Atomic64>? =
    Memory.mapZeros(Layout.rows * 16)?.assumingMemoryBound(to: Atomic64.self)
}
