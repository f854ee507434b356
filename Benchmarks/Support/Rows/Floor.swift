// Floor.swift: the bare work that a row cannot avoid, with neither library: the swap, the malloc, the futex. Each is a
// workload of its own (FloorWorkloads.swift, WakeFloors.swift, ThreadFloors.swift) that runs beside the libraries'.

/// The bare work of a row.
public enum Floor: Sendable, Equatable {
  /// The opaque call alone, this many times per operation.
  case body(calls: Int)
  /// One atomic swap in, the body, one swap out.
  case swapPair
  /// Swap pairs on one word from several threads, without exclusion; this many at a time (Crew.swift).
  case contendedSwapPairs(threads: Int, handful: Int = Crew.handful)
  /// The long body alone, one after another: what exclusive sections cannot go below, however many threads want in.
  case longBody
  /// A function's address stored in a claimed slot, then called.
  case storedCall
  /// As `storedCall`, with a block of memory of this size per operation.
  case storedContext(bytes: Int)
  /// One malloc and free of this size.
  case allocation(bytes: Int)
  /// Two threads wake each other in turn: two wake-ups.
  case wakeRoundTrip
  /// Waking a thread that slept 1 ms, until it runs.
  case wakeAfterIdle
  /// Waking a thread when an alarm of the kernel goes: how late it runs.
  case lateAlarm
  /// One reading of the clock.
  case clock
  /// A file of this size read by `pread` from as many threads as the row reads parts.
  case fileRead(bytes: Int)
  /// As `fileRead`, and written to another file by `pwrite`.
  case fileCopy(bytes: Int)
  /// A byte to a thread that sleeps in `read`, and back.
  case pipeEcho
  /// A thread is started and waited for.
  case threadStart
  /// How much longer than a millisecond a sleep of a millisecond takes.
  case lateSleep
  /// A thread that polls an eventfd is rung for, and answers.
  case pollerEcho

  /// A few words for the reader.
  public var text: String {
    switch self {
    case .body(let calls): calls == 1 ? "opaque call" : "\(calls) opaque calls"
    case .swapPair: "swap pair"
    case .contendedSwapPairs(let threads, _): "swap pair from \(threads) threads"
    case .longBody: "the section alone"
    case .storedCall: "stored call"
    case .storedContext(let bytes): "stored call + malloc(\(bytes))"
    case .allocation(let bytes): "malloc(\(bytes)) + free"
    case .wakeRoundTrip: "two semaphore wake-ups"
    case .wakeAfterIdle: "one semaphore wake-up"
    case .lateAlarm: "timerfd, then one semaphore wake-up"
    case .clock: "clock_gettime"
    case .fileRead: "pread, \(Slices.count) threads"
    case .fileCopy: "pread + pwrite, \(Slices.count) threads"
    case .pipeEcho: "read + write in a thread"
    case .threadStart: "pthread_create + pthread_join"
    case .lateSleep: "nanosleep"
    case .pollerEcho: "eventfd + poll in a thread, one semaphore wake-up"
    }
  }

  /// Builds the workload.
  public func prepare() -> Workload {
    switch self {
    case .body(let calls): .timed { count in for _ in 0..<count * calls { opaqueBody() } }
    case .swapPair: swapPairs()
    case .contendedSwapPairs(let threads, let handful): swapPairs(threads: threads, handful: handful)
    case .longBody: .timed { count in for _ in 0..<count { opaqueWork() } }
    case .storedCall: storedCalls(contextBytes: nil)
    case .storedContext(let bytes): storedCalls(contextBytes: bytes)
    case .allocation(let bytes): allocations(bytes: bytes)
    case .wakeRoundTrip: wakeRoundTrips()
    case .wakeAfterIdle: wakesAfterIdle()
    case .lateAlarm: lateAlarms()
    case .clock: .timed { count in for _ in 0..<count { keep(UInt64(monotonicNanoseconds())) } }
    case .fileRead(let bytes): bareSlices(ScratchFile(bytes: bytes), to: nil)
    case .fileCopy(let bytes): bareSlices(ScratchFile(bytes: bytes), to: ScratchFile(bytes: bytes))
    case .pipeEcho: bareEchoes()
    case .threadStart: threadStarts()
    case .lateSleep: lateSleeps()
    case .pollerEcho: pollerEchoes()
    }
  }
}
