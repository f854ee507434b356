// SleepingStackTests.swift: stacks of threads that sleep in the kernel, taken without waking them: in every call that a signal would end
// early, through the shapes of frames that compilers make, and while the thread goes on. In child processes: signals' actions are
// the whole process's.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

private let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

private let outermost = unsafeBitCast(testOutermost as @convention(c) (UnsafeRawPointer?) -> Void, to: UInt.self)

private func passes(_ stack: [UInt], through start: UInt) -> Bool { stack.contains { (start..<start + 600).contains($0) } }

/// The images that the stack passes through, the innermost first, each once.
private func images(_ stack: [UInt]) -> [String] {
  let mapped = MappedImages()
  var found: [String] = []
  for address in stack {
    let image = mapped.place(of: address - 1)?.image ?? "none"
    if found.last != image { found.append(image) }
  }
  return found
}

/// Whether the stack is whole: from the C library through the program's functions, `testOutermost` among them, to where threads begin.
private func isWhole(_ reading: StackReading) -> Bool {
  let images = images(reading.addresses)
  return reading.gap == nil && passes(reading.addresses, through: outermost) && images.first?.contains("libc.so") == true
    && images.dropFirst().first?.contains("PackageTests") == true && images.last?.contains("libc.so") == true
}

// SAFETY of @unchecked: C objects in memory of their own, which outlives the threads; the C library's functions may be called by any.
private final class Objects: @unchecked Sendable {
  let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
  var pipe: [Int32] = [-1, -1], sockets: [Int32] = [-1, -1]
  let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0), epoll = Unseen.create(0)
  let messages = Unseen.messages(0, 0o600)

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
    sem_init(semaphore, 0, 0)
    word.initialize(to: 0)
    #expect(Glibc.pipe(&pipe) == 0 && socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
    limit(sockets[0], SO_RCVTIMEO)
    limit(listener, SO_RCVTIMEO)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)  // the kernel chooses a name
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { #expect(bind(listener, $0, 2) == 0) }
    }
    #expect(listen(listener, 0) == 0)
  }

  /// Calls on the socket end by themselves after minutes: the kernel does not repeat such a call after a signal.
  func limit(_ socket: Int32, _ option: Int32) {
    var time = timeval(tv_sec: 300, tv_usec: 0)
    #expect(setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size)) == 0)
  }

  func polled() -> pollfd { pollfd(fd: pipe[0], events: Int16(POLLIN), revents: 0) }
  func chosen() -> fd_set {
    var set = fd_set()
    withUnsafeMutableBytes(of: &set) { $0[Int(pipe[0]) / 8] |= 1 << UInt8(pipe[0] % 8) }
    return set
  }
}

