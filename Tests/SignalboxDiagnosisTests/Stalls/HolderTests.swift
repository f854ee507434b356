// HolderTests.swift: what the threads do that have what others wait for, in reports that are not of a cycle.
import Glibc
import Signalbox
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Takes the lock, and waits for what never comes.
@inline(never) private func keepAndWait(_ lock: MutexLock, _ semaphore: DispatchSemaphore, _ inside: Count) {
  lock.lock()
  inside.add()
  semaphore.wait()
  lock.unlock()
}

/// Takes the lock, and computes until `over` has counted.
@inline(never) private func keepAndCompute(_ lock: MutexLock, _ inside: Count, _ over: Count) {
  lock.lock()
  inside.add()
  while over.value == 0 {}
  lock.unlock()
}

/// Takes the lock, and reads a byte: how many came, and the error.
@inline(never) private func keepAndRead(_ lock: MutexLock, _ descriptor: Int32, _ inside: Count) -> (count: Int, error: Int32) {
  lock.lock()
  inside.add()
  var byte: UInt8 = 0
  errno = 0
  let count = read(descriptor, &byte, 1)
  let error = errno
  lock.unlock()
  return (count, error)
}

/// A thread that takes the lock and gives it back, and where its kernel's number stands once it has begun.
private func waiter(for lock: MutexLock) -> (thread: PlainThread, id: Count) {
  let id = Count()
  let thread = PlainThread("waiter") {
    id.value = UInt64(ThreadSlot.kernelID())
    lock.lock()
    lock.unlock()
  }
  return (thread, id)
}

@Suite("What holders do") struct HolderTests {
  @Test("A stall's report says of the thread that has a lock what it waits for, and where")
  func inStalls() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), lock = MutexLock(), semaphore = DispatchSemaphore(value: 0), inside = Count()
      PlainThread("keeper") { keepAndWait(lock, semaphore, inside) }
      until("the keeper has the lock") { inside.value == 1 }
      for name in ["one", "two"] { PlainThread(name) { lock.lock() } }
      let report = findings.one()
      #expect(report.holders.count == 1 && report.holders.first?.stack.isEmpty == false, "\(report.text)")
      let line = report.text.split(separator: "\n").first { $0.contains(" has ") } ?? ""
      #expect(line.contains(#/^  thread "keeper" \(\d+\) has mutex 0x[0-9a-f]+, and waits for semaphore 0x/#), "\(report.text)")
      #expect(line.contains(" in keepAndWait(_:_:_:)"), "\(report.text)")
      #expect(report.json.contains(#""holders":[{"thread":"#) && report.json.contains(#""does":"waits for semaphore"#))
      exit(0)
    }
  }

  @Test("Of a holder that computes its function is found; a thread that waits for nothing has none before it")
  func computing() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      let lock = MutexLock(), inside = Count(), over = Count()
      let keeper = PlainThread("keeper") { keepAndCompute(lock, inside, over) }
      until("the keeper has the lock") { inside.value == 1 }
      let other = waiter(for: lock)
      // The waiter is on its way to its sleep, and a busy machine may let the keeper's stack wait.
      var found: [SignalboxDiagnosis.Holder] = []
      until("the holder and its stack are found") {
        found = SignalboxDiagnosis.Holder.behind([Int32(other.id.value)])
        return found.first?.stack.isEmpty == false
      }
      #expect(found.map(\.deed) == [.computes], "\(found)")
      let symbols = ReportSymbols(found.flatMap(\.stack)), lines = found.map { $0.line(symbols) }
      #expect(lines.first?.contains(#/has mutex 0x[0-9a-f]+, and computes in \S/#) == true, "\(lines)")
      // It may be caught inside of what it calls.
      let stack = symbols.lines(found.first?.stack ?? [])
      #expect(stack.contains { $0.contains(" keepAndCompute(_:_:_:)") }, "\(stack)")
      #expect(SignalboxDiagnosis.Holder.behind([ThreadSlot.kernelID()]).isEmpty)
      over.add()
      for thread in [keeper, other.thread] { thread.join() }
    }
  }

  @Test("Of a holder that sleeps in the kernel the call and the function are found, and its call goes on")
  func sleeping() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      let lock = MutexLock(), inside = Count(), failed = Count()
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let (reading, writing) = (ends[0], ends[1])
      let keeper = PlainThread("keeper") { if keepAndRead(lock, reading, inside) != (1, 0) { failed.add() } }
      until("the keeper has the lock") { inside.value == 1 }
      let other = waiter(for: lock)
      var found: [SignalboxDiagnosis.Holder] = []
      until("the holder and its stack are found") {
        found = SignalboxDiagnosis.Holder.behind([Int32(other.id.value)])
        return found.first?.stack.isEmpty == false && found.first?.deed != .computes
      }
      #expect(found.map(\.deed) == [.sleeps("read")], "\(found)")
      let symbols = ReportSymbols(found.flatMap(\.stack)), lines = found.map { $0.line(symbols) }
      #expect(lines.first?.contains(#/has mutex 0x[0-9a-f]+, and sleeps \(read\) in keepAndRead\(/#) == true, "\(lines)")
      #expect(write(writing, "x", 1) == 1)
      for thread in [keeper, other.thread] { thread.join() }
      #expect(failed.value == 0, "the call of a thread that was read ended early")
    }
  }
}
