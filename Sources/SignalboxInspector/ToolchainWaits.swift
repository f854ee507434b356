// ToolchainWaits.swift: what threads of a process on the toolchain's library wait for, by the system call in which each
// sleeps, and which threads have that.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// What a thread waits for.
enum ToolchainWait: Equatable {
  /// A turn of the queue at the address.
  case turn(UInt64)
  /// The end of the group's members, or of a work item, which has a group of its own.
  case group(UInt64)
  case semaphore(UInt64)
  case mutex(ForeignMutex)
  /// The end of that thread.
  case end(Int32)
}

/// A thread of the process.
struct ToolchainThread {
  var seen: ReadThread
  var call: KernelCall?
  var wait: ToolchainWait?
  /// The wait ends by its time.
  var isTimed = false
  /// It is a thread of the library's that has nothing to do.
  var isIdle = false
  /// Which thread could end it.
  var end = WaitEnd.nothing
  var switches: UInt64?
  /// The queues that it is in, the innermost first; nil: not known.
  var places: [UInt64]?
}

/// Reads threads.
struct ToolchainThreadReader {
  let process: any ReadProcess
  /// nil: the library is not there, or not known.
  let objects: ToolchainObjects?
  let ids: Set<Int32>
  /// The C library's records; nil: it does not tell.
  var records: CLibraryThreads?
  /// nil: not known.
  var places: ToolchainPlaces?

  /// Each thread, with what it waits for and is in; then which threads could end the waits.
  func read(_ seen: [ReadThread]) -> [ToolchainThread] {
    let threads = seen.map { read($0) }
    return threads.map { thread in
      var thread = thread
      thread.end = end(of: thread, among: threads)
      return thread
    }
  }

  private func read(_ seen: ReadThread) -> ToolchainThread {
    var thread = ToolchainThread(seen: seen)
    guard seen.state == "S" || seen.state == nil else {
      thread.places = places?.queues(of: seen.id)
      return thread
    }
    // The count first: what is read after it was so in this sleep, if the count stays the same.
    thread.switches = process.switches(of: seen)
    thread.places = places?.queues(of: seen.id)
    guard let call = process.call(of: seen) else { return thread }
    thread.call = call
    if let word = call.awaitedWord.map({ UInt64($0) }), let objects,
      objects.idleSemaphores.contains(word &- ToolchainLayout.Slept.semaphore)
    {
      thread.isIdle = true
      return thread
    }
    guard let wait = wait(call, of: seen), process.call(of: seen) == call else { return thread }
    (thread.wait, thread.isTimed) = (wait, call.isTimedWait)
    return thread
  }

  private func wait(_ call: KernelCall, of thread: ReadThread) -> ToolchainWait? {
    if let word = call.awaitedWord.map({ UInt64($0) }) {
      if word > ToolchainLayout.Waiter.word, let queue = turn(word - ToolchainLayout.Waiter.word, of: thread) {
        return .turn(queue)
      }
      if let objects, objects.groups.contains(word &- ToolchainLayout.Slept.group) {
        return .group(word &- ToolchainLayout.Slept.group)
      }
      if let objects, objects.semaphores.contains(word &- ToolchainLayout.Slept.semaphore) {
        return .semaphore(word &- ToolchainLayout.Slept.semaphore)
      }
      if let other = records?.thread(endingAt: word), other != thread.id,
        UInt32(truncatingIfNeeded: call.arguments[2]) == UInt32(bitPattern: other)
      {
        return .end(other)
      }
    }
    guard let found = ForeignMutex(call, { process.memory.word64(ReadNumber(UInt64($0)))?.bits }), found.owner != thread.id,
      ids.contains(found.owner)
    else { return nil }
    return .mutex(found)
  }

  /// The queue that the record at an address names, if the record is the thread's: it has the thread's number.
  private func turn(_ record: UInt64, of thread: ReadThread) -> UInt64? {
    guard
      process.memory.word32(ReadNumber(record &+ ToolchainLayout.Waiter.thread))?.lowest(UInt32.self)
        == UInt32(bitPattern: thread.id),
      let queue = process.memory.word64(ReadNumber(record &+ ToolchainLayout.Waiter.queue))?.bits, objects?.queues[queue] != nil
    else { return nil }
    return queue
  }

  /// A queue is handed over before the thread that gets it is woken: that one waits no more, though it sleeps. The
  /// library lets no thread wait for itself.
  private func end(of thread: ToolchainThread, among threads: [ToolchainThread]) -> WaitEnd {
    guard let wait = thread.wait, let call = thread.call else { return .nothing }
    guard case .turn(let queue) = wait, let word = call.awaitedWord else { return end(of: wait) }
    let end = end(ofTurn: queue, for: thread, among: threads)
    let isOver =
      process.memory.word32(ReadNumber(UInt64(word)))?.lowest(UInt32.self) != UInt32(truncatingIfNeeded: call.arguments[2])
    return isOver || end == .holder(thread.seen.id) ? .over : end
  }

  private func end(of wait: ToolchainWait) -> WaitEnd {
    switch wait {
    case .turn: .nothing
    case .group, .semaphore: .anyone
    case .mutex(let mutex): .holder(mutex.owner)
    case .end(let other): .holder(other)
    }
  }

  /// The thread that has the queue, or what the queue lies on; of a concurrent queue the threads that run its items.
  private func end(
    ofTurn address: UInt64, for thread: ToolchainThread, among threads: [ToolchainThread]
  ) -> WaitEnd {
    guard let objects else { return .nothing }
    var here = address
    for _ in 0..<64 {
      guard let queue = objects.again(here) else { return .nothing }
      if queue.kind == .main { return .mainThread(queue.state.owner ?? process.id) }
      if queue.state.suspended > 0 || queue.state.isInactive { return .stopped }
      if let owner = queue.state.owner { return ids.contains(owner) ? .holder(owner) : .nothing }
      if queue.kind == .concurrent, queue.state.running(width: queue.width) > 0 {
        let inside = threads.filter { other in
          other.seen.id != thread.seen.id && other.places?.contains { objects.leads($0, to: here) } == true
        }
        return .inside(inside.map(\.seen.id))
      }
      if queue.kind == .global { return .pool }
      here = queue.target
    }
    return .nothing
  }

  /// A second reading finds the thread in the same call and the same queues, with the same threads at the other end,
  /// and it has not run in between.
  func stillStands(_ thread: ToolchainThread, among threads: [ToolchainThread]) -> Bool {
    guard let call = thread.call, let wait = thread.wait, process.call(of: thread.seen) == call,
      self.wait(call, of: thread.seen) == wait, places?.queues(of: thread.seen.id) == thread.places
    else { return false }
    // Where the kernel does not tell the count, nothing shows that it has not run.
    guard let switches = thread.switches else { return false }
    return end(of: thread, among: threads) == thread.end && process.switches(of: thread.seen) == switches
  }
}
