// LockInheritTests.swift: the holder of a lock that stands behind a waiter is preferred as far as the kernel permits;
// and what cannot be helped is counted. Foundation's locks are in SignalboxFoundationTests.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct LockInheritTests {
    typealias Standing = BandTests.Standing

    /// A lock of some kind that a background item takes, and another thread wants.
    enum Kind: String, CaseIterable, Codable {
      case mutex, recursive, unfair, word, writerForWriter, writerForReader
    }
    final class AnyLock: @unchecked Sendable {
      // SAFETY of @unchecked: locks are for all threads.
      private let kind: Kind
      private let mutex = MutexLock(), recursive = MutexLock(kind: .recursive), unfair = OSAllocatedUnfairLock()
      private let word = os_unfair_lock_t.allocate(capacity: 1), shared = ReaderWriterLock()
      init(_ kind: Kind) {
        self.kind = kind
        word.initialize(to: os_unfair_lock())
      }
      deinit { word.deallocate() }
      func lock() {
        switch kind {
        case .mutex: mutex.lock()
        case .recursive: recursive.lock()
        case .unfair: unfair.lock()
        case .word: os_unfair_lock_lock(word)
        case .writerForWriter, .writerForReader: shared.writeLock()
        }
      }
      func unlock() {
        switch kind {
        case .mutex: mutex.unlock()
        case .recursive: recursive.unlock()
        case .unfair: unfair.unlock()
        case .word: os_unfair_lock_unlock(word)
        case .writerForWriter, .writerForReader: shared.writeUnlock()
        }
      }
      /// As a thread that waits for the holder.
      func pass() {
        guard kind == .writerForReader else {
          lock()
          return unlock()
        }
        shared.readLock()
        shared.readUnlock()
      }
    }

    /// A background item that holds a lock until told, and then goes on until told.
    final class Holder: Sendable {
      let lock: AnyLock
      let phase = Count()
      private let thread = Count(), slot = Count()
      private let done = DispatchSemaphore(value: 0)
      var number: Int32 { Int32(thread.value) }
      var owner: UInt64 { slot.value }

      /// `inner`: what it waits for while it holds the lock.
      init(_ kind: Kind, then inner: AnyLock? = nil) {
        lock = AnyLock(kind)
        DispatchQueue.global(qos: .background).async { [self] in
          lock.lock()
          slot.value = ThreadSlot.owner()
          thread.value = UInt64(ThreadSlot.kernelID())
          inner?.pass()
          RaiseTests.stay(until: phase, is: 1)
          lock.unlock()
          RaiseTests.stay(until: phase, is: 2)
          done.signal()
        }
        #expect(eventually { thread.value != 0 })
      }
      func unlock() { phase.value = 1 }
      func end() {
        phase.value = 2
        #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
      var isLow: Bool { Threads.niceness(ofThread: number) == InheritTests.low && Standing.has(number, policy: 3) }
      /// `own`: the niceness of the waiter.
      func isPreferred(_ own: Int) -> Bool {
        Threads.niceness(ofThread: number) == (Standing.isGivenBack ? own : InheritTests.low) && Standing.has(number, policy: 0)
      }
    }

    @Test(
      "The holder's thread is preferred while a more urgent thread waits for the lock, and not longer", arguments: Kind.allCases
    )
    func holder(kind: Kind) async {
      await #expect(processExitsWith: .success) { [kind] in
        killOnHang()
        let own = Standing.own.niceness, holder = Holder(kind)
        #expect(holder.isLow)
        let threads = (0..<2).map { _ in TestThread { holder.lock.pass() } }
        #expect(eventually { holder.isPreferred(own) })
        holder.unlock()
        for thread in threads { thread.join() }
        // The item goes on.
        #expect(holder.isLow)
        InheritTests.expectAllUndone()
        holder.end()
      }
    }

    @Test("What a waiting thread has noted of the holder is freed when its wait ends")
    func note() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let holder = Holder(.mutex)
        let token = Inversions.beginsWait(for: holder.owner)
        weak let note = Unmanaged<Raising>.at(UInt(token)).takeUnretainedValue()
        #expect(note != nil && holder.isPreferred(Standing.own.niceness))
        Inversions.endsWait(token)
        #expect(note == nil && holder.isLow)
        #expect(Inversions.beginsWait(for: ThreadSlot.owner()) == 0, "a thread of the same band is left as it is")
        holder.unlock()
        holder.lock.pass()
        holder.end()
      }
    }

    @Test("So is whoever the holder waits for in turn")
    func chain() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, far = Holder(.mutex), near = Holder(.unfair, then: far.lock)
        #expect(far.isLow)
        #expect(eventually { KernelThread.sample(UInt64(near.number))?.isWaiting == true })
        let thread = TestThread { near.lock.pass() }
        #expect(eventually { far.isPreferred(own) && near.isPreferred(own) })
        far.unlock()
        near.unlock()
        thread.join()
        #expect(eventually { far.isLow && near.isLow })
        InheritTests.expectAllUndone()
        far.end()
        near.end()
      }
    }

    @Test("A holder of the same band or a more urgent one is left as it is, and so is one whom less urgent work waits for")
    func others() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let holder = Holder(.mutex), done = DispatchSemaphore(value: 0)
        DispatchQueue.global(qos: .background).async {
          holder.lock.pass()
          done.signal()
        }
        DispatchQueue.global(qos: .background).async {
          holder.lock.pass()
          done.signal()
        }
        waitForWhatMustNotCome(milliseconds: 30)
        #expect(holder.isLow)
        holder.unlock()
        for _ in 0..<2 { #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success) }
        holder.end()
      }
    }

    /// From now on the process has no rights to give niceness back; false if it had none to lose, and cannot tell.
    static func loseRights() {
      guard geteuid() == 0 else { return }
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(13), &limit)  // RLIMIT_NICE
      precondition(setgid(65_534) == 0 && setuid(65_534) == 0)
    }

    @Test(
      "Without the right, a wait of more than 10 ms is counted, and reported by one line if that is asked for",
      arguments: [false, true])
    func counted(isReported: Bool) async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [isReported] in
        killOnHang()
        if isReported { setenv("SIGNALBOX_INVERSIONS", "report", 1) }
        LockInheritTests.loseRights()
        let holder = Holder(.unfair), own = Standing.own.niceness
        guard !Standing.isGivenBack, Standing.isLowered else { return }
        #expect(DispatchQoS.unhelpedInversions == 0)
        let thread = TestThread { holder.lock.pass() }
        #expect(eventually { holder.isPreferred(own) })
        sleepPlainly(milliseconds: 15)  // longer than a wait that is not counted
        holder.unlock()
        thread.join()
        #expect(DispatchQoS.unhelpedInversions == 1)
        holder.end()
        // Another kind of wait, within the second.
        let (began, goesOn) = (DispatchSemaphore(value: 0), Count())
        let item = DispatchWorkItem {
          began.signal()
          RaiseTests.stay(until: goesOn, is: 1)
        }
        DispatchQueue.global(qos: .background).async(execute: item)
        began.wait()
        #expect(item.wait(timeout: .now() + .milliseconds(15)) == .timedOut)
        #expect(DispatchQoS.unhelpedInversions == 2)
        // A shorter one is not counted, unless it takes longer on a busy machine.
        let start = Clock.uptime()
        #expect(item.wait(timeout: .now() + .milliseconds(1)) == .timedOut)
        let isShort = Clock.uptime() - start < Inversions.patience
        #expect(DispatchQoS.unhelpedInversions == 2 || !isShort)
        goesOn.value = 1
        item.wait()
      }
      let lines = errorText(result).split(separator: "\n").filter { $0.contains("kernel does not permit") }
      // The second may come more than a second after the first. Where the process keeps the right, as by an ambient capability, there is
      // none to report.
      #expect(lines.count <= (isReported ? 2 : 0), "\(lines)")
      if let line = lines.first {
        for part in ["a thread has waited", "ms for a thread of the background class", "number 1 of", "CAP_SYS_NICE"] {
          #expect(line.contains(part), "\(line)")
        }
      }
      if isReported, geteuid() == 0 { #expect(lines.count >= 1 || !Standing.isLowered) }
    }

    @Test("A value that the variable cannot have is reported once")
    func misspelt() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        setenv("SIGNALBOX_INVERSIONS", "loud", 1)
        Inversions.note(lasted: Inversions.patience + 1, for: .background)
        Inversions.note(lasted: Inversions.patience + 1, for: .utility)
        Inversions.note(lasted: Inversions.patience, for: .utility)
        #expect(DispatchQoS.unhelpedInversions == 2)
      }
      let lines = errorText(result).split(separator: "\n").filter { $0.contains("SIGNALBOX_INVERSIONS") }
      #expect(lines.count == 1 && lines.first?.contains("\"loud\"") == false, "\(lines)")
      #expect(
        lines.first?.contains("SIGNALBOX_INVERSIONS=loud is not \"count\" or \"report\": they are counted") == true, "\(lines)")
    }

    @Test("Threads of all bands that want a few locks get them, and no thread stays preferred", .timeLimit(.minutes(10)))
    func storm() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let locks = Kind.allCases.map { AnyLock($0) }, all = DispatchGroup(), ran = Count()
        @Sendable func rush(_ number: Int) {
          for round in 0..<200 {
            let outer = locks[(number + round) % 3], inner = locks[3 + (number + round / 2) % 3]
            outer.lock()
            if round % 5 == number % 5 { sched_yield() }
            inner.pass()
            if round % 7 == 0 { usleep(50) }  // a holder that sleeps
            outer.unlock()
            ran.add()
          }
        }
        let classes: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInteractive]
        for number in 0..<12 {
          DispatchQueue(label: "\(number)", target: .global(qos: classes[number % 4])).async(group: all) { rush(number) }
        }
        let threads = (0..<3).map { number in TestThread { rush(number) } }
        for thread in threads { thread.join() }
        all.wait()
        #expect(ran.value == 15 * 200)
        InheritTests.expectAllUndone()
      }
    }
  }
}
