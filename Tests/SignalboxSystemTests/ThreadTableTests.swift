// ThreadTableTests.swift: finding threads by slot and by the kernel's number, and what the kernel says of them.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

@Suite("Finding threads by slot and by kernel number") struct ThreadTableTests {
  @Test("An enrolled thread is found both ways, with its record; an ended one is not")
  func bothWays() {
    let (owner, id, stop) = (SharedNumber(), SharedNumber(), SharedWord())
    let thread = TestThread {
      owner.value.storeRelease(ThreadSlot.owner())
      id.value.storeRelease(UInt64(ThreadSlot.kernelID()))
      while stop.value.loadAcquire() == 0 { _ = stop.park(expected: 0) }
    }
    #expect(eventually { id.value.loadAcquire() != 0 })
    let (who, number) = (owner.value.loadAcquire(), Int32(id.value.loadAcquire()))
    let entry = ThreadTable.entry(owner: who)
    #expect(entry?.thread == number && ThreadTable.entry(thread: number) == entry)
    #expect(entry.flatMap { SafeMemory.word64($0.record) } == who, "the record's first word is the owner")
    #expect(ThreadTable.entry(owner: who ^ 1 << UInt64(ThreadSlot.idBits)) == nil, "another generation")
    stop.value.storeRelease(1)
    _ = stop.wake()
    thread.join()
    #expect(ThreadTable.entry(owner: who) == nil)
    #expect(ThreadTable.first { $0.owner == who } == nil)
  }

  @Test("A thread without a slot is in no table, but the kernel knows it")
  func notEnrolled() {
    let (id, stop) = (SharedNumber(), SharedWord())
    let thread = TestThread {
      Threads.setName("by its name")
      id.value.storeRelease(UInt64(ThreadSlot.kernelID()))
      while stop.value.loadAcquire() == 0 { _ = stop.park(expected: 0) }
    }
    #expect(eventually { id.value.loadAcquire() != 0 })
    let number = Int32(id.value.loadAcquire())
    #expect(ThreadTable.entry(thread: number) == nil)
    #expect(KernelThread.all().contains(number) && KernelThread.isAlive(number))
    #expect(KernelThread.name(number) == "by its name")
    stop.value.storeRelease(1)
    _ = stop.wake()
    thread.join()
    #expect(eventually { !KernelThread.isAlive(number) && !KernelThread.all().contains(number) })
    #expect(KernelThread.name(number) == nil && KernelThread.switches(number) == nil)
    #expect(!KernelThread.isAlive(0) && !KernelThread.isAlive(-1))
  }

  @Test("A sleeping thread's switches stand still, and move when it has run")
  func switches() {
    let (id, word) = (SharedNumber(), SharedWord())
    let thread = TestThread {
      id.value.storeRelease(UInt64(ThreadSlot.kernelID()))
      while word.value.loadAcquire() < 2 { _ = word.park(expected: word.value.loadAcquire()) }
    }
    #expect(eventually { id.value.loadAcquire() != 0 && KernelThread.sample(id.value.loadAcquire())?.isWaiting == true })
    let number = Int32(id.value.loadAcquire())
    let before = KernelThread.switches(number)
    #expect(before != nil)
    sleepPlainly(milliseconds: 20)  // the time in which its switches are to stand still
    #expect(KernelThread.switches(number) == before)
    word.value.storeRelease(1)
    _ = word.wake()
    #expect(eventually { KernelThread.switches(number) ?? 0 > before ?? .max })
    word.value.storeRelease(2)
    _ = word.wake()
    thread.join()
  }
}
