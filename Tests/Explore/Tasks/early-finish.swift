// early-finish.swift: two tasks write to one stream, and the second, which is expected to be the last one, ends the stream.
// If the first one is later, what it writes to the stream that has ended is lost.
// Fix: the stream is ended when both tasks have ended.
import Glibc

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

func addUp() async {
  let (stream, writer) = AsyncStream.makeStream(of: Int.self)
  let first = Task { _ = writer.yield(1) }
  let second = Task {
    try? await Task.sleep(for: .milliseconds(40))
    writer.yield(2)
    #if MENDED
    await first.value
    #endif
    writer.finish()
  }
  var sum = 0
  for await number in stream { sum += number }
  await first.value
  await second.value
  if sum != 3 { fail("a number is lost") }
}

@main struct Program {
  static func main() async { await addUp() }
}
