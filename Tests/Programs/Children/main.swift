// main.swift: a Foundation program that starts two hundred children and reads what each writes, twenty at a time. What it prints
// is the same at every run. It knows nothing of Signalbox.
import Dispatch
import Foundation
import ProgramSupport

begin(patience: 180)

/// What one child wrote, and how it ended.
struct Outcome: Sendable { let text: String, status: Int32, wasKilled: Bool }

func child(_ number: Int) throws -> Outcome {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/sh")
  let (input, output) = (Pipe(), Pipe())
  (process.standardInput, process.standardOutput) = (input, output)
  let end = number % 10 == 9 ? "kill -KILL $$" : "exit \(number % 7)"
  process.arguments = ["-c", "read line; echo \"\(number) heard $line\"; \(end)"]
  try process.run()
  try input.fileHandleForWriting.write(contentsOf: Data("number \(number * number)\n".utf8))
  try input.fileHandleForWriting.close()
  let data = try output.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return Outcome(
    text: String(decoding: data, as: UTF8.self), status: process.terminationStatus,
    wasKilled: process.terminationReason == .uncaughtSignal)
}

/// Children of many threads at once; returns how many were as they should be.
func manyChildren(_ count: Int) -> Int {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 20
  let lock = NSLock()
  nonisolated(unsafe) var right = 0
  for number in 0..<count {
    queue.addOperation {
      guard let outcome = try? child(number) else { return }
      let isKilled = number % 10 == 9
      let isRight =
        outcome.text == "\(number) heard number \(number * number)\n" && outcome.wasKilled == isKilled
        && outcome.status == (isKilled ? SIGKILL : Int32(number % 7))
      lock.withLock { right += isRight ? 1 : 0 }
      if !isRight { print("child \(number):", outcome) }
    }
  }
  queue.waitUntilAllOperationsAreFinished()
  return right
}

/// Children whose end is reported by a handler, and whose output by a readability handler. Each stays until its line was seen: the
/// toolchain's library does not tell a handler that has read a part of what there was of the rest.
func handledChildren(_ count: Int) -> Int {
  let group = DispatchGroup()
  let lock = NSLock()
  nonisolated(unsafe) var (bytes, ends) = (0, 0)
  var running: [Process] = []
  for number in 0..<count {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "echo \(number); read line; exit 3"]
    let (input, output) = (plainPipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input.reading, output)
    group.enter()
    group.enter()
    process.terminationHandler = { process in
      lock.withLock { ends += process.terminationStatus == 3 ? 1 : 0 }
      group.leave()
    }
    do { try process.run() } catch { print("child \(number):", error) }
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      lock.withLock { bytes += data.count }
      if !data.isEmpty {
        _ = write(input.writing, "\n", 1)
        close(input.writing)
        return
      }
      handle.readabilityHandler = nil
      group.leave()
    }
    running.append(process)
  }
  if group.wait(timeout: .now() + 60) == .timedOut { print("handlers: never") }
  for process in running { process.waitUntilExit() }
  let expected = (0..<count).reduce(0) { $0 + String($1).utf8.count + 1 }
  return bytes == expected ? ends : -bytes
}

/// A pipe whose writing end is a plain descriptor, which no child inherits.
func plainPipe() -> (reading: FileHandle, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  precondition(pipe(&ends) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0, "no pipe")
  return (FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), ends[1])
}

print("children:", manyChildren(20))
print("handled:", handledChildren(20))
let before = Remains()
print("children:", manyChildren(200))
print("handled:", handledChildren(50))
before.compare("after 250 children")
