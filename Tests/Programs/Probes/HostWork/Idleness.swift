// Idleness.swift: what the main thread does when nothing is to be done.
import Glibc

/// An idle main thread.
public enum Idleness {
  /// Waits until the first thread sleeps, and counts how often it was switched to in the two seconds after.
  public static func switchesOfFirstThread() -> Int {
    while true {
      let before = switches()
      usleep(50_000)
      if switches() == before { break }
    }
    let before = switches()
    sleep(2)
    return switches() - before
  }

  /// The kernel's two counts of context switches, added.
  private static func switches() -> Int {
    guard let file = fopen("/proc/self/task/\(getpid())/status", "r") else { fatalError("no /proc") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    var sum = 0
    while fgets(&line, 512, file) != nil {
      let words = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.split { $0 == 9 || $0 == 10 }
      guard words.count == 2, String(decoding: words[0], as: UTF8.self).hasSuffix("voluntary_ctxt_switches:") else { continue }
      sum += Int(String(decoding: words[1], as: UTF8.self))!
    }
    return sum
  }
}
