// SignalSourceTests.swift: what Signalbox's signal sources do beyond the toolchain's: a signal that is ignored or
// handled by the program, before or after, is reported all the same; children keep what the program has set.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// What handlers of the program have seen.
private let handled = Count()
private let handledWithInformation = Count()

/// A child process's status once it has ended.
private func status(of child: pid_t) -> Int32 {
  var status: Int32 = -1
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  return status
}

@Suite("Signal sources", .serialized) struct SignalSourceTests {
  /// An active source that counts what it gets.
  private func counting(_ number: Int32, _ count: Count) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "signal"))
    source.setEventHandler { count.add(UInt64(source.data)) }
    source.activate()
    return source
  }

  private func end(_ source: any DispatchSourceSignal) {
    let ended = DispatchSemaphore(value: 0)
    source.setCancelHandler { ended.signal() }
    source.cancel()
    #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
  }

  @Test("A source gets its signal from the moment of its activation on")
  func atOnce() {
    for _ in 0..<200 {
      let told = Count()
      signal(SIGUSR1, SIG_IGN)
      let source = counting(SIGUSR1, told)
      kill(getpid(), SIGUSR1)
      #expect(eventually { told.value == 1 })
      end(source)
    }
  }

  @Test("Ignoring the signal after the source was made leaves the source its events")
  func ignoredLater() {
    let told = Count()
    signal(SIGWINCH, SIG_DFL)
    let source = counting(SIGWINCH, told)
    #expect(signal(SIGWINCH, SIG_IGN) == nil)  // SIG_DFL is the null function
    kill(getpid(), SIGWINCH)
    #expect(eventually { told.value == 1 })
    var action = sigaction()
    action.__sigaction_handler.sa_handler = SIG_IGN
    #expect(sigaction(SIGWINCH, &action, nil) == 0)
    kill(getpid(), SIGWINCH)
    #expect(eventually { told.value == 2 })
    end(source)
  }

  @Test("The program's own handler runs too, set before or after the source, and sigaction returns it")
  func handledToo() {
    let told = Count()
    handled.value = 0
    handledWithInformation.value = 0
    signal(SIGURG) { _ in handled.add() }
    let source = counting(SIGURG, told)
    kill(getpid(), SIGURG)
    #expect(eventually { told.value == 1 && handled.value == 1 })
    var (action, old) = (sigaction(), sigaction())
    action.sa_flags = SA_SIGINFO | Int32(bitPattern: UInt32(SA_RESETHAND))
    action.__sigaction_handler.sa_sigaction = { number, information, _ in
      handledWithInformation.add(UInt64(number == SIGURG && information!.pointee.si_signo == SIGURG ? 1 : 100))
    }
    #expect(sigaction(SIGURG, &action, &old) == 0)
    #expect(old.sa_flags & SA_SIGINFO == 0)
    kill(getpid(), SIGURG)
    #expect(eventually { told.value == 2 && handledWithInformation.value == 1 })
    kill(getpid(), SIGURG)  // the handler was for one time
    #expect(eventually { told.value == 3 })
    #expect(handledWithInformation.value == 1 && handled.value == 1)
    var now = sigaction()
    #expect(sigaction(SIGURG, nil, &now) == 0 && now.__sigaction_handler.sa_handler == nil)
    end(source)
  }

  @Test("With the last source gone the signal does again what the program asked for")
  func givenBack() {
    let told = Count()
    handled.value = 0
    signal(SIGURG, SIG_IGN)
    let (first, second) = (counting(SIGURG, told), counting(SIGURG, told))
    end(first)
    signal(SIGURG) { _ in handled.add() }
    kill(getpid(), SIGURG)
    #expect(eventually { told.value == 1 && handled.value == 1 })
    end(second)
    kill(getpid(), SIGURG)
    #expect(eventually { handled.value == 2 })
    #expect(told.value == 1)
    signal(SIGURG, SIG_DFL)
  }

  @Test("A child of a fork takes the signal as the program has set it; a program started from here takes the default")
  func children() {
    let told = Count()
    signal(SIGUSR2, SIG_DFL)
    let source = counting(SIGUSR2, told)
    // The test's own thread may belong to a pool that blocks signals, and children inherit that.
    var (mask, before) = (sigset_t(), sigset_t())
    sigaddset(&mask, SIGUSR2)
    pthread_sigmask(SIG_UNBLOCK, &mask, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let child = fork()
    if child == 0 {
      raise(SIGUSR2)  // ends this process
      _exit(1)
    }
    #expect(status(of: child) & 0x7F == SIGUSR2)
    #expect(told.value == 0)
    var started: pid_t = 0
    let arguments = ["/bin/sh", "-c", "kill -USR2 $$; exit 3"]
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    #expect(posix_spawn(&started, "/bin/sh", nil, nil, &pointers, environ) == 0)
    for pointer in pointers { free(pointer) }
    #expect(status(of: started) & 0x7F == SIGUSR2)
    signal(SIGUSR2, SIG_IGN)
    end(source)
  }

  @Test("No child is lost by a source for SIGCHLD, though the program ignores the signal")
  func childrenEnd() async {
    let result = await #expect(processExitsWith: .success) {
      killOnHang()
      signal(SIGCHLD, SIG_IGN)
      let (queue, reaped) = (DispatchQueue(label: "children"), Count())
      let source = DispatchSource.makeSignalSource(signal: SIGCHLD, queue: queue)
      source.setEventHandler { while waitpid(-1, nil, WNOHANG) > 0 { reaped.add() } }
      source.activate()
      for _ in 0..<100 {
        let child = fork()
        if child == 0 { _exit(0) }
        precondition(child > 0)
      }
      precondition(eventually { reaped.value == 100 })
      exit(0)
    }
    _ = result
  }

  @Test("A storm of signals from several threads is counted, and every source gets the last")
  func storm() {
    signal(SIGUSR1, SIG_IGN)
    let (told, other) = (Count(), Count())
    let (first, second) = (counting(SIGUSR1, told), counting(SIGUSR1, other))
    let group = DispatchGroup()
    for _ in 0..<4 { DispatchQueue.global().async(group: group) { for _ in 0..<500 { kill(getpid(), SIGUSR1) } } }
    for _ in 0..<50 {
      let told = Count()
      end(counting(SIGUSR1, told))
    }
    group.wait()
    let before = (told.value, other.value)
    kill(getpid(), SIGUSR1)
    #expect(eventually { told.value > before.0 && other.value > before.1 })
    #expect(told.value <= 2_001 && other.value <= 2_001)
    end(first)
    end(second)
  }

  @Test(
    "A signal that all threads of the program have blocked is delivered",
    .enabled(if: dlsym(nil, "__tsan_init") == nil, "under the thread sanitizer a fork makes no threads"))
  func blockedEverywhere() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      asMainThreadOfAFork {
        signal(SIGUSR1, SIG_IGN)
        var mask = sigset_t()
        sigaddset(&mask, SIGUSR1)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        let (told, ended) = (Count(), DispatchSemaphore(value: 0))
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1)
        source.setEventHandler { told.add(UInt64(source.data)) }
        source.setCancelHandler { ended.signal() }
        source.activate()
        kill(getpid(), SIGUSR1)
        precondition(eventually { told.value == 1 })
        source.cancel()
        ended.wait()
      }
    }
  }

  @Test("A fault is not swallowed: without a handler of the program's it ends the program")
  func fault() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      killOnHang()
      signal(SIGSEGV, SIG_DFL)
      let source = DispatchSource.makeSignalSource(signal: SIGSEGV)
      source.activate()
      kill(getpid(), SIGSEGV)  // sent, not a fault: the program goes on
      UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
      source.cancel()
    }
  }

  @Test("SIGSTOP and SIGKILL are refused, and so is what is no signal", arguments: [SIGSTOP, SIGKILL, 0, 33, 65, -1])
  func refused(number: Int32) async {
    setenv("SIGNALBOX_TEST_SIGNAL", "\(number)", 1)
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      _ = DispatchSource.makeSignalSource(signal: Int32(String(cString: getenv("SIGNALBOX_TEST_SIGNAL")!))!)
    }
    let text = errorText(result)
    let isKept = number == SIGSTOP || number == SIGKILL
    expectStop(result, saying: "makeSignalSource(signal:queue:) is given \(number)")
    #expect(text.contains(isKept ? "use SIGCONT" : "which is no signal"), "\(text)")
  }
}
