// ThreadStackTests.swift: stacks of other threads: asleep, running, holding the loader's lock, deaf to signals; and what is left
// of the signal afterwards. In child processes: dispositions belong to the whole process.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

private let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

/// Where the functions below begin. They are short.
private let innermost = unsafeBitCast(testInnermost as @convention(c) (UnsafeRawPointer?) -> Void, to: UInt.self)
private let middle = unsafeBitCast(testMiddle as @convention(c) (UnsafeRawPointer?) -> Void, to: UInt.self)

/// Whether the stack passes through the function that begins at `start`.
private func passes(_ stack: [UInt]?, through start: UInt) -> Bool {
  stack?.contains { (start..<start + 600).contains($0) } == true
}
/// Whether one of the innermost addresses belongs to the library.
private func begins(_ stack: [UInt]?, in library: String, within count: Int = 1) -> Bool {
  stack?.prefix(count).contains { MappedImages().place(of: $0 - 1)?.image.contains(library) == true } == true
}

/// Three levels deep in a sleep, so that the stack has something to show.
@inline(never) @_cdecl("sb_test_innermost") func testInnermost(_ word: UnsafeRawPointer?) {
  let shared = Unmanaged<SharedWord>.fromOpaque(word!).takeUnretainedValue()
  while shared.value.loadAcquire() == 0 { _ = shared.park(expected: 0) }
}
@inline(never) @_cdecl("sb_test_middle") func testMiddle(_ word: UnsafeRawPointer?) {
  testInnermost(word)
  errno = 0  // not a tail call
}

/// Machine code that calls its first argument with its second, and that no unwind table describes. It has a frame pointer.
private func makeUntabled() -> UInt {
  #if arch(x86_64)
  let code: [UInt8] = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3]
  #else
  let words: [UInt32] = [0xa9bf_7bfd, 0x9100_03fd, 0xaa00_03e2, 0xaa01_03e0, 0xd63f_0040, 0xa8c1_7bfd, 0xd65f_03c0]
  let code = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
  #endif
  let page = mmap(nil, code.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
  page.copyMemory(from: code, byteCount: code.count)
  precondition(mprotect(page, code.count, PROT_READ | PROT_EXEC) == 0)
  return UInt(bitPattern: page)
}
private let untabled = makeUntabled()

/// Calls the function by way of the code without a table.
@inline(never) private func testByUntabled(_ function: @convention(c) (UnsafeRawPointer?) -> Void, _ word: UnsafeRawPointer?) {
  typealias Call = @convention(c) (@convention(c) (UnsafeRawPointer?) -> Void, UnsafeRawPointer?) -> Void
  unsafeBitCast(untabled, to: Call.self)(function, word)
  errno = 0  // not a tail call
}

// SAFETY: the word outlives the thread, which is joined.
private struct Sleeper {
  let word = SharedWord()
  let number = SharedNumber()
  let thread: TestThread
  init(blocking: Bool = false, isUntabled: Bool = false) {
    let (word, number) = (word, number)
    thread = TestThread {
      if blocking {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, nil)
      }
      number.value.storeRelease(UInt64(ThreadSlot.kernelID()))
      let place = UnsafeRawPointer(Unmanaged.passUnretained(word).toOpaque())
      if isUntabled { testByUntabled({ testMiddle($0) }, place) } else { testMiddle(place) }
    }
  }
  var id: Int32 { Int32(number.value.loadAcquire()) }
  func isAsleep() -> Bool { eventually { id != 0 && KernelThread.sample(UInt64(id))?.isWaiting == true } }
  func end() {
    word.value.storeRelease(1)
    _ = word.wake()
    thread.join()
  }
}

