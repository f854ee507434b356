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
}

/// A thread of the process.
struct ToolchainThread {
  var seen: ReadThread
  var call: KernelCall?
  var wait: ToolchainWait?
  /// The wait ends by its time.
  var isTimed = false
  /// Which thread could end it.
  var end = WaitEnd.nothing
  var switches: UInt64?
}

/// Reads threads.
struct ToolchainThreadReader {
  let process: any ReadProcess
  /// nil: the library is not there, or not known.
  let objects: ToolchainObjects?
  let ids: Set<Int32>

  func read(_ seen: ReadThread) -> ToolchainThread {
    var thread = ToolchainThread(seen: seen)
    guard seen.state == "S" || seen.state == nil else { return thread }
    thread.switches = process.switches(of: seen)
    guard let call = process.call(of: seen) else { return thread }
    thread.call = call
    guard let wait = wait(call, of: seen), process.call(of: seen) == call else { return thread }
    (thread.wait, thread.isTimed) = (wait, call.isTimedWait)
    thread.end = end(of: wait, call, of: seen)
    return thread
  }

  private func wait(_ call: KernelCall, of thread: ReadThread) -> ToolchainWait? {
    guard let word = call.awaitedWord.map({ UInt64($0) }) else { return nil }
    if word > ToolchainLayout.Waiter.word, let queue = turn(word - ToolchainLayout.Waiter.word, of: thread) {
      return .turn(queue)
    }
    if let objects, objects.groups.contains(word &- ToolchainLayout.Slept.group) {
      return .group(word &- ToolchainLayout.Slept.group)
    }
    if let objects, objects.semaphores.contains(word &- ToolchainLayout.Slept.semaphore) {
      return .semaphore(word &- ToolchainLayout.Slept.semaphore)
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
  private func end(of wait: ToolchainWait, _ call: KernelCall, of thread: ReadThread) -> WaitEnd {
    let end = end(of: wait)
    guard case .turn = wait, let word = call.awaitedWord else { return end }
    let isOver =
      process.memory.word32(ReadNumber(UInt64(word)))?.lowest(UInt32.self) != UInt32(truncatingIfNeeded: call.arguments[2])
    return isOver || end == .holder(thread.id) ? .over : end
  }

  private func end(of wait: ToolchainWait) -> WaitEnd {
    switch wait {
    case .group, .semaphore: .anyone
    case .mutex(let mutex): .holder(mutex.owner)
    case .turn(let queue): end(ofTurn: queue)
    }
  }

  /// The thread that has the queue, or what the queue lies on.
  private func end(ofTurn address: UInt64) -> WaitEnd {
    var here = address
    for _ in 0..<64 {
      guard let queue = objects?.again(here) else { return .nothing }
      if queue.kind == .main { return .mainThread(queue.state.owner ?? process.id) }
      if queue.state.suspended > 0 || queue.state.isInactive { return .stopped }
      if let owner = queue.state.owner { return ids.contains(owner) ? .holder(owner) : .nothing }
      if queue.kind == .concurrent, queue.state.running(width: queue.width) > 0 { return .inside([]) }
      if queue.kind == .global { return .pool }
      here = queue.target
    }
    return .nothing
  }

  /// A second reading finds the thread in the same call, with the same thread at the other end, and it has not run in
  /// between.
  func stillStands(_ thread: ToolchainThread) -> Bool {
    guard let call = thread.call, let wait = thread.wait, process.call(of: thread.seen) == call,
      self.wait(call, of: thread.seen) == wait
    else { return false }
    // Where the kernel does not tell the count, nothing shows that it has not run.
    guard let switches = thread.switches else { return false }
    return end(of: wait, call, of: thread.seen) == thread.end && process.switches(of: thread.seen) == switches
  }
}
