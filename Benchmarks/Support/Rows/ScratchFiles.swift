// ScratchFiles.swift: files and pipes for rows about reading and writing, and their floors: bare calls from bare threads.
import Glibc

/// A file in memory without a name, of a given number of bytes; it goes with the object.
public final class ScratchFile: Sendable {
  /// Open for reading and writing; not to be closed.
  public let descriptor: Int32
  /// Its size.
  public let bytes: Int

  /// A file whose bytes are all in memory.
  public init(bytes: Int) {
    var template = Array("/dev/shm/signalbox-bench-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { fatalError("the bench could not make a file in /dev/shm (error \(errno))") }
    unlink(template)
    self.bytes = bytes
    let block = [UInt8](repeating: 65, count: 1 << 20)
    for start in stride(from: 0, to: bytes, by: block.count) {
      guard pwrite(descriptor, block, min(block.count, bytes - start), start) > 0 else {
        fatalError("the bench could not fill a file of \(bytes) bytes in /dev/shm (error \(errno))")
      }
    }
  }

  deinit { close(descriptor) }
}

/// The two ends of a pipe; they go with the object.
public final class ScratchPipe: Sendable {
  /// Where bytes come out.
  public let output: Int32
  /// Where bytes go in.
  public let input: Int32

  /// A new pipe.
  public init() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fatalError("the bench could not make a pipe (error \(errno))") }
    (output, input) = (ends[0], ends[1])
  }

  /// Writes one byte and returns when one has come out of `other`.
  public func roundTrip(through other: ScratchPipe) {
    var byte: UInt8 = 1
    guard write(input, &byte, 1) == 1, read(other.output, &byte, 1) == 1 else {
      fatalError("the echo is gone (error \(errno))")
    }
  }

  /// Tells the reader that no more bytes come.
  public func closeInput() { close(input) }

  deinit { close(output) }
}

/// How files are read and copied in the rows: several parts at once, each in blocks.
public enum Slices {
  /// Parts that are read at the same time.
  public static let count = 2
  /// Bytes of a bare loop's block.
  static let block = 1 << 20

  /// The bytes of part `index`.
  public static func range(_ index: Int, of bytes: Int) -> Range<Int> {
    let size = bytes / count
    return index * size..<(index == count - 1 ? bytes : (index + 1) * size)
  }
}

// SAFETY: each block is touched by the thread of its part alone; they live as long as the process.
/// A block of memory for each part, kept from one run to the next: fresh ones would cost page faults.
private struct Blocks: @unchecked Sendable {
  private let all: [UnsafeMutableRawPointer]
  init() { all = (0..<Slices.count).map { _ in .allocate(byteCount: Slices.block, alignment: 4_096) } }
  subscript(_ index: Int) -> UnsafeMutableRawPointer { all[index] }
}

/// Reads a whole file by parts, and writes it to another one if there is one.
func bareSlices(_ source: ScratchFile, to target: ScratchFile?) -> Workload {
  let blocks = Blocks()
  let crew = Crew(threads: Slices.count, division: .equalParts) { index, _ in
    let range = Slices.range(index, of: source.bytes)
    var position = range.lowerBound
    while position < range.upperBound {
      let moved = pread(source.descriptor, blocks[index], min(Slices.block, range.upperBound - position), position)
      guard moved > 0 else { fatalError("the bench could not read its file (error \(errno))") }
      if let target { _ = pwrite(target.descriptor, blocks[index], moved, position) }
      position += moved
    }
  }
  return .selfTimed { count in (0..<count).reduce(0) { sum, _ in sum + crew.run(Slices.count) } }
}

/// A thread that answers each byte, sleeping in `read` meanwhile.
func bareEchoes() -> Workload {
  let there = ScratchPipe(), back = ScratchPipe()
  let echo = PipeEcho(there, back)
  return .timed { count in for _ in 0..<count { there.roundTrip(through: echo.back) } }
}

private final class PipeEcho {
  let back: ScratchPipe
  private let there: ScratchPipe
  private let thread: pthread_t

  init(_ there: ScratchPipe, _ back: ScratchPipe) {
    (self.there, self.back) = (there, back)
    thread = startThread {
      var byte: UInt8 = 0
      while read(there.output, &byte, 1) == 1 { _ = write(back.input, &byte, 1) }
      back.closeInput()
    }
  }

  deinit {
    there.closeInput()
    pthread_join(thread, nil)
  }
}