@Suite(.enabled(if: !isSanitized, "a sanitizer holds signals back")) struct ThreadStackTests {
  @Test("The caller's own stack begins in the caller and ends at the thread's first function")
  func own() {
    let (here, count) = (SharedNumber(), SharedNumber())
    TestThread {
      let stack = ThreadStack.own()
      here.value.storeRelaxed(UInt64(stack.first ?? 0))
      count.value.storeRelaxed(UInt64(stack.count))
    }.join()
    #expect(begins([UInt(here.value.loadRelaxed())], in: "PackageTests"))
    #expect((3..<30).contains(count.value.loadRelaxed()))
  }

  @Test("A sleeping thread shows where it sleeps, through the C library's frames")
  func sleeping() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let sleeper = Sleeper()
      #expect(sleeper.isAsleep())
      let stack = ThreadStack.capture(sleeper.id)
      #expect(passes(stack, through: innermost) && passes(stack, through: middle))
      #expect(begins(stack, in: "libc.so"))
      #expect(begins(stack?.reversed(), in: "libc.so"), "it ends where the C library starts threads")
      sleeper.end()
      #expect(ThreadStack.capture(sleeper.id) == nil, "it is gone")
    }
  }

  @Test("A stack goes on behind a function that no unwind table describes")
  func noTable() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let sleeper = Sleeper(isUntabled: true)
      #expect(sleeper.isAsleep())
      let stack = ThreadStack.capture(sleeper.id)
      #expect(passes(stack, through: innermost) && passes(stack, through: middle) && passes(stack, through: untabled))
      #expect(begins(stack?.reversed(), in: "libc.so"), "it ends where the C library starts threads")
      sleeper.end()
      let own = SharedNumber()
      typealias Function = @convention(c) (UnsafeRawPointer?) -> Void
      let count: Function = {
        Unmanaged<SharedNumber>.fromOpaque($0!).takeUnretainedValue().value.storeRelaxed(UInt64(ThreadStack.own().count))
      }
      TestThread { testByUntabled(count, Unmanaged.passUnretained(own).toOpaque()) }.join()
      #expect(own.value.loadRelaxed() > 4)
    }
  }

  @Test("A running thread shows where it runs; capturing again and again disturbs nobody")
  func running() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (stop, number) = (SharedWord(), SharedNumber())
      let thread = TestThread {
        number.value.storeRelease(UInt64(ThreadSlot.kernelID()))
        while stop.value.loadAcquire() == 0 {}
      }
      #expect(eventually { number.value.loadAcquire() != 0 })
      let id = Int32(number.value.loadAcquire())
      let counts = (0..<1_000).map { _ in ThreadStack.capture(id, milliseconds: 5_000)?.count ?? -1 }
      #expect(counts.allSatisfy { $0 > 2 })
      stop.value.storeRelease(1)
      thread.join()
    }
  }

  // No names are asked for while the lock is held: that would wait.
  @Test("Threads that hold the loader's lock, and others meanwhile, show their stacks")
  func loaderLock() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (word, number) = (SharedWord(), SharedNumber())
      let holder = TestThread {
        number.value.storeRelease(UInt64(ThreadSlot.kernelID()))
        // By name: Swift's view of the C library leaves it out.
        typealias Visit = @convention(c) (UnsafeRawPointer?, Int, UnsafeMutableRawPointer?) -> Int32
        typealias Iterate = @convention(c) (Visit, UnsafeMutableRawPointer?) -> Int32
        let iterate = unsafeBitCast(dlsym(nil, "dl_iterate_phdr"), to: Iterate.self)
        _ = iterate(
          { _, _, word in
            testInnermost(word)
            return 1
          }, Unmanaged.passUnretained(word).toOpaque())
      }
      let other = Sleeper()
      let holdersID = { Int32(number.value.loadAcquire()) }
      #expect(eventually { holdersID() != 0 && KernelThread.sample(UInt64(holdersID()))?.isWaiting == true })
      #expect(other.isAsleep())
      let stacks = (ThreadStack.capture(holdersID()), ThreadStack.capture(other.id), ThreadStack.own())
      word.value.storeRelease(1)
      _ = word.wake()
      holder.join()
      #expect(passes(stacks.0, through: innermost))
      #expect(passes(stacks.1, through: middle) && stacks.2.count > 1)
      other.end()
    }
  }

  @Test("A thread that blocks every signal shows its stack while it sleeps, and no signal waits for it")
  func deaf() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let sleeper = Sleeper(blocking: true)
      #expect(sleeper.isAsleep())
      #expect(passes(ThreadStack.capture(sleeper.id), through: middle))
      #expect(ThreadStack.answer(of: sleeper.id, milliseconds: 100) == nil)
      let status = KernelThread.contents("/proc/self/task/\(sleeper.id)/status") ?? []
      #expect(String(decoding: status, as: UTF8.self).contains("SigPnd:\t0000000000000000"))
      sleeper.end()
    }
  }

  @Test("A thread of ours, which blocks what is sent to the process, shows its stack")
  func threadOfOurs() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (word, number) = (SharedWord(), SharedNumber())
      try Threads.spawn {
        number.value.storeRelease(UInt64(ThreadSlot.kernelID()))
        testMiddle(Unmanaged.passUnretained(word).toOpaque())
      }
      #expect(eventually { number.value.loadAcquire() != 0 })
      let id = Int32(number.value.loadAcquire())
      #expect(eventually { KernelThread.sample(UInt64(id))?.isWaiting == true })
      #expect(passes(ThreadStack.capture(id), through: middle))
      exit(0)
    }
  }

  @Test("Signals with a meaning are not touched, and the one used has its default again")
  func dispositions() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let last = __libc_current_sigrtmax()
      signal(last) { _ in _exit(9) }
      signal(last - 1, SIG_IGN)
      func all() -> [UInt] {
        (1...last).map { number in
          var now = sigaction()
          guard sigaction(number, nil, &now) == 0 else { return 1 }
          return unsafeBitCast(now.__sigaction_handler.sa_handler, to: UInt.self)
        }
      }
      let before = all()
      let sleeper = Sleeper()
      #expect(sleeper.isAsleep())
      #expect(passes(ThreadStack.capture(sleeper.id), through: middle))
      #expect(all() == before)
      sleeper.end()
    }
  }

  @Test("Several who ask at once all get an answer")
  func atOnce() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (sleeper, answers) = (Sleeper(), SharedNumber())
      #expect(sleeper.isAsleep())
      let id = sleeper.id
      let askers = (0..<4).map { _ in
        TestThread {
          for _ in 0..<20 {
            if ThreadStack.capture(id, milliseconds: 5_000) != nil { _ = answers.value.addRelaxed(1) }
          }
        }
      }
      for asker in askers { asker.join() }
      #expect(answers.value.loadRelaxed() == 80)
      sleeper.end()
    }
  }
}