/// Functions by name: Swift's view of the C library leaves them out.
private enum Unseen {
  private static func named<Function>(_ name: String) -> Function { unsafeBitCast(dlsym(nil, name), to: Function.self) }
  static let create: @convention(c) (Int32) -> Int32 = named("epoll_create1")
  static let wait: @convention(c) (Int32, UnsafeMutableRawPointer, Int32, Int32) -> Int32 = named("epoll_wait")
  static let ppoll: @convention(c) (UnsafeMutableRawPointer, UInt, UnsafeMutableRawPointer, UnsafeRawPointer?) -> Int32 =
    named("ppoll")
  static let messages: @convention(c) (Int32, Int32) -> Int32 = named("msgget")
  static let receive: @convention(c) (Int32, UnsafeMutableRawPointer, Int, Int, Int32) -> Int = named("msgrcv")
  static let controlMessages: @convention(c) (Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = named("msgctl")
  static let signal: @convention(c) (Int32, Int32, Int32) -> Int32 = named("tgkill")
}

private let limit = timespec(tv_sec: 300, tv_nsec: 0)
private func later() -> timespec { timespec(tv_sec: time(nil) + 300, tv_nsec: 0) }
private var usersSignal: sigset_t {
  var set = sigset_t()
  sigemptyset(&set)
  sigaddset(&set, SIGUSR2)
  return set
}

private typealias Call = (name: String, body: @Sendable (Objects) -> Int)

/// Calls that sleep for minutes, and that a signal handler ends early. The result is below 0, or what is left to sleep, if it did.
private let calls: [Call] = [
  ("sleep", { _ in Int(sleep(300)) }),  // what is tried is that it goes on
  ("usleep", { _ in Int(usleep(300_000_000)) }),  // likewise
  (
    "nanosleep",
    { _ in
      var time = limit
      return Int(nanosleep(&time, nil))  // likewise
    }
  ),
  (
    "clock_nanosleep",
    { _ in
      var time = later()
      return -Int(clock_nanosleep(CLOCK_REALTIME, Int32(TIMER_ABSTIME), &time, nil))
    }
  ),
  (
    "poll",
    { objects in
      var polled = objects.polled()
      return Int(poll(&polled, 1, 300_000))
    }
  ),
  (
    "ppoll",
    { objects in
      var polled = objects.polled(), time = limit
      return Int(Unseen.ppoll(&polled, 1, &time, nil))
    }
  ),
  (
    "select",
    { objects in
      var set = objects.chosen(), time = timeval(tv_sec: 300, tv_usec: 0)
      return Int(select(objects.pipe[0] + 1, &set, nil, nil, &time))
    }
  ),
  (
    "pselect",
    { objects in
      var set = objects.chosen(), time = limit
      return Int(pselect(objects.pipe[0] + 1, &set, nil, nil, &time, nil))
    }
  ),
  (
    "epoll_wait",
    { objects in
      var event = (0, 0)
      return Int(Unseen.wait(objects.epoll, &event, 1, 300_000))
    }
  ),
  (
    "sem_timedwait",
    { objects in
      var time = later()
      return Int(sem_timedwait(objects.semaphore, &time))
    }
  ),
  (
    "pthread_cond_timedwait",
    { objects in
      var time = later()
      pthread_mutex_lock(objects.mutex)
      defer { pthread_mutex_unlock(objects.mutex) }
      return -Int(pthread_cond_timedwait(objects.condition, objects.mutex, &time))
    }
  ),
  (
    "sigtimedwait",
    { _ in
      var set = usersSignal, time = limit
      return Int(sigtimedwait(&set, nil, &time))
    }
  ),
  ("accept", { Int(accept($0.listener, nil, nil)) }),
  (
    "recv",
    { objects in
      var byte: UInt8 = 0
      return recv(objects.sockets[0], &byte, 1, 0)
    }
  ),
  (
    "msgrcv",
    { objects in
      var message = (0, 0)
      return Unseen.receive(objects.messages, &message, 8, 0, 0)
    }
  ),
  ("pause", { _ in Int(pause()) }),
  (
    "read",
    { objects in
      var byte: UInt8 = 0
      return Glibc.read(objects.pipe[0], &byte, 1)
    }
  ),
]

/// A thread that sleeps in a call.
private final class Sleeper: Sendable {
  let objects = Objects()
  let number = SharedNumber(), isOver = SharedNumber()
  private let body: @Sendable (Objects) -> Int
  fileprivate init(_ body: @escaping @Sendable (Objects) -> Int) { self.body = body }

  /// Starts the thread, and waits until it sleeps.
  func start() -> TestThread {
    let thread = TestThread { [self] in
      // Threads of the toolchain's pool block signals, and so do threads that they make.
      var none = sigset_t()
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, nil)
      number.value.storeRelease(UInt64(ThreadSlot.kernelID()))
      testOutermost(Unmanaged.passUnretained(self).toOpaque())
      isOver.value.storeRelease(1)
    }
    #expect(isAsleep())
    return thread
  }
  fileprivate func run() { _ = body(objects) }

  var id: Int32 { Int32(number.value.loadAcquire()) }
  /// Waits until the kernel says that the thread sleeps, whether or not it shows the call.
  func isStill() -> Bool { eventually { KernelThread.sample(UInt64(id))?.isWaiting == true } }
  func isAsleep() -> Bool {
    eventually { id != 0 && KernelThread.sample(UInt64(id))?.isWaiting == true && KernelCall(of: id) != nil }
  }
}

@inline(never) @_cdecl("sb_test_outermost") func testOutermost(_ sleeper: UnsafeRawPointer?) {
  Unmanaged<Sleeper>.fromOpaque(sleeper!).takeUnretainedValue().run()
  errno = 0  // not a tail call
}

