// Copies.swift: a program that starts, stops and copies its own recordings, and one that forks while it is recorded.
import Glibc
import Signalbox

enum Copies {
  /// Says what becomes of it in one line.
  private static func attempt(_ what: String, _ body: () throws -> Void) {
    do {
      try body()
      print("\(what): done")
    } catch {
      print("\(what): \(error)")
    }
  }

  static func run(_ flight: String, _ copy: String, _ next: String) throws {
    attempt("copy of nothing") { try Recorder.write(to: copy) }
    attempt("small") { try Recorder.start(file: flight, limit: 4_096) }
    try Recorder.startFlight(file: flight, seconds: 600, limit: 1 << 22)
    attempt("second") { try Recorder.start(file: next) }
    attempt("flight within") { try Recorder.startFlight(file: next) }
    Work.run(3)
    attempt("copy") { try Recorder.write(to: copy) }
    attempt("copy to itself") { try Recorder.write(to: flight) }
    attempt("copy to a folder") { try Recorder.write(to: "/tmp") }
    Recorder.mark("after the copy", 1_000)
    Recorder.stop()
    Recorder.stop()
    attempt("copy after the end") { try Recorder.write(to: copy) }
    attempt("the file again") { try Recorder.start(file: flight) }
    try Recorder.start(file: next)
    Work.run(2)
    Recorder.stop()
    print("on: \(Recorder.isOn)")
  }

  /// The child marks, which it may in no way; it must not use queues.
  static func fork(_ file: String) throws {
    try Recorder.start(file: file)
    Work.run(2)
    guard let raw = dlsym(nil, "fork") else { fatalError("there is no fork") }
    let child = unsafeBitCast(raw, to: (@convention(c) () -> Int32).self)()
    if child == 0 {
      for number in 0..<20_000 { Recorder.mark("child", UInt64(number)) }
      Recorder.interval("child's", 1) {}
      do { try Recorder.write(to: file + ".child") } catch { _exit(7) }
      _exit(1)
    }
    var status: Int32 = 0
    precondition(waitpid(child, &status, 0) == child, "there is no child")
    print("child \(status >> 8)")
    Recorder.mark("parent", 5)
    Recorder.stop()
  }
}
