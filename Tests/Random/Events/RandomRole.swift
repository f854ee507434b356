// RandomRole.swift: a file with random-access channels in a play: reads of what never changes, writes to places that are written
// once.
import Glibc
import Signalbox

final class RandomRole: ChannelRole {
  /// The first bytes are read only; places for writes follow.
  private static let fixed = 100_000
  private static let place = 4_096
  private let path: String
  private let salt: Int
  private let descriptor: Int32
  private let isByPath: Bool
  override var hasOneDescriptor: Bool { !isByPath }
  private var reads: [(offset: Int, operation: Operation)] = []
  private var writes: [Operation] = []

  init(_ stage: Stage, _ number: Int, _ script: inout Script) {
    let (descriptor, path) = makeFile()
    (self.path, self.descriptor, salt, isByPath) = (path, descriptor, number, script.once(in: 2))
    let bytes = pattern(0..<Self.fixed, number)
    precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "no room for a play's file")
    lseek(descriptor, 0, SEEK_SET)
    super.init("\(number) random", .random, stage, &script)
    facts.isCut.set(1)  // a file has an end
    if !isByPath {
      open(&script) { DispatchIO(type: .random, fileDescriptor: descriptor, queue: $0, cleanupHandler: $1) }
    } else {
      open(&script) {
        DispatchIO(type: .random, path: path, oflag: O_RDWR | O_CLOEXEC, mode: 0, queue: $0, cleanupHandler: $1)!
      }
    }
  }

  override func act(_ handle: Handle, _ script: inout Script) {
    let queue = script.pick(stage.queues)
    if script.once(in: 2) {
      let offset = script.byte() * 400
      return reads.append((offset, read(handle, offset, script.size(), queue)))
    }
    let start = Self.fixed + writes.count * Self.place
    let count = 1 + script.byte() * 16
    writes.append(write(handle, start, pattern(start..<start + count, salt), queue))
  }

  override func judgeBytes() {
    for (offset, operation) in reads {
      // Behind the fixed bytes lie those of writes, at some time.
      let count = min(operation.bytes.count, max(0, Self.fixed - offset))
      facts.check(
        Array(operation.bytes.prefix(count)) == pattern(offset..<offset + count, salt), "a read at \(offset) gives others")
      let isWhole = operation.bytes.count >= min(operation.length, Self.fixed - offset)
      facts.check(isWhole || operation.error != 0, "a read at \(offset) gives \(operation.bytes.count) bytes")
    }
    for (index, operation) in writes.enumerated() {
      var buffer = [UInt8](repeating: 0, count: Self.place)
      let count = max(0, pread(descriptor, &buffer, Self.place, off_t(Self.fixed + index * Self.place)))
      let isThere = count >= operation.written.count && buffer[..<operation.written.count] == operation.written
      facts.check(isThere, "what write \(index) has written is not in the file")
    }
    unlink(path)
    Glibc.close(descriptor)
  }
}
