// FileBytes.swift: pieces of a file, read where they are asked for. What the file is tells Files.swift.
import CSignalbox
import Glibc

/// A regular file opened for reading; closed on exec and when it goes.
public final class FileBytes: Sendable {
  private let descriptor: Int32

  /// Opens the file; never waits for a pipe's or a device's other end.
  public init(_ path: RawString) throws(SystemError) {
    descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
    guard descriptor >= 0 else { throw SystemError(call: "open", code: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// How many bytes the file has.
  package var size: UInt64 { UInt64(max(0, FileFacts(descriptor: descriptor)?.size ?? 0)) }

  /// At most `count` bytes from `offset` on; fewer at the file's end, none behind it or where it cannot be read.
  ///
  /// - Note: Takes memory for what there is, whatever `count` says: twice as much while it reads, or a megabyte.
  public func read(at offset: UInt64, count: Int) -> [UInt8] {
    guard count > 0, let start = Int(exactly: offset) else { return [] }
    var all = piece(start, min(count, 1 << 20)), wanted = 1 << 20
    while all.count == wanted, all.count < count, start <= Int.max - all.count {
      let more = min(count - all.count, all.count)
      all += piece(start + all.count, more)
      wanted += more
    }
    return all
  }

  private func piece(_ start: Int, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(descriptor, buffer.start + filled, count - filled, start + filled)
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
      }
    }
  }
}
