// EvidenceTests.swift: what follows the message of a misuse: the stack with the program's functions, the object, what was noted of it;
// and the same as JSON.
import Glibc
import struct Foundation.Data
import class Foundation.JSONSerialization
import struct Foundation.URL
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@inline(never) private func handleTooOften(_ group: DispatchGroup) {
  group.leave()
  print("never")
}
@inline(never) private func processPart() {
  let group = DispatchGroup()
  group.name = "parts"
  enterOnce(group)
  group.leave()
  handleTooOften(group)
  print("never")
}
@inline(never) private func enterOnce(_ group: DispatchGroup) { group.enter() }
@inline(never) private func suspendWell(_ queue: DispatchQueue) { queue.suspend() }
@inline(never) private func dropSuspended() {
  let queue = DispatchQueue(label: "store")
  suspendWell(queue)
}

@Suite("Misuse messages show the stack and the object") struct EvidenceTests {
  /// Whether the words stand in the text, in this order.
  private func order(_ words: [String], in text: String) -> Bool {
    var rest = text[...]
    for word in words {
      guard let place = rest.firstRange(of: word) else { return false }
      rest = rest[place.upperBound...]
    }
    return true
  }

  @Test("The stack has Signalbox's part in a line, then the program's functions, innermost first")
  func stack() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      processPart()
    }
    let text = errorText(result)
    let words = [
      "signalbox: misuse: group \"parts\" (0 inside) is left more often than entered", "  <DispatchGroup \"parts\" 0x",
      " empty>\n",
      "  thread \"", "    stack:\n      (", " frames of Signalbox: DispatchGroup.leave())\n      0 handleTooOften(_:) + ",
      "\n      1 processPart() + ",
    ]
    #expect(order(words, in: text), "\(text)")
    #expect(!text.contains("last entered at"), "nobody took notes: \(text)")
  }

  @Test("With the stall detector on, the message has where the group was entered last and where a queue was suspended")
  func notes() async {
    let group = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      setenv("SIGNALBOX_WATCH", "3600", 1)
      processPart()
    }
    #expect(
      order(["    last entered at:\n", "enterOnce(_:) + ", "processPart() + ", "    stack:\n"], in: errorText(group)),
      "\(errorText(group))")
    let queue = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      StallDetector.start(seconds: 3600)
      dropSuspended()
    }
    let words = [
      "\"store\" is freed while suspended", "<DispatchQueue \"store\" 0x", "    stopped at:\n", "suspendWell(_:) + ",
    ]
    #expect(order(words, in: errorText(queue)), "\(errorText(queue))")
  }

  @Test("On a worker the message has the queue whose item it is, and the item")
  func worker() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      DispatchQueue(label: "com.example.a.label.of.many.words").async { processPart() }
      sleepForEver()
    }
    let text = errorText(result)
    let words = [
      "  thread ", " on queue \"com.example.a.label.of.many.words\":\n", "    inside: an item of serial queue",
      "    runs: async: closure #1 in ", "processPart() + ", " frames of Signalbox: a worker thread)\n",
    ]
    #expect(order(words, in: text), "\(text)")
  }

  @Test("The message is written as JSON to the file for reports of deadlocks")
  func json() async throws {
    let name = "/tmp/signalbox-misuse-\(getpid())-\(UInt64.random(in: 0 ... .max)).json"
    defer { unlink(name) }
    await #expect(processExitsWith: .signal(SIGABRT)) { [name = name as String] in
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      setenv("SIGNALBOX_DEADLOCK_JSON", name, 1)
      processPart()
    }
    let object = try #require(
      JSONSerialization.jsonObject(with: try Data(contentsOf: URL(fileURLWithPath: name))) as? [String: Any])
    #expect(object["kind"] as? String == "misuse")
    #expect((object["message"] as? String)?.contains("left more often than entered") == true)
    #expect((object["object"] as? [String: Any])?["kind"] as? String == "group")
    let stack = try #require(object["stack"] as? [String])
    #expect(
      stack.contains { $0.hasPrefix("0 handleTooOften(_:)") } && stack.contains { $0.hasPrefix("1 processPart()") }, "\(stack)")
  }

  @Test("When two threads misuse objects at once, one complete report is written, and the program ends")
  func twoAtOnce() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      for _ in 0..<2 { DispatchQueue(label: "one of two").async { processPart() } }
      sleepForEver()
    }
    #expect(
      errorText(result).matches(of: #/\ {4}stack:\n/#).count == 1 && errorText(result).contains("processPart() + "),
      "\(errorText(result))")
  }
}
