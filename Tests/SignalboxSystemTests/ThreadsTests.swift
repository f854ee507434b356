// ThreadsTests.swift: the threads the seam makes: name, stack, signal mask. Slots are ThreadSlotTests.swift.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@Suite("Threads made by the seam") struct ThreadsTests {
  /// Runs `body` on a thread of the seam's and waits for it.
  static func spawned(
    name: String? = nil, stackSize: Int = 0, _ body: @escaping @Sendable () -> Void
  ) throws -> Bool {
    let done = SharedWord()
    try Threads.spawn(name: name, stackSize: stackSize) {
      body()
      done.value.storeRelease(1)
    }
    return eventually { done.value.loadAcquire() == 1 }
  }

  @Test(
    "A name is cut to 15 bytes, at a character",
    arguments: [
      ("short", "short"), ("exactly15bytes!", "exactly15bytes!"), ("sixteen bytes...", "sixteen bytes.."),
      ("ääääääääää", "äääääää"), ("fourteen bytesé", "fourteen bytes"), ("👩‍👩‍👧‍👦 family", ""), ("", ""),
    ])
  func names(given: String, shown: String) throws {
    let ended = try Self.spawned(name: given) {
      #expect(kernelName(of: UInt64(ThreadSlot.kernelID())) == shown)
      Threads.setName("renamed")
      #expect(kernelName(of: UInt64(ThreadSlot.kernelID())) == "renamed")
    }
    #expect(ended)
  }

  @Test("A thread has the stack it was asked for", arguments: [128 * 1024, 1024 * 1024])
  func stackSize(size: Int) throws {
    let ended = try Self.spawned(stackSize: size) {
      #expect(!StackCapture.addresses().isEmpty)  // finds the stack's bounds
      let thread = ThreadSlot.current.pointee
      let found = Int(thread.stack_high - thread.stack_low)
      // The C library may lend the stack of a thread that has ended, if that has at most four times the size.
      #expect(found > size / 2 && found <= 4 * size, "\(found) bytes")
    }
    #expect(ended)
  }

  @Test("A stack size that cannot be is an error, and the body never runs")
  func impossibleStack() {
    do {
      try Threads.spawn(stackSize: 1) { Issue.record("ran with one byte of stack") }
      Issue.record("no error")
    } catch {
      #expect(error.call == "pthread_create" && error.code == EINVAL)
      #expect(error.description.contains("pthread_create: ") && error.description.contains("errno \(EINVAL)"))
    }
  }

  @Test("A new thread blocks all signals but those it can cause itself; its creator's mask is unchanged")
  func signals() throws {
    var (before, after) = (sigset_t(), sigset_t())
    pthread_sigmask(SIG_BLOCK, nil, &before)
    let ended = try Self.spawned {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      // 9 and 19 cannot be blocked; 32 and 33 are the C library's own.
      let own = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPIPE, SIGSYS, SIGPROF]
      for signal in 1...64 as ClosedRange<Int32> where ![9, 19, 32, 33].contains(signal) {
        #expect(sigismember(&mask, signal) == (own.contains(signal) ? 0 : 1), "signal \(signal)")
      }
    }
    #expect(ended)
    pthread_sigmask(SIG_BLOCK, nil, &after)
    for signal in 1...31 as ClosedRange<Int32> { #expect(sigismember(&before, signal) == sigismember(&after, signal)) }
  }

  @Test("A body's captures are gone when its thread is")
  func captures() throws {
    final class Witness: Sendable {
      let gone: SharedWord
      init(_ gone: SharedWord) { self.gone = gone }
      deinit { gone.value.storeRelease(1) }
    }
    let gone = SharedWord()
    var witness: Witness? = Witness(gone)
    try Threads.spawn { [witness] in withExtendedLifetime(witness) {} }
    witness = nil
    #expect(eventually { gone.value.loadAcquire() == 1 })
  }

  @Test("A made thread is not the main one")
  func isMain() throws {
    let ended = try Self.spawned { #expect(!Threads.isMain) }
    #expect(ended)
  }
}
