// SharedMemory.swift: memory and files without a name, to be shared with programs that are started. Messages are MessageSocket.swift.
import CSignalbox
import Glibc

/// Zeroed memory that a started program can map as well.
public final class SharedMemory: @unchecked Sendable {
  // SAFETY of @unchecked: both are set once; who may touch the memory when is its users' business.

  /// Where it lies in this process.
  public let start: UnsafeMutableRawPointer
  /// What the other process maps.
  public let descriptor: Int32
  private let size: Int

  /// Memory of `size` bytes; pages that nobody touches cost nothing.
  public init(size: Int) throws(SystemError) {
    descriptor = try checked("memfd_create", sb_memory_file())
    guard ftruncate(descriptor, size) == 0,
      let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), start != MAP_FAILED
    else {
      let error = SystemError(call: "mmap", code: errno)
      close(descriptor)
      throw error
    }
    (self.start, self.size) = (start, size)
  }

  deinit {
    munmap(start, size)
    close(descriptor)
  }
}

extension Files {
  /// Writes `text` in place of what the file holds; makes it if it is not there.
  public static func replace(_ path: RawString, with text: String) throws(SystemError) {
    let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    guard descriptor >= 0 else { throw SystemError(call: "open", code: errno) }
    defer { close(descriptor) }
    var copy = text
    if let error = copy.withUTF8({ WholeWrite.write(UnsafeRawBufferPointer($0), to: descriptor) }) { throw error }
  }
}

/// A file without a name that a started program writes.
public final class NamelessFile: Sendable {
  /// The open file, to be inherited; each write goes to its end.
  public let descriptor: Int32

  /// An empty file.
  public init() throws(SystemError) {
    descriptor = try checked("memfd_create", sb_memory_file())
    _ = fcntl(descriptor, F_SETFL, O_APPEND)
  }
  deinit { close(descriptor) }

  /// Its contents, at most `most` bytes.
  public func contents(most: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: most) { buffer, filled in
      while filled < most {
        let count = pread(descriptor, buffer.baseAddress! + filled, most - filled, filled)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }
        filled += count
      }
    }
  }
}
