// Files.swift: what a file is and which user owns it; links and folders, and what lies in them. Reading is
// FileBytes.swift, running Programs.swift.
import CSignalbox
import Glibc

/// What the system says of a file.
public struct FileStatus: Sendable, Equatable {
  /// What it is.
  public enum Kind: Sendable, Equatable {
    /// A file with contents.
    case regular
    /// A folder.
    case folder
    /// A symbolic link itself.
    case symbolicLink
    /// A device, a pipe, a socket.
    case other
  }

  /// Whether a symbolic link at the path's end counts as itself.
  public enum Links: Sendable {
    /// The file that the link leads to.
    case followed
    /// The link.
    case notFollowed
  }

  /// What one file has and no other has at the same time; another one after the file was replaced or written.
  public struct Identity: Sendable, Hashable {
    /// The file system's device.
    public var device: UInt64
    /// The file's number in it.
    public var number: UInt64
    /// Bytes.
    public var size: Int64
    /// When the contents changed last, in nanoseconds.
    public var modified: Int64

    /// An identity with these parts.
    public init(device: UInt64, number: UInt64, size: Int64, modified: Int64) {
      self.device = device
      self.number = number
      self.size = size
      self.modified = modified
    }
  }

  /// What it is.
  public var kind: Kind
  /// The user who owns it.
  public var owner: UInt32
  /// Its group.
  public var group: UInt32
  /// The twelve bits of permissions.
  public var permissions: UInt32
  /// What tells it from others.
  public var identity: Identity

  /// A status with these parts.
  public init(kind: Kind, owner: UInt32, group: UInt32 = 0, permissions: UInt32, identity: Identity) {
    self.kind = kind
    self.owner = owner
    self.group = group
    self.permissions = permissions
    self.identity = identity
  }

  /// Asks the system.
  ///
  /// - Throws: `SystemError`; `isAbsent` tells a missing file.
  public init(of path: RawString, links: Links = .followed) throws(SystemError) {
    var raw = stat()
    let (call, result) = path.withCString { path in
      links == .followed ? ("stat", stat(path, &raw)) : ("lstat", lstat(path, &raw))
    }
    try checkedErrno(call, result)
    switch raw.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .symbolicLink
    default: kind = .other
    }
    owner = raw.st_uid
    group = raw.st_gid
    permissions = raw.st_mode & 0o7777
    identity = Identity(
      device: UInt64(raw.st_dev), number: UInt64(raw.st_ino), size: Int64(raw.st_size),
      modified: Int64(raw.st_mtim.tv_sec) * 1_000_000_000 + Int64(raw.st_mtim.tv_nsec))
  }
}

/// Questions about files, and folders and links of our own.
public enum Files {
  /// The path without links, dots and doubled slashes.
  public static func realPath(_ path: RawString) throws(SystemError) -> RawString {
    guard let found = path.withCString({ realpath($0, nil) }) else { throw SystemError(call: "realpath", code: errno) }
    defer { free(found) }
    return RawString(cString: found)
  }

  /// What the link at `path` holds.
  public static func readLink(_ path: RawString) throws(SystemError) -> RawString {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = path.withCString { path in
      buffer.withUnsafeMutableBytes { readlink(path, $0.start.assumingMemoryBound(to: CChar.self), $0.count) }
    }
    guard count >= 0 else { throw SystemError(call: "readlink", code: errno) }
    return RawString(buffer.prefix(count))
  }

  /// Whether the program's user may execute the file, by its permissions and its file system's.
  public static func mayExecute(_ path: RawString) -> Bool {
    path.withCString { faccessat(AT_FDCWD, $0, X_OK, AT_EACCESS) } == 0
  }

  /// Whether the file carries capabilities. False where there are none, or none are known.
  public static func hasCapabilities(_ path: RawString) -> Bool {
    // Every error means that execve finds none either: none there (ENODATA), none possible (ENOTSUP), file gone (ENOENT).
    path.withCString { sb_attribute_size($0, "security.capability") } >= 0
  }

  /// Makes a folder for the user alone (0700); throws `isPresent` if there is something already.
  public static func makeFolder(_ path: RawString) throws(SystemError) {
    try checkedErrno("mkdir", path.withCString { mkdir($0, 0o700) })
  }

  /// Makes a folder for the user alone whose name begins with `prefix` and is nobody's yet.
  public static func makeFreshFolder(_ prefix: RawString) throws(SystemError) -> RawString {
    let (folder, name) = fresh(prefix, mkdtemp)
    guard folder != nil else { throw SystemError(call: "mkdtemp", code: errno) }
    return name
  }

  /// What `make`, which is mkdtemp or mkstemp, returns; and the name, beginning with `prefix`, that it chose.
  static func fresh<Made>(_ prefix: RawString, _ make: (UnsafeMutablePointer<CChar>) -> Made) -> (made: Made, name: RawString) {
    var name = (prefix + "XXXXXX").bytes.map(CChar.init(bitPattern:)) + [0]
    let made = make(&name)
    return (made, RawString(name.map(UInt8.init(bitPattern:))))
  }

  /// Makes the symbolic link `path`, which leads to `target`.
  public static func makeLink(_ path: RawString, to target: RawString) throws(SystemError) {
    try checkedErrno("symlink", target.withCString { target in path.withCString { symlink(target, $0) } })
  }

  /// Gives a file or folder another name in one step; throws `isPresent` if the name is that of a folder with contents.
  public static func rename(_ path: RawString, to name: RawString) throws(SystemError) {
    try checkedErrno("rename", path.withCString { path in name.withCString { Glibc.rename(path, $0) } })
  }

  /// Removes a file or a link, not what it leads to.
  public static func removeFile(_ path: RawString) throws(SystemError) {
    try checkedErrno("unlink", path.withCString { unlink($0) })
  }

  /// Removes an empty folder.
  public static func removeFolder(_ path: RawString) throws(SystemError) {
    try checkedErrno("rmdir", path.withCString { rmdir($0) })
  }
}

extension SystemError {
  /// The file, or a folder on the way to it, does not exist.
  public var isAbsent: Bool { code == ENOENT || code == ENOTDIR }
  /// The socket is there, and nobody listens.
  public var isDeserted: Bool { code == ECONNREFUSED }
  /// Something of that name exists.
  public var isPresent: Bool { code == EEXIST || code == ENOTEMPTY }
  /// The system does not know how to run such a file.
  public var isUnknownFormat: Bool { code == ENOEXEC }
  /// The system's own words, without call and number.
  public var words: String { String(cString: strerror(code)) }
}

// MARK: what lies in a folder

extension Files {
  /// The names in a folder, in no order, `.` and `..` left out.
  public static func names(in folder: RawString) throws(SystemError) -> [String] {
    guard let list = folder.withCString({ opendir($0) }) else { throw SystemError(call: "opendir", code: errno) }
    defer { closedir(list) }
    var names: [String] = []
    while let entry = readdir(list) {
      // SAFETY: `d_name` is a C string inside the entry, which stays until the next readdir.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
