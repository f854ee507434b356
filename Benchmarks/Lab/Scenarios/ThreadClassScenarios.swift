// ThreadClassScenarios.swift: Foundation's threads: begun, asked for themselves, given names and priorities. How they end is
// ThreadEndScenarios.swift; the pool's threads are ThreadScenarios.swift.
import SignalboxFoundation

enum ThreadClassScenarios {
  static let all: [Scenario] = begun + asked

  private static let begun: [Scenario] = [
    Scenario(
      "nsthread-start-or-detach", "A thread made and started, and one detached", .survey, "E1",
      article:
        "what init gives has to be started, what detachNewThread makes needs no start; a thread goes when its task is done",
      documents: "start() begins the thread's main(); detaching makes a thread and begins at once"
    ) { lab in
      let started = Gate(), detached = Gate()
      let thread = Thread {
        lab.note("started")
        started.open()
      }
      lab.expect(!thread.isExecuting, "nothing before start()")
      Thread.detachNewThread {
        lab.note("detached")
        detached.open()
      }
      detached.pass()
      lab.note("start it")
      thread.start()
      started.pass()
      awaitEnd(of: thread)
      lab.expectOrder("detached", "start it", "started")
      lab.expectThreads("thread") { ["started", "detached"].contains($0) }
      return lab.order() + ", each on a thread of its own"
    },
    Scenario(
      "nsthread-subclass-main", "A subclass that overrides main, and does not call super", .notes, "E1",
      article: "who overrides main need not call super; main is not to be called",
      documents: "main() of the class calls the target; an override should not invoke super, and is not invoked directly"
    ) { lab in
      let thread = Counting(lab)
      thread.start()
      awaitEnd(of: thread)
      lab.expectOrder("one", "two", "three")
      lab.expectThreads("thread") { _ in true }
      return lab.order()
    },
    Scenario(
      "nsthread-keeps-target", "Target and argument while a detached thread runs", .notes, "E1",
      article: "both are retained while the method runs, and released when it is through",
      documents: "the objects are retained during the execution of the detached thread, and released when it ends"
    ) { lab in
      let isInside = Gate(), goesOn = Gate(), gone = Gate()
      do {
        let target = Target {
          lab.note("the target goes")
          gone.open()
        }
        target.work = { argument in
          lab.note("the thread has \(argument ?? "nothing")")
          isInside.open()
          goesOn.pass()
          lab.note("the method ends")
        }
        Thread.detachNewThread(Target.run, toTarget: target, with: "its argument")
      }
      isInside.pass()
      lab.note("nobody else has the target")
      goesOn.open()
      gone.pass()
      lab.expectOrder("the thread has its argument", "nobody else has the target", "the method ends", "the target goes")
      return lab.order()
    },
    Scenario(
      "nsthread-will-become-multithreaded", "The notification before the first thread", .notes, "E1",
      article: "starting the first thread posts a notification that the program is about to have several",
      documents: "posted once, when the first thread is about to be detached; before it has been"
    ) { lab in
      let name = Notification.Name.NSWillBecomeMultiThreaded, center = NotificationCenter.default
      let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in lab.note("will become") }
      for number in 1...2 {
        let thread = Thread { lab.note("thread \(number)") }
        thread.start()
        awaitEnd(of: thread)
      }
      center.removeObserver(token)
      lab.expect(lab.texts == ["will become", "thread 1", "thread 2"], "once, before the first", lab.order())
      lab.expectThreads("main") { $0 == "will become" }
      return lab.order()
    },
    Scenario(
      "nsthread-is-multithreaded", "isMultiThreaded, and a thread of the C library", .notes, "E1",
      article: "true after a thread of the class was started; threads that others make do not count",
      documents: "a thread that was made by an interface other than this class leaves it as it is"
    ) { lab in
      lab.thread { lab.note("a thread of the C library: \(Thread.isMultiThreaded())") }.pass()
      let thread = Thread { lab.note("a thread of the class: \(Thread.isMultiThreaded())") }
      thread.start()
      awaitEnd(of: thread)
      lab.expectOrder("a thread of the C library: false", "a thread of the class: true")
      return lab.order()
    },
  ]

  private static let asked: [Scenario] = [
    Scenario(
      "nsthread-current-and-main", "current, mainThread and isMainThread", .notes, "E1",
      article: "isMainThread of the class asks for the calling thread, that of an object for the object",
      documents: "the class property is about the calling thread, the instance's of the receiver"
    ) { lab in
      lab.expect(Thread.current === Thread.mainThread && Thread.isMainThread, "the body runs on the main thread")
      let ended = Gate()
      Thread.detachNewThread {
        lab.note("the class says \(Thread.isMainThread), the main thread's object \(Thread.mainThread.isMainThread)")
        lab.expect(Thread.current !== Thread.mainThread && !Thread.current.isMainThread, "another thread")
        ended.open()
      }
      ended.pass()
      lab.expectOrder("the class says false, the main thread's object true")
      return lab.order()
    },
    Scenario(
      "nsthread-states", "executing, finished, cancelled", .notes, "E1",
      article: "the class has no states of a thread, says the opening; a list of them follows: executing, finished, cancelled",
      documents: "isExecuting, isFinished and isCancelled describe the thread's execution",
      errs: "the opening contradicts its own list, which is right"
    ) { lab in
      let isInside = Gate(), goesOn = Gate()
      let thread = Thread {
        isInside.open()
        goesOn.pass()
      }
      @Sendable func tell() { lab.note("executing \(thread.isExecuting), finished \(thread.isFinished)") }
      tell()
      thread.start()
      isInside.pass()
      tell()
      goesOn.open()
      awaitEnd(of: thread)
      tell()
      lab.expectOrder("executing false, finished false", "executing true, finished false", "executing false, finished true")
      return lab.order()
    },
    Scenario(
      "nsthread-name", "Names, for whoever searches for a bug", .survey, "E1",
      article: "give threads a name, it helps in debugging",
      documents: "the name of the receiver"
    ) { lab in
      let ended = Gate()
      let thread = Thread {
        lab.note("\(Thread.current)".contains("name = image loader") ? "named" : "unnamed")
        ended.open()
      }
      thread.name = "image loader"
      thread.start()
      ended.pass()
      lab.expectOrder("named")
      return "the thread's description has its number and its name; the kernel shows the name as well"
    },
    Scenario(
      "nsthread-dictionary", "A thread's own dictionary", .notes, "E1",
      article: "a dictionary of the thread's, to keep data that belongs to it",
      documents: "for data that belongs to the thread; each thread has its own"
    ) { lab in
      let written = Gate(), ended = Gate()
      Thread.current.threadDictionary["key1"] = "main's"
      Thread.detachNewThread {
        lab.note("there: \(Thread.current.threadDictionary["key1"] as? String ?? "nothing")")
        Thread.current.threadDictionary["key1"] = "the other's"
        written.open()
        ended.open()
      }
      written.pass()
      ended.pass()
      lab.note("here: \(Thread.current.threadDictionary["key1"] as? String ?? "nothing")")
      lab.expectOrder("there: nothing", "here: main's")
      return lab.order()
    },
    Scenario(
      "nsthread-stack-size", "Another size of the stack, before the start and after", .notes, "E1",
      article: "in bytes, a multiple of 4 KiB, and to be set before the thread starts",
      documents: "must be in bytes and a multiple of 4 KB; to change it, set it before starting the thread"
    ) { lab in
      let goesOn = Gate()
      let thread = Thread { goesOn.pass() }
      thread.stackSize = 1 << 20
      lab.note("before: \(thread.stackSize)")
      thread.start()
      thread.stackSize = 2 << 20
      lab.note("after: \(thread.stackSize)")
      goesOn.open()
      awaitEnd(of: thread)
      lab.expectOrder("before: 1048576", "after: 1048576")
      return lab.order() + "; what comes late is ignored"
    },
    Scenario(
      "nsthread-priority", "A lower priority, and a class of service", .notes, "E1",
      article: "from 0 to 1, usually 0.5, but the kernel decides; use the service class instead, of which there are five",
      documents:
        "0.0 to 1.0; the kernel determines the actual priority, and no guarantee is given; deprecated for the service class"
    ) { lab in
      let ended = Gate()
      Thread.detachNewThread {
        let thread = Thread.current
        lab.note("at first \(thread.threadPriority)")
        lab.expect(Thread.setThreadPriority(0.25), "less is granted")
        let granted = thread.grantedPriority ?? 1
        lab.expect(granted < 0.5, "the kernel's is lower", "\(granted)")
        lab.note("then \(thread.threadPriority)")
        thread.qualityOfService = .background
        lab.note("in the background: \(thread.qualityOfService == .background)")
        ended.open()
      }
      ended.pass()
      lab.expectOrder("at first 0.5", "then 0.25", "in the background: true")
      return lab.order() + "; less than before is granted, which `grantedPriority` tells"
    },
    Scenario(
      "nsthread-call-stack", "The call stack in addresses and in words", .notes, "E1",
      article: "both are of use when a crash is analysed",
      documents: "the return addresses of the calling thread, and a symbolic form of them"
    ) { lab in
      let addresses = Thread.callStackReturnAddresses, symbols = Thread.callStackSymbols
      lab.expect(addresses.count > 1 && symbols.count > 1, "several frames", "\(addresses.count) and \(symbols.count)")
      lab.expect(addresses.allSatisfy { $0.uint64Value > 0x1000 }, "addresses")
      return "several frames, both ways"
    },
  ]

  /// Returns when the thread has ended.
  static func awaitEnd(of thread: Thread) { while !thread.isFinished { pause(milliseconds: 1) } }

  private final class Counting: Thread, @unchecked Sendable {
    // SAFETY of @unchecked: constant.
    private let lab: Recorder
    init(_ lab: Recorder) {
      self.lab = lab
      super.init()
    }
    override func main() { for word in ["one", "two", "three"] { lab.note(word) } }
  }

  // SAFETY of @unchecked: `work` is set before the thread starts; the witness is constant.
  private final class Target: @unchecked Sendable {
    var work: (@Sendable (Any?) -> Void)?
    private let witness: Witness
    init(_ last: @escaping @Sendable () -> Void) { witness = Witness(last) }
    @Sendable func run(_ argument: Any?) { work?(argument) }
  }
}