// MARK: shapes of frames

/// Sleeps in a frame whose size is known to the running function alone: the value's size is found out there.
@inline(never) private func sleepWithValue<Value>(_ value: Value, _ objects: Objects) -> Value {
  var copy = value
  withUnsafeMutablePointer(to: &copy) { _ in }
  var byte: UInt8 = 0
  _ = Glibc.read(objects.pipe[0], &byte, 1)
  return copy
}

/// The same in the innermost of several frames of one function.
@inline(never) private func sleepDeep<Value>(_ value: Value, _ objects: Objects, _ depth: Int) -> Value {
  var copy = value
  withUnsafeMutablePointer(to: &copy) { _ in }
  if depth > 0 { return sleepDeep(copy, objects, depth - 1) }
  var byte: UInt8 = 0
  _ = Glibc.read(objects.pipe[0], &byte, 1)
  return copy
}

// SAFETY: set before the signal is sent, by the only thread that sends it.
nonisolated(unsafe) private var handlersPipe: Int32 = -1

private let shapes: [Call] = [
  (
    "in a comparison that the C library calls",
    { objects in
      handlersPipe = objects.pipe[0]
      var numbers: [Int32] = [2, 1]
      qsort(&numbers, 2, 4) { _, _ in
        var byte: UInt8 = 0
        return Int32(Glibc.read(handlersPipe, &byte, 1))
      }
      return 0
    }
  ),
  (
    "in a signal handler",
    { objects in
      handlersPipe = objects.pipe[0]
      signal(SIGUSR2) { _ in
        var byte: UInt8 = 0
        _ = Glibc.read(handlersPipe, &byte, 1)
      }
      return Int(raise(SIGUSR2))
    }
  ),
  (
    "in a frame of unknown size",
    { objects in
      let value = (1, 2, 3, "x")
      return sleepWithValue(value, objects).0
    }
  ),
]

