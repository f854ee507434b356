// answer-before-written.swift: a client writes a question to a server, and counts it as asked in the write's handler. Reads and writes
// are asynchronous each for itself: the answer can be read before the handler of the write has run, and nobody has asked for it.
// Fix: the question is counted before it is written.
import Dispatch
import Glibc

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

func connection() -> (output: Int32, input: Int32) {
  var ends: [Int32] = [0, 0]
  guard pipe(&ends) == 0 else { fail("no pipe") }
  return (ends[0], ends[1])
}

let questions = connection(), answers = connection()
let server = DispatchQueue(label: "server"), client = DispatchQueue(label: "client"), reader = DispatchQueue(label: "reader")
nonisolated(unsafe) var asked = 0  // SAFETY: used on `client` alone.

server.async {
  var byte: UInt8 = 0
  guard read(questions.output, &byte, 1) == 1 else { fail("no question") }
  usleep(30_000)
  guard write(answers.input, &byte, 1) == 1 else { fail("no answer") }
}

let done = DispatchSemaphore(value: 0)
DispatchIO.read(fromFileDescriptor: answers.output, maxLength: 1, runningHandlerOn: reader) { @Sendable _, _ in
  if client.sync(execute: { asked }) != 1 { fail("an answer to a question that nobody has asked") }
  done.signal()
}
let question = Array("?".utf8).withUnsafeBytes { DispatchData(bytes: $0) }
#if MENDED
client.sync { asked += 1 }
DispatchIO.write(toFileDescriptor: questions.input, data: question, runningHandlerOn: client) { @Sendable _, _ in }
#else
DispatchIO.write(toFileDescriptor: questions.input, data: question, runningHandlerOn: client) { @Sendable _, _ in asked += 1 }
#endif
done.wait()
