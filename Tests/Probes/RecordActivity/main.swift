// main.swift: a program to be recorded that does each thing other than to submit an item, so often that tests can count it: RecordActivityProbe ROUNDS
// FILE, or RecordActivityProbe cost EVENTS. What runs in which round is known; FILE is one that the program may write.
import Glibc
import SignalboxCNames
import SignalboxFoundation
import Synchronization

/// An operation with a class of its own.
final class Resize: Operation, @unchecked Sendable {
  // SAFETY of @unchecked: it has nothing but what its superclass guards.
  override func main() { Work.step() }
}

/// Something that has happened.
final class Flag: Sendable {
  private let word = Atomic<Bool>(false)
  var isUp: Bool { word.load(ordering: .sequentiallyConsistent) }
  func raise() { word.store(true, ordering: .sequentiallyConsistent) }
}

/// Counts from 1 on.
final class Counter: Sendable {
  private let word = Atomic<Int>(0)
  func next() -> Int { word.add(1, ordering: .sequentiallyConsistent).newValue }
}

enum Work {
  static let serial = DispatchQueue(label: "activity.serial")
  static let concurrent = DispatchQueue(label: "activity.concurrent", attributes: .concurrent)

  @inline(never) static func step() { withExtendedLifetime(serial) {} }

  /// The calling thread's number to the kernel.
  static func ownThread() -> Int32 {
    var path = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &path, 63)
    let text = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.split(separator: "/").last.flatMap { Int32($0) }!
  }

  /// Until another thread waits for somebody, in a futex or for events, and has not run for a while: its wait is in the recording then. One
  /// that waits for a page or a file, as it may before that on a busy machine, does not.
  static func awaitSleep(of thread: Int32) {
    #if arch(x86_64)
    let waits: [Int32] = [202, 7, 271, 232, 281, 441]  // futex, poll, ppoll, and the three for epoll
    #else
    let waits: [Int32] = [98, 73, 22, 441]
    #endif
    func text(_ name: String) -> String {
      guard let file = fopen("/proc/self/task/\(thread)/\(name)", "r") else { return "" }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = fread(&bytes, 1, 4_096, file)
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
    var last = "", same = 0
    while same < 10 {
      // The call with its arguments, and how often the thread has gone to sleep.
      let call = text("syscall"), now = call + text("status").split(separator: "\n").suffix(2).joined()
      same = now == last && waits.contains(atoi(call)) ? same + 1 : 0
      last = now
      usleep(1_000)
    }
  }

  /// The thread that is about to wait; -1 once it has waited.
  private static let sleeper = Atomic<Int32>(0)

  /// Calls `wait` on a thread of its own; when that sleeps, `wake`.
  static func meeting(_ wait: @escaping @Sendable () -> Void, _ wake: () -> Void) {
    sleeper.store(0, ordering: .sequentiallyConsistent)
    let thread = Thread {
      sleeper.store(ownThread(), ordering: .sequentiallyConsistent)
      wait()
      sleeper.store(-1, ordering: .sequentiallyConsistent)
    }
    thread.name = "meeting"
    thread.start()
    var id: Int32 = 0
    while id == 0 {
      id = sleeper.load(ordering: .sequentiallyConsistent)
      sched_yield()
    }
    awaitSleep(of: id)
    wake()
    while sleeper.load(ordering: .sequentiallyConsistent) != -1 { sched_yield() }
  }

  // MARK: groups, semaphores, once, work items, turns

  static func waits() {
    let group = DispatchGroup(), semaphore = DispatchSemaphore(value: 0)
    group.name = "activity.group"
    semaphore.name = "activity.semaphore"
    group.enter()
    group.enter()
    group.notify(queue: serial) { step() }
    meeting(
      { group.wait() },
      {
        group.leave()
        group.leave()
      })
    meeting({ semaphore.wait() }, { semaphore.signal() })
    semaphore.signal()
    semaphore.wait()
    serial.sync {}

    once()
    let item = DispatchWorkItem { fatalError("a cancelled item runs") }
    serial.suspend()
    serial.async(execute: item)
    item.cancel()
    // A turn that is handed over: it lies behind an item.
    serial.async { step() }
    meeting({ serial.sync { step() } }, { serial.resume() })
    item.wait()
  }

  private static func once() {
    let token = UnsafeMutablePointer<dispatch_once_t>.allocate(capacity: 1)
    token.initialize(to: 0)
    for _ in 0..<3 { dispatch_once(token) { step() } }
    token.deallocate()
  }

  // MARK: operations

  static func operations() {
    let queue = OperationQueue()
    queue.name = "activity.operations"
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let first = Resize(), second = Resize(), last = BlockOperation { step() }, never = BlockOperation { fatalError("it runs") }
    second.name = "second"
    last.addDependency(first)
    last.addDependency(second)
    first.queuePriority = .high
    never.addDependency(last)
    for operation in [last, second, first, never] { queue.addOperation(operation) }
    never.cancel()
    meeting({ queue.waitUntilAllOperationsAreFinished() }, { queue.isSuspended = false })
    let byHand = Resize()
    byHand.start()
  }

  // MARK: sources, transfers

  static func sources(_ path: String) {
    let done = DispatchSemaphore(value: 0), source = DispatchSource.makeUserDataAddSource(queue: serial)
    source.setEventHandler {
      step()
      done.signal()
    }
    source.activate()
    source.add(data: 7)
    done.wait()
    source.setCancelHandler { done.signal() }
    source.cancel()
    done.wait()

    let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    let bytes = [UInt8](repeating: 1, count: 10_000)
    let data = bytes.withUnsafeBytes { DispatchData(bytes: $0) }
    DispatchIO.write(toFileDescriptor: file, data: data, runningHandlerOn: serial) { _, _ in done.signal() }
    done.wait()
    lseek(file, 0, SEEK_SET)
    DispatchIO.read(fromFileDescriptor: file, maxLength: 4_096, runningHandlerOn: serial) { _, _ in done.signal() }
    done.wait()
    close(file)
  }

  // MARK: timers

  /// One that comes three times, one that is moved from an hour to a millisecond, one that is cancelled before it comes.
  static func timers() {
    let done = DispatchSemaphore(value: 0)
    func timer(_ label: String) -> any DispatchSourceTimer {
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: label))
      timer.setCancelHandler { done.signal() }
      return timer
    }
    let calls = Counter(), repeats = timer("activity.repeats")
    repeats.setEventHandler { if calls.next() == 3 { repeats.cancel() } }
    repeats.schedule(deadline: .now() + .milliseconds(1), repeating: .milliseconds(1))
    repeats.activate()
    done.wait()

    let moved = timer("activity.moved")
    moved.setEventHandler { done.signal() }
    moved.schedule(deadline: .now() + .seconds(3_600))
    moved.activate()
    moved.schedule(deadline: .now() + .milliseconds(1))
    done.wait()
    moved.cancel()
    done.wait()

    let never = timer("activity.never")
    never.setEventHandler { fatalError("it comes in an hour") }
    never.schedule(deadline: .now() + .seconds(3_600))
    never.activate()
    never.cancel()
    done.wait()
  }

  // MARK: run loops

  /// A timer, a block from elsewhere that wakes the loop, and the end.
  static func loop() {
    let loop = RunLoop.current, isDone = Flag(), me = ownThread()
    // A timer does not end a run: a block does.
    let timer = Timer(timeInterval: 0.002, repeats: false) { _ in loop.perform { step() } }
    loop.add(timer, forMode: .default)
    // Something to wait for, until the block comes.
    let keeper = Timer(timeInterval: 3_600, repeats: false) { _ in }
    loop.add(keeper, forMode: .default)
    defer { keeper.invalidate() }
    let thread = Thread {
      awaitSleep(of: me)
      loop.perform {
        step()
        isDone.raise()
      }
    }
    thread.start()
    while !isDone.isUp || timer.isValid { _ = loop.run(mode: .default, before: .distantFuture) }
  }

  static func loopElsewhere() {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      loop()
      done.signal()
    }
    thread.name = "activity.loop"
    thread.start()
    done.wait()
  }

  static func cost(_ count: Int, _ body: (Int) -> Void) -> Double {
    let start = clock()
    for number in 0..<count { body(number) }
    return Double(clock() - start) * 1e9 / Double(CLOCKS_PER_SEC) / Double(count)
  }
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "cost":
  let count = Int(arguments[2])!, semaphore = DispatchSemaphore(value: 0), group = DispatchGroup()
  print(
    Work.cost(count) { _ in semaphore.signal() },
    Work.cost(count) { _ in
      group.enter()
      group.leave()
    })
default:
  for _ in 0..<Int(arguments[1])! {
    Work.waits()
    Work.operations()
    Work.sources(arguments[2])
    Work.timers()
    Work.loop()
    Work.loopElsewhere()
  }
}
