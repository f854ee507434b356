// EventPlayTests.swift: random sequences of calls on sources, timers, channels and data: a fixed slice, and the seed that
// Scripts/long-run names. The plays are Tests/Random/Events; libFuzzer plays them with bytes of its own.
import EventPlays
import Glibc
import Testing

/// Each slice in a process of its own: a play counts the process's descriptors and raises signals.
@Suite("Random sequences of calls on sources, timers, channels and data", .serialized) struct EventPlayTests {
  private static let seed = getenv("SIGNALBOX_STRESS_SEED").flatMap { UInt64(String(cString: $0)) }

  /// Plays the seeds one after the other. What is wrong goes to a file, as does what a process says that is about to be ended.
  private static func play(_ seeds: Range<UInt64>, bytes: Int, into path: String) {
    let (file, own) = (open(path, O_WRONLY | O_APPEND), dup(2))
    dup2(file, 2)
    defer { dup2(own, 2) }
    for seed in seeds {
      let wrong = runEventPlay(eventPlayBytes(seed: seed, count: bytes))
      if wrong.isEmpty { continue }
      let text = "seed \(seed): \(wrong.joined(separator: "\n  "))\n"
      _ = text.withCString { write(2, $0, strlen($0)) }
      exit(1)
    }
  }

  /// Always the same seeds, so that a failure can be played again as it is.
  @Test("Event plays of fixed seeds keep every promise, say nothing and leave nothing behind", arguments: [UInt64](0..<5))
  func fixedSlice(part: UInt64) async {
    let said = SaidFile()
    await #expect(processExitsWith: .success) { [part = part as UInt64, path = said.path as String] in
      Self.play(part * 50 + 1..<part * 50 + 51, bytes: 120 + Int(part) * 80, into: path)
    }
    #expect(said.text == "")
  }

  /// One round of a long run.
  @Test("A long run's event plays keep every promise", .enabled(if: seed != nil))
  func longRun() async {
    let said = SaidFile()
    await #expect(processExitsWith: .success) { [first = Self.seed! as UInt64, path = said.path as String] in
      Self.play(first..<first + 300, bytes: 400, into: path)
    }
    #expect(said.text == "")
  }
}
