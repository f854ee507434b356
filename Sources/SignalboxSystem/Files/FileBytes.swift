// FileBytes.swift: the bytes of files: pieces read where they are asked for, and files read and written whole. Also
// copies of a file that is written meanwhile, and the kernel's files about another process. What a file is, Files.swift
// tells.
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

// MARK: files read and written whole

// A program's own: a reader finds the old contents or the new, nothing between.

extension Files {
  /// All bytes of a regular file.
  public static func contents(_ path: RawString) throws(SystemError) -> [UInt8] {
    let file = try FileBytes(path)
    let status = try FileStatus(of: path)
    guard status.kind == .regular else { throw SystemError(call: "read", code: EINVAL) }
    return file.read(at: 0, count: Int(status.identity.size))
  }

  /// Gives the file these contents in one step, or makes it. An existing file keeps its permissions, and its owner and group where the
  /// user may give files to them; a new one is for all to read.
  ///
  /// `path` must not be a symbolic link: the link would be replaced.
  public static func write(_ bytes: [UInt8], to path: RawString) throws(SystemError) {
    let before = try? FileStatus(of: path)
    let (descriptor, made) = fresh(path + ".", mkstemp)
    guard descriptor >= 0 else { throw SystemError(call: "mkstemp", code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    do throws(SystemError) {
      if let error = bytes.withUnsafeBytes({ WholeWrite.write($0, to: descriptor) }) { throw error }
      // Before the permissions: a change of owner takes some of them away.
      if let before { _ = fchown(descriptor, before.owner, before.group) }
      try checkedErrno("fchmod", fchmod(descriptor, before?.permissions ?? 0o644))
      try rename(made, to: path)
      close(descriptor)
    } catch {
      close(descriptor)
      try? removeFile(made)
      throw error
    }
  }
}

// MARK: a file that is written meanwhile

// It consists of a head and of pieces that are each given to something else now and then. What the pieces hold is
// their writer's business.

/// How such a file is laid out.
///
/// A piece begins with some words that change whenever it is given to something else, and at no other time.
public struct PieceCopy: Sendable {
  private let head: Int
  private let piece: Int
  private let words: Int

  /// A file whose head has `head` bytes; each piece behind it has `piece`, of which the first `words` say what it is given to.
  public init(head: Int, piece: Int, words: Int) { (self.head, self.piece, self.words) = (head, piece, words) }

  /// Hands the bytes of `source` over, part by part; `write` says whether there is use in going on.
  ///
  /// A piece that was given to something else while it was read is read again, and is zeros if that happens again and again: no copy of a
  /// piece has parts of two.
  public func write(_ source: FileBytes, _ write: ([UInt8]) -> Bool) {
    guard write(source.read(at: 0, count: head)) else { return }
    var offset = UInt64(head)
    while true {
      guard let bytes = whole(source, offset) else { return }
      guard write(bytes), bytes.count == piece else { return }
      offset += UInt64(piece)
    }
  }

  /// nil: there is nothing at `offset`.
  private func whole(_ source: FileBytes, _ offset: UInt64) -> [UInt8]? {
    for _ in 0..<4 {
      let bytes = source.read(at: offset, count: piece)
      if bytes.isEmpty { return nil }
      if source.read(at: offset, count: words).elementsEqual(bytes.prefix(words)) { return bytes }
    }
    return [UInt8](repeating: 0, count: piece)
  }
}

// MARK: the kernel's files about another process

// They are its memory's, not its first thread's: they are empty below the process's own number once that thread has
// ended.
package enum ProcessFiles {
  /// A thread of the process that has not ended; the first one's number where there is none.
  package static func livingThread(of process: Int32) -> Int32 {
    let tasks = (try? Files.names(in: RawString("/proc/\(process)/task"))) ?? []
    return tasks.compactMap { Int32($0) }.first { KernelThread.sample(UInt64($0), ofProcess: process)?.hasEnded == false }
      ?? process
  }

  /// The first `most` bytes of the file of that name: `maps`, `auxv`; none where the kernel does not show it.
  package static func contents(_ name: String, of process: Int32, most: Int) -> [UInt8] {
    let path = "/proc/\(process)/task/\(livingThread(of: process))/\(name)"
    return (try? FileBytes(RawString(path)))?.read(at: 0, count: most) ?? []
  }
}
