// BandTests.swift: which classes share threads, how the kernel serves these, and that no thread of a band serves another.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct BandTests {
    /// What the kernel says of the thread that asks.
    struct Standing: Equatable, Sendable {
      var niceness = 0
      var isBatch = false
      static var own: Standing {
        Standing(niceness: Threads.niceness(ofThread: ThreadSlot.kernelID()) ?? -100, isBatch: sched_getscheduler(0) == 3)
      }
      static func of(_ queue: DispatchQueue) -> Standing {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var found = Standing()  // SAFETY: read after the semaphore's wait
        queue.async {
          found = own
          done.signal()
        }
        #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        return found
      }
      /// Whether a thread of this process gets niceness back, tried by one that ends.
      static let isGivenBack: Bool = {
        nonisolated(unsafe) var isGiven = false  // SAFETY: read after the thread was joined
        TestThread {
          let (thread, own) = (ThreadSlot.kernelID(), Standing.own.niceness)
          try! Threads.setNiceness(own + 1, ofThread: thread)
          try? Threads.setNiceness(own, ofThread: thread)
          isGiven = Standing.own.niceness == own
        }.join()
        return isGiven
      }()
      /// Whether threads of the lower classes stand behind others: not where the tests themselves run under another policy (`chrt --idle`).
      static let isLowered = ThreadRank.isOrdinary
      /// How much niceness threads of the lower classes have.
      static var background: Int { isLowered ? isGivenBack ? 10 : 5 : 0 }
      static var utility: Int { isLowered ? isGivenBack ? 5 : 3 : 0 }
      /// SCHED_OTHER is 0, SCHED_BATCH 3, which Glibc does not import.
      static func has(_ thread: Int32, policy: Int32) -> Bool { !isLowered || sched_getscheduler(thread) == policy }
      /// `more` niceness than a thread of the program's.
      func with(_ more: Int) -> Standing { Standing(niceness: min(19, niceness + more), isBatch: more > 0) }
    }

    @Test("Each class belongs to one band, and bands stand in the order of urgency")
    func classes() {
      #expect(Band.allCases.flatMap { Array($0.classes) } == Array(ServiceClass.all))
      for band in Band.allCases { for serviceClass in band.classes { #expect(serviceClass.band == band) } }
      let niceness = Band.allCases.map { $0.rank?.niceness ?? 0 }
      #expect(niceness == niceness.sorted() && Set(niceness).count == niceness.count)
    }

    @Test("Items run on threads that stand as their class does, wherever they were submitted")
    func standing() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own
        let expected: [(DispatchQoS.QoSClass, Int)] = [
          (.background, Standing.background), (.userInteractive, 0), (.utility, Standing.utility), (.default, 0),
          (.userInitiated, 0), (.unspecified, 0),
        ]
        for (qos, more) in expected {
          #expect(Standing.of(.global(qos: qos)) == own.with(more), "\(qos)")
          let queues = [
            DispatchQueue(label: "on", target: .global(qos: qos)),
            DispatchQueue(label: "in", attributes: .concurrent, target: .global(qos: qos)),
          ]
          for queue in queues { #expect(Standing.of(queue) == own.with(more), "\(queue.label) \(qos)") }
        }
      }
    }

    @Test("What the kernel permits is known before any item needs it, and the thread that asks stays as it is")
    func granted() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own, grants = DispatchQoS.granted
        #expect(grants.lowersThreads == Standing.isLowered)
        #expect(grants.raisesOwners == (Standing.isLowered && Standing.isGivenBack))
        let niceness = [.userInteractive, .userInitiated, .default, .unspecified, .utility, .background].map(
          grants.niceness(of:))
        #expect(niceness == [0, 0, 0, 0, Standing.utility, Standing.background])
        #expect(Standing.own == own && DispatchQoS.granted == grants)
        #expect(Standing.of(.global(qos: .background)) == own.with(Standing.background))
      }
    }

    @Test("What a thread of the program's own makes, which has lowered itself, stands as low")
    func madeByProgram() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own, made = DispatchSemaphore(value: 0)
        _ = Standing.of(.global(qos: .background))
        TestThread {
          try! Threads.setNiceness(min(19, own.niceness + 7), ofThread: ThreadSlot.kernelID())
          try! Threads.spawn {
            #expect(Standing.own.niceness == min(19, own.niceness + 7))
            made.signal()
          }
        }.join()
        #expect(made.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    @Test("The first threads of two bands are made at the same time: each stands as its band does", arguments: 0..<5)
    func firstThreads(round: Int) async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own, isOff = Count()
        let threads = [DispatchQoS.QoSClass.utility, .background].map { qos in
          TestThread {
            while isOff.value == 0 {}
            let found = Standing.of(.global(qos: qos))
            #expect((found.isBatch && found.niceness > own.niceness) == Standing.isLowered, "\(qos)")
          }
        }
        isOff.value = 1
        for thread in threads { thread.join() }
      }
    }

    @Test("Threads that an item of a lower band has made stand as the program's do, urgent ones first of all")
    func made() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global(qos: .background).async {
          #expect(Standing.own == own.with(Standing.background))
          // The first of these classes: their threads are made now, by the background one's call.
          for qos in [.userInteractive, .default] as [DispatchQoS.QoSClass] {
            #expect(Standing.of(.global(qos: qos)) == own, "\(qos)")
          }
          #expect(Standing.of(.global(qos: .utility)) == own.with(Standing.utility))
          let made = DispatchSemaphore(value: 0)
          try! Threads.spawn {
            #expect(Standing.own == own)
            made.signal()
          }
          made.wait()
          done.signal()
        }
        #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    @Test(
      "Urgent work gets a thread with the submission though background items compute on every processor",
      arguments: [false, true])
    func urgentAtOnce(isSerial: Bool) async {
      await #expect(processExitsWith: .success) { [isSerial] in
        killOnHang()
        let load = FairnessTests.Load()
        load.add(to: .global(qos: .background), 2 * Tuning.processors)
        #expect(eventually { load.isRunning })
        FairnessTests.expectUrgentAtOnce(isSerial: isSerial)
        load.end()
      }
    }

    @Test("A queue of another band that an item makes runnable does not run on the item's thread")
    func ownSlot() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own
        let low = DispatchQueue(label: "low", target: .global(qos: .background)),
          high = DispatchQueue(label: "high", target: .global())
        for (from, to, more) in [(low, high, 0), (high, low, Standing.background)] {
          let done = DispatchSemaphore(value: 0)
          from.async {
            to.async {
              #expect(Standing.own == own.with(more), "\(to.label)")
              done.signal()
            }
            // This item goes on: no thread has to wait for its end.
            #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          }
          from.sync {}
        }
      }
    }
  }
}
