// main.swift: a Foundation program that reads and writes by the handlers of FileHandle, and gets notifications. What it
// prints is the same at every run. It knows nothing of Signalbox.
import Dispatch
import Foundation
import ProgramSupport

begin(patience: 120)

/// What handlers gather.
final class Gathered: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by `lock`.
  private let lock = NSLock()
  private var bytes = Data()
  func add(_ data: Data) { lock.withLock { bytes.append(data) } }
  var data: Data { lock.withLock { bytes } }
}

func pattern(_ count: Int, _ seed: Int) -> Data {
  Data((0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 2_654_435_761 >> 13) })
}

/// A pipe whose writing end is a plain descriptor: Foundation's own would be closed in a turn that handlers take, too.
func plainPipe() -> (reading: FileHandle, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  precondition(pipe(&ends) == 0, "no pipe")
  return (FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), ends[1])
}

func writePlainly(_ data: Data, to descriptor: Int32) {
  var rest = Array(data)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, min($0.count, 9_000)) }
    if count > 0 { rest = rest.dropFirst(count) }
  }
}

/// Pipes whose writers wait after each piece until it was read: the toolchain's library does not tell a handler that has read a
/// part of what there was of the rest.
func pipes(_ count: Int) -> Int {
  let group = DispatchGroup()
  let all = (0..<count).map { number in
    let ((reading, writing), gathered, wasRead) = (plainPipe(), Gathered(), DispatchSemaphore(value: 0))
    group.enter()
    reading.readabilityHandler = { handle in
      let data = handle.availableData
      if !data.isEmpty {
        gathered.add(data)
        wasRead.signal()
        return
      }
      handle.readabilityHandler = nil
      group.leave()
    }
    Thread.detachNewThread {
      let data = pattern(50_000 + number, number)
      for start in stride(from: 0, to: data.count, by: 4_000) {
        writePlainly(data[start..<min(start + 4_000, data.count)], to: writing)
        wasRead.wait()
      }
      close(writing)
    }
    return (reading, gathered)
  }
  guard group.wait(timeout: .now() + 120) == .success else { return -1 }
  return all.enumerated().filter { number, entry in entry.1.data == pattern(50_000 + number, number) }.count
}

func writes() -> String {
  let (pipe, done) = (Pipe(), DispatchSemaphore(value: 0))
  let data = pattern(400_000, 5)
  nonisolated(unsafe) var sent = 0  // by the handler
  pipe.fileHandleForWriting.writeabilityHandler = { handle in
    let next = min(sent + 4_000, data.count)
    try? handle.write(contentsOf: data[sent..<next])
    sent = next
    guard sent == data.count else { return }
    handle.writeabilityHandler = nil
    done.signal()
  }
  var found = [UInt8]()
  var buffer = [UInt8](repeating: 0, count: 10_000)
  while found.count < data.count {
    let count = read(pipe.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
    if count > 0 { found += buffer.prefix(count) }
  }
  guard done.wait(timeout: .now() + 120) == .success else { return "never" }
  return Data(found) == data ? "all" : "something else"
}

@MainActor func notified() -> String {
  let (reading, writing) = plainPipe()
  let center = NotificationCenter.default
  var (text, isAtEnd) = ("", false)
  let token = center.addObserver(
    forName: FileHandle.readCompletionNotification, object: reading, queue: nil
  ) { note in
    let data = note.userInfo?[NSFileHandleNotificationDataItem] as? Data ?? Data()
    MainActor.assumeIsolated {
      text += String(decoding: data, as: UTF8.self)
      isAtEnd = data.isEmpty
      if !isAtEnd { reading.readInBackgroundAndNotify() }
    }
  }
  reading.readInBackgroundAndNotify()
  DispatchQueue.global().async {
    for word in ["one ", "two ", "three"] {
      writePlainly(Data(word.utf8), to: writing)
      usleep(2_000)
    }
    close(writing)
  }
  let end = Date(timeIntervalSinceNow: 30)
  while !isAtEnd, Date() < end { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.2)) }
  center.removeObserver(token)
  return text
}

@MainActor func toTheEnd() -> String {
  let (reading, writing) = plainPipe()
  var data: Data?
  let token = NotificationCenter.default.addObserver(
    forName: .NSFileHandleReadToEndOfFileCompletion, object: reading, queue: nil
  ) { note in
    let found = note.userInfo?[NSFileHandleNotificationDataItem] as? Data
    MainActor.assumeIsolated { data = found }
  }
  reading.readToEndOfFileInBackgroundAndNotify()
  DispatchQueue.global().async {
    writePlainly(pattern(100_000, 9), to: writing)
    close(writing)
  }
  let end = Date(timeIntervalSinceNow: 30)
  while data == nil, Date() < end { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.2)) }
  NotificationCenter.default.removeObserver(token)
  return data == pattern(100_000, 9) ? "all" : "\(data?.count ?? -1) bytes"
}

@MainActor func all() {
  print("pipes:", pipes(20))
  print("written by a handler:", writes())
  print("notified:", notified())
  print("to the end:", toTheEnd())
}

all()
let before = Remains()
for _ in 0..<3 { all() }
before.compare("after three more rounds")