@Suite("Stacks of threads that sleep", .enabled(if: !isSanitized, "a sanitizer sees its own frames"))
struct SleepingStackTests {
  /// Ends all calls that there are.
  private static func end(_ sleeper: Sleeper, _ thread: TestThread) {
    let objects = sleeper.objects
    _ = write(objects.pipe[1], "b", 1)
    sem_post(objects.semaphore)
    _ = Unseen.controlMessages(objects.messages, 0, nil)
    // A signal of the program's own ends the rest; it may come too early for a call.
    #expect(
      eventually {
        pthread_mutex_lock(objects.mutex)
        pthread_cond_broadcast(objects.condition)
        pthread_mutex_unlock(objects.mutex)
        if sleeper.isOver.value.loadAcquire() == 0 { _ = Unseen.signal(getpid(), sleeper.id, SIGUSR1) }
        return sleeper.isOver.value.loadAcquire() == 1
      })
    thread.join()
  }
  /// A handler of the test's own: the kernel repeats no call after it.
  private static func prepare() {
    killOnHang()
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    #expect(sigaction(SIGUSR1, &action, nil) == 0)
  }

  @Test("In calls that a signal would end the stack is whole, and fifty readings wake no thread", arguments: calls.indices)
  func everyCall(index: Int) async {
    await #expect(processExitsWith: .success) { [index = index as Int] in
      Self.prepare()
      let sleeper = Sleeper(calls[index].body), thread = sleeper.start(), name = calls[index].name
      let before = KernelThread.switches(sleeper.id), call = KernelCall(of: sleeper.id)
      for _ in 0..<50 {
        let found = ThreadStack.reading(sleeper.id)
        #expect(isWhole(found), "\(name): \(found.gap?.text ?? "") \(images(found.addresses))")
      }
      #expect(KernelThread.switches(sleeper.id) == before && KernelCall(of: sleeper.id) == call, "\(name)")
      #expect(sleeper.isOver.value.loadAcquire() == 0, "\(name)")
      Self.end(sleeper, thread)
    }
  }

  #if arch(x86_64)
  @Test("A call that the signal ends, since the thread fell asleep before it came, begins anew", arguments: calls.indices)
  func anew(index: Int) async {
    await #expect(processExitsWith: .success) { [index = index as Int] in
      Self.prepare()
      let sleeper = Sleeper(calls[index].body), thread = sleeper.start(), name = calls[index].name
      let call = KernelCall(of: sleeper.id)
      for _ in 0..<50 {
        let before = KernelThread.switches(sleeper.id)
        let found = ThreadStack.answer(of: sleeper.id, milliseconds: 5_000)
        #expect(found.map { passes($0.addresses, through: outermost) } == true, "\(name)")
        // It has run, and sleeps again.
        #expect(eventually { KernelThread.switches(sleeper.id) != before && KernelCall(of: sleeper.id) != nil })
        #expect(sleeper.isOver.value.loadAcquire() == 0, "\(name)")
      }
      #expect(KernelCall(of: sleeper.id)?.number == call?.number, "\(name)")
      Self.end(sleeper, thread)
    }
  }

  @Test("A connection that the signal ends is not begun anew: it may have been made")
  func connecting() async {
    await #expect(processExitsWith: .success) {
      Self.prepare()
      let result = SharedNumber()
      let sleeper = Sleeper { objects in
        // The listener's room is for one connection, which nobody accepts.
        var address = sockaddr_un(), length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafeMutablePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            getsockname(objects.listener, address, &length)
            while true {
              let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
              objects.limit(socket, SO_SNDTIMEO)
              guard connect(socket, address, length) != 0 else { continue }
              result.value.storeRelease(UInt64(errno))
              return -1
            }
          }
        }
      }
      let thread = sleeper.start()
      #expect(eventually { KernelCall(of: sleeper.id)?.number == 42 })
      #expect(ThreadStack.answer(of: sleeper.id, milliseconds: 5_000) != nil)
      #expect(eventually { sleeper.isOver.value.loadAcquire() == 1 })
      #expect(result.value.loadAcquire() == UInt64(EINTR))
      thread.join()
    }
  }
  #endif

  @Test("Frames called by the C library, by a signal, of a size that is not written down", arguments: shapes.indices)
  func everyShape(index: Int) async {
    await #expect(processExitsWith: .success) { [index = index as Int] in
      Self.prepare()
      let sleeper = Sleeper(shapes[index].body), thread = sleeper.start()
      let found = ThreadStack.reading(sleeper.id)
      #expect(isWhole(found), "\(shapes[index].name): \(found.gap?.text ?? "") \(images(found.addresses))")
      Self.end(sleeper, thread)
    }
  }

  @Test("Where two places of the stack may be the return address, the stack ends and says why")
  func ambiguous() async {
    await #expect(processExitsWith: .success) {
      Self.prepare()
      let sleeper = Sleeper { sleepDeep((1, 2, "x"), $0, 5).0 }, thread = sleeper.start()
      let found = ThreadStack.reading(sleeper.id)
      #expect(found.gap == .framePointer ? !passes(found.addresses, through: outermost) : isWhole(found), "\(found)")
      Self.end(sleeper, thread)
    }
  }

  @Test("A thread that goes on while it is read is read again, where it is then")
  func meanwhile() async {
    await #expect(processExitsWith: .success) {
      Self.prepare()
      let sleeper = Sleeper { objects in
        var byte: UInt8 = 0
        return Glibc.read(objects.pipe[0], &byte, 1) + Int(sem_wait(objects.semaphore))
      }
      let thread = sleeper.start()
      let first = ThreadStack.sleeping(sleeper.id), reading = KernelCall(of: sleeper.id)
      var times = 0
      let second = ThreadStack.sleeping(sleeper.id) {
        times += 1
        guard times == 1 else { return }
        _ = write(sleeper.objects.pipe[1], "b", 1)
        #expect(eventually { KernelCall(of: sleeper.id).map { $0.number != reading?.number } == true })
      }
      #expect(times == 2 && first != second && second == ThreadStack.sleeping(sleeper.id))
      // To and fro each time.
      var isThere = true
      let restless = Sleeper { objects in
        while true {
          var byte: UInt8 = 0
          guard Glibc.read(objects.pipe[0], &byte, 1) == 1, byte == UInt8(ascii: "a") else { return 0 }
        }
      }
      let other = restless.start()
      let third = ThreadStack.sleeping(restless.id) {
        let before = KernelThread.switches(restless.id)
        _ = write(restless.objects.pipe[1], "a", 1)
        isThere = isThere && eventually { KernelThread.switches(restless.id) != before && KernelCall(of: restless.id) != nil }
      }
      #expect(isThere && third == .read(StackReading(gap: .restless)))
      Self.end(restless, other)
      Self.end(sleeper, thread)
    }
  }

  @Test("Where the kernel keeps the registers to itself there is no stack, and the reason")
  func hidden() async {
    await #expect(processExitsWith: .success) {
      Self.prepare()
      // The change of rights sends each thread a signal, after which this call begins anew.
      let sleeper = Sleeper {
        var byte: UInt8 = 0
        return Glibc.read($0.pipe[0], &byte, 1)
      }
      let thread = sleeper.start()
      // Giving up rights makes a process non-dumpable: its files in /proc are root's from then on.
      guard getuid() == 0 else { exit(0) }
      #expect(setgid(65534) == 0 && setuid(65534) == 0)
      #expect(sleeper.isStill())
      let before = KernelThread.switches(sleeper.id)
      #expect(ThreadStack.reading(sleeper.id) == StackReading(gap: .hidden))
      #expect(KernelThread.switches(sleeper.id) == before)
      Self.end(sleeper, thread)
      #expect(ThreadStack.reading(sleeper.id) == StackReading(gap: .gone))
    }
  }

  @Test("Where the kernel refuses to copy memory of processes the stack is whole as well", arguments: [EPERM, ENOSYS])
  func refused(error: Int32) async {
    await #expect(processExitsWith: .success) { [error = error as Int32] in
      Self.prepare()
      let sleeper = Sleeper { _ in Int(pause()) }, thread = sleeper.start()
      guard refuseReads(with: error) else { exit(0) }
      let found = ThreadStack.reading(sleeper.id)
      #expect(isWhole(found), "\(found.gap?.text ?? "") \(images(found.addresses))")
      Self.end(sleeper, thread)
    }
  }

  @Test("Registers that lead nowhere end the stack, and nothing else")
  func nowhere() {
    let page = mmap(nil, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    munmap(page + 4096, 4096)
    let end = UInt(bitPattern: page) + 4096
    let names: [String] = ["poll", "usleep", "qsort", "pthread_cond_timedwait"]
    let places = names.map { UInt(bitPattern: dlsym(nil, $0)) }
    var seed: UInt64 = 1
    for round in 0..<2_000 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let place = places[round % places.count] + UInt(seed >> 33) % 64
      let stack = round % 3 == 0 ? UInt(seed) : end - UInt(seed >> 40) % 512
      // What lies there looks like addresses of code.
      for word in 0..<64 {
        page.storeBytes(of: places[word % 4] + UInt(word), toByteOffset: 4096 - 512 + word * 8, as: UInt.self)
      }
      let found = ThreadStack.walk(place, stack)
      #expect(found.addresses.first == place + 1)
    }
    #expect(ThreadStack.walk(places[0], end).gap == .memory)
    let nowhere = UInt(bitPattern: page)
    #expect(ThreadStack.walk(nowhere, end - 64) == StackReading(addresses: [nowhere + 1], gap: .tables))
    munmap(page, 4096)
  }

  @Test("The kernel's line is read: in a call, outside of one, running, and nothing that is none of these")
  func line() {
    func registers(_ text: String) -> SleepingRegisters? { SleepingRegisters(line: Array(text.utf8)) }
    #expect(registers("7 0x1 0x2 0x3 0x4 0x5 0x6 0x7ffe10 0x7f01\n") == .asleep(place: 0x7f01, stack: 0x7ffe10))
    #expect(registers("-1 0x7ffe10 0x7f01\n") == .asleep(place: 0x7f01, stack: 0x7ffe10))
    #expect(registers("running\n") == .running)
    for text in ["", "-1 0x0 0x0\n", "7 0x1 0x2\n", "7 0x1 0x2 0x3 0x4 0x5 0x6 0x7 eight\n", "0 0 0 0 0 0 0 0 0\n"] {
      #expect(registers(text) == nil, "\(text)")
    }
  }
}
