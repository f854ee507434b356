// ChannelTests.swift: I/O: a barrier between reads and writes of one descriptor, and a channel that is closed under them.
import Glibc
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks

@Suite(.serialized) struct ChannelTests {
  init() { LockTuning.rounds = 0 }

  @Test("A barrier comes when what was asked for before it has moved, and before what was asked for after it moves")
  func barrier() throws {
    try expectSome {
      let file = NamelessFile(), queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0), saw = Saw()
      let channel = ChannelBox(file, queue, done)
      race(
        {
          channel.write(1, at: 0)
          channel.io.barrier {
            saw.values = [file.byte(at: 0), file.byte(at: 1)]
            done.signal()
          }
          channel.write(2, at: 1)
        }, { channel.write(3, at: 2) })
      for _ in 0..<4 { done.wait() }
      channel.io.close()
      done.wait()
      try require(saw.values == [1, 0], "at the barrier the file held \(saw.values)")
      try require([file.byte(at: 0), file.byte(at: 1), file.byte(at: 2)] == [1, 2, 3], "a write was lost")
      file.close()
    }
  }

  @Test("Two barriers never run at once")
  func barriers() throws {
    try expectSome {
      let file = NamelessFile(), queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0)
      let channel = ChannelBox(file, queue, done), inside = Guarded()
      let pass: @Sendable () -> Void = {
        channel.io.barrier {
          inside.add()
          done.signal()
        }
      }
      race(pass, pass, { channel.write(1, at: 0) })
      for _ in 0..<3 { done.wait() }
      channel.io.close()
      done.wait()
      try inside.expect(2)
      file.close()
    }
  }

  @Test(
    "A channel is closed while one thread writes and another lays a barrier: each is answered, the cleanup handler comes last and once"
  )
  func closed() throws {
    try expectSome {
      let file = NamelessFile(), queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0)
      let channel = ChannelBox(file, queue, done)
      race({ channel.write(1, at: 0) }, { channel.io.close() })
      done.wait()
      done.wait()
      try queue.sync { try channel.cleanups.expect(1) }
      file.close()
    }
  }
}

/// A file without a name.
private struct NamelessFile: Sendable {
  let descriptor: Int32
  init() {
    var name = Array("/tmp/signalbox.XXXXXX".utf8CString)
    descriptor = mkstemp(&name)
    precondition(descriptor >= 0, "no file can be made: errno \(errno)")
    unlink(name)
  }
  /// What is there; 0 beyond the end.
  func byte(at offset: Int) -> UInt64 {
    var byte: UInt8 = 0
    return pread(descriptor, &byte, 1, offset) == 1 ? UInt64(byte) : 0
  }
  func close() { _ = Glibc.close(descriptor) }
}

/// A channel of a file, on which each end of an operation is signalled.
private final class ChannelBox: @unchecked Sendable {
  // SAFETY of @unchecked: a channel may be used by any thread.
  let io: DispatchIO
  let cleanups = Number()
  private let queue: DispatchQueue
  private let done: DispatchSemaphore

  init(_ file: NamelessFile, _ queue: DispatchQueue, _ done: DispatchSemaphore) {
    let cleanups = cleanups
    (self.queue, self.done) = (queue, done)
    io = DispatchIO(type: .random, fileDescriptor: file.descriptor, queue: queue) { _ in
      cleanups.add()
      done.signal()
    }
  }

  func write(_ byte: UInt8, at offset: Int) {
    let data = withUnsafeBytes(of: byte) { DispatchData(bytes: $0) }
    io.write(offset: offset, data: data, queue: queue) { [done] isDone, _, _ in if isDone { done.signal() } }
  }
}
