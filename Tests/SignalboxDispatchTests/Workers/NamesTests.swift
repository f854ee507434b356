// NamesTests.swift: a worker thread carries the label of the queue it runs as its kernel name, so that `top -H` tells what runs.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct NamesTests {
    /// Whether the calling thread, or `thread`, comes to show `name` to the kernel.
    static func shows(_ name: String, _ thread: UInt64 = UInt64(ThreadSlot.kernelID())) -> Bool {
      eventually { Kernel.name(of: thread) == name }
    }

    @Test("An item finds its queue's label on its own thread")
    func insideAnItem() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let all = DispatchGroup()
        let queues = [
          (DispatchQueue(label: "org.plain"), "org.plain"),
          (DispatchQueue(label: "com.example.a-long-label", attributes: .concurrent), "com.example.a-l"),
          (DispatchQueue(label: "äöüäöüäöüäöü"), "äöüäöüä"),
          (DispatchQueue(label: ""), "queue"),
        ]
        for (queue, name) in queues { queue.async(group: all) { #expect(NamesTests.shows(name), "\(name)") } }
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    @Test("An item of a queue that targets another shows its own queue's label")
    func nestedQueue() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let (outer, done) = (DispatchQueue(label: "outer"), DispatchGroup())
        DispatchQueue(label: "inner", target: outer).async(group: done) { #expect(NamesTests.shows("inner")) }
        #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    @Test("A worker that ran many queues shows the one that blocks in a system call")
    func plainBlocker() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let tap = Tap()
        NamesTests.blockAfterOthers { tap.waitInRead() }
        tap.open()
      }
    }

    @Test("A worker that ran many queues shows the one that blocks in a wait of ours")
    func waitingBlocker() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let semaphore = DispatchSemaphore(value: 0)
        NamesTests.blockAfterOthers { semaphore.wait() }
        semaphore.signal()
      }
    }

    @Test("A worker that ran many queues shows the one that computes")
    func computingBlocker() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let stop = Count()
        NamesTests.blockAfterOthers { while stop.value == 0 {} }
        stop.value = 1
      }
    }

    /// Runs quick items of many queues and then, in the same breath, one that stays; its thread must come to show its label.
    static func blockAfterOthers(_ stay: @escaping @Sendable () -> Void) {
      let thread = Count()
      for index in 0..<2_000 { DispatchQueue(label: "quick.\(index)").async {} }
      DispatchQueue(label: "the.one.that.st").async {
        thread.value = UInt64(ThreadSlot.kernelID())
        stay()
      }
      for index in 0..<2_000 { DispatchQueue(label: "later.\(index)").async {} }
      #expect(eventually { thread.value != 0 })
      #expect(NamesTests.shows("the.one.that.st", thread.value), "shows \(Kernel.name(of: thread.value) ?? "nothing")")
    }

    @Test("The library's threads without a queue have names of their own")
    func idleNames() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let before = Set(Kernel.threads())
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "passing").asyncAfter(deadline: .now() + .milliseconds(1)) { done.signal() }
        done.wait()
        let names = ["signalbox", "signalbox.pool", "signalbox.event", "signalbox.cycle"]
        #expect(
          eventually {
            Kernel.threads().filter { !before.contains($0) }.allSatisfy { names.contains(Kernel.name(of: $0) ?? names[0]) }
          })
      }
    }
  }
}
