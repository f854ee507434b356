// main.swift: programs of tasks one after another, to be inspected where each has stopped. The toolchain's own library,
// without Signalbox.
//   TaskPrograms FIRST      the program of this number, and for each line of the input the next. Ended by a signal.
// It says in one line what is so: the number of tasks, how many are `async let`, and of each named one what it does,
// with tabs between.
import Dispatch
import Glibc

/// The next line of the input; after its end there is none. No task's thread waits for it.
func nextLine() async -> String {
  await withUnsafeContinuation { continuation in
    DispatchQueue(label: "input").async { if let line = readLine() { continuation.resume(returning: line) } }
  }
}

guard let first = CommandLine.arguments.dropFirst().first.flatMap({ UInt64($0) }) else {
  print("usage: TaskPrograms FIRST")
  exit(64)
}
var seed = first
while true {
  var program = Program(seed)
  await program.begin()
  let deeds = program.truth.map { "\($0.key): \($0.value)" }.sorted()
  print((["\(program.tasks + 1)", "\(program.lets)"] + deeds).joined(separator: "\t"))
  fflush(nil)
  _ = await nextLine()
  await program.end()
  seed += 1
}
