// ReportTests.swift: what a found deadlock does to the program, what is written, and waits for oneself.
import Glibc
import struct Foundation.Data
import class Foundation.JSONSerialization
import struct Foundation.URL
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Two threads, two queues, crosswise; returns when both hang, or never.
private func crosswise() {
  LockOrder.mode = .off  // it would report the same first
  let one = DispatchQueue(label: "one"), two = DispatchQueue(label: "two"), inside = Count()
  let party = { @Sendable (first: DispatchQueue, second: DispatchQueue) in
    first.sync {
      inside.add()
      while inside.value < 2 { sched_yield() }
      second.sync {}
    }
  }
  PlainThread("alpha") { party(one, two) }
  PlainThread("beta") { party(two, one) }
  until("both wait") { waitingThreads() == 2 }
}

@Suite("What a deadlock report says and does") struct ReportTests {
  @Test("By default the program is stopped after a report that names every participant")
  func stops() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      alarm(500)
      crosswise()
      sleepForEver()
    }
    let said = errorText(result)
    #expect(said.hasPrefix("signalbox: deadlock: 2 threads wait for one another, forever\n"), "\(said)")
    for (thread, holds, wants) in [("alpha", "one", "two"), ("beta", "two", "one")] {
      let edge =
        /thread "(\w+)" \(\d+\) holds serial queue "(\w+)" and wants serial queue "(\w+)", which thread "\w+" \(\d+\) holds/
      let found = said.matches(of: edge).contains { $0.1 == thread && $0.2 == holds && $0.3 == wants }
      #expect(found, "\(thread): \(said)")
    }
    expectStop(result, saying: "inside: sync on serial queue \"one\"\n", "inside: sync on serial queue \"two\"\n")
    #expect(!said.contains("acquired"), "that is in the stack: \(said)")
    for (words, name) in [("holds", "one"), ("wants", "two"), ("holds", "two"), ("wants", "one")] {
      let line = try! Regex("    \(words): <DispatchQueue \"\(name)\" 0x[0-9a-f]+ serial, taken by thread \\d+>\n")
      #expect(said.contains(line), "\(words) \(name): \(said)")
    }
    // Its own part in a line, and the program's functions by name.
    #expect(said.contains(/\ {4}stack:\n      \(\d+ frames of Signalbox: DispatchQueue.sync.*\)\n      0 closure/), "\(said)")
    expectStop(result, saying: "  fix: make one of the calls async")
  }

  @Test("With SIGNALBOX_DEADLOCK=report there is one report, the program goes on, and the file gets one JSON object")
  func reports() async throws {
    let name = "/tmp/signalbox-deadlock-\(getpid())-\(UInt64.random(in: 0 ... .max)).json"
    defer { unlink(name) }
    let result = await #expect(processExitsWith: .exitCode(5), observing: [\.standardErrorContent]) { [name = name as String] in
      alarm(500)
      setenv("SIGNALBOX_DEADLOCK", "report", 1)
      setenv("SIGNALBOX_DEADLOCK_JSON", name, 1)
      let told = Count()
      Deadlock.onDetection { _ in told.add() }
      crosswise()
      until("the handler") { told.value == 1 }
      exit(5)
    }
    #expect(errorText(result).matches(of: /deadlock: 2 threads/).count == 1, "\(errorText(result))")
    #expect(try FileStatus(of: RawString(name)).permissions == 0o600)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: name))
    let object = try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    #expect(object["kind"] as? String == "deadlock" && object["certainty"] as? String == "certain")
    let chain = try #require(object["participants"] as? [[String: Any]])
    #expect(Set(chain.compactMap { $0["name"] as? String }) == ["alpha", "beta"])
    #expect(chain.allSatisfy { ($0["stack"] as? [String])?.isEmpty == false && $0["wants"] is [String: Any] })
    #expect(chain[0]["waitsFor"] as? Int == chain[1]["thread"] as? Int)
  }

  @Test("SIGNALBOX_DEADLOCK=ignore reports nothing, and an unknown value is reported and means stop")
  func otherPolicies() async {
    let quiet = await #expect(processExitsWith: .exitCode(5), observing: [\.standardErrorContent]) {
      alarm(500)
      setenv("SIGNALBOX_DEADLOCK", "ignore", 1)
      crosswise()
      exit(5)
    }
    #expect(!errorText(quiet).contains("signalbox"), "\(errorText(quiet))")
    let wrong = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      alarm(500)
      setenv("SIGNALBOX_DEADLOCK", "yes", 1)
      crosswise()
      sleepForEver()
    }
    expectStop(wrong, saying: "SIGNALBOX_DEADLOCK=yes is not known: say stop, report or ignore")
  }

  @Test("The policy can be set by the program")
  func policyInterface() async {
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_DEADLOCK", "stop", 1)
      for policy in [Deadlock.Policy.report, .ignore, .stop] {
        Deadlock.policy = policy
        #expect(Deadlock.policy == policy)
      }
    }
  }

  @Test("Waiting in a queue's item for a group whose members are behind it in the same queue is reported")
  func groupBehind() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      alarm(500)
      // The process's own threads, of which some lie asleep in the other library.
      StallDetector.testsOnly_leaveOut(Set(KernelThread.all()))
      let queue = DispatchQueue(label: "busy"), group = DispatchGroup()
      runToEnd(on: queue) {
        for _ in 0..<2 { queue.async(group: group) {} }
        group.wait()
      }
    }
    expectStop(
      result, saying: "deadlock: a thread waits for itself, forever", "holds serial queue \"busy\" and wants group 0x",
      "(2 inside), whose remaining")
    #expect(!errorText(result).contains("suspected"), "\(errorText(result))")
  }

  @Test("Waiting inside sync for a work item in the same queue is reported")
  func workItemBehind() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      alarm(500)
      let queue = DispatchQueue(label: "busy"), item = DispatchWorkItem {}
      queue.sync {
        queue.async(execute: item)
        item.wait()
      }
    }
    expectStop(result, saying: "wants work item 0x", "which lies in the serial queue \"busy\"")
  }

  @Test(
    "A work item that waits for itself is reported, in a queue, performed, and inside of a perform of itself", arguments: 0..<3)
  func workItemInItself(way: Int) async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) { [way = way as Int] in
      alarm(500)
      let own = Box<DispatchWorkItem>(), runs = Count()
      own.value = DispatchWorkItem {
        if way == 2, runs.add() == 1 { own.value!.perform() } else { own.value!.wait() }
      }
      if way == 0 { runToEnd(on: DispatchQueue(label: "busy")) { own.value!.perform() } } else { own.value!.perform() }
    }
    expectStop(
      result, saying: "deadlock: a thread waits for itself, forever", "and wants work item 0x",
      ", whose block this thread runs")
  }

  @Test("A work item that waits for itself while another thread runs it too, or is to, is not reported")
  func workItemTwice() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      alarm(500)
      for isSubmitted in [true, false] {
        let own = Box<DispatchWorkItem>(), inside = Count(), isOver = Count()
        own.value = DispatchWorkItem {
          // The other run ends the wait, once that stands.
          if inside.add() == 2 { return until("the wait") { waitingThreads() > 0 } }
          if isSubmitted {
            DispatchQueue.global().async(execute: own.value!)
          } else {
            PlainThread("other") { own.value!.perform() }
            until("the other run") { inside.value == 2 }
          }
          own.value!.wait()
          isOver.add()
        }
        own.value!.perform()
        #expect(isOver.value == 1)
      }
      exit(0)
    }
    #expect(!errorText(result).contains("deadlock"), "\(errorText(result))")
  }

  @Test("A reader that enters again while a barrier waits is reported")
  func readerAgain() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      alarm(500)
      let queue = DispatchQueue(label: "shared", attributes: .concurrent)
      queue.sync {
        queue.async(flags: .barrier) {}
        queue.sync {}
      }
    }
    expectStop(
      result, saying: "wants concurrent queue \"shared\", whose readers must come out first, and it is one of them itself")
  }

  @Test("Locking a lock twice on one thread is reported for every type of lock")
  func lockAgain() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      alarm(500)
      let lock = LockThing()
      lock.hold { lock.want() }
    }
    expectStop(result, saying: "deadlock: a thread waits for itself")
    #expect(errorText(result).contains(/wants mutex 0x[0-9a-f]+, which it holds already/), "\(errorText(result))")
  }
}
