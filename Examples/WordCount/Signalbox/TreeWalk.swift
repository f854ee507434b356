// TreeWalk.swift: the regular files below a folder, one after the other. Links are not followed, so there are no loops.
// Holds the names of one folder and of the folders still to come, and no descriptor between calls. Reading is FileScan.swift.
import Glibc

struct TreeWalk {
  enum Found {
    case file(Path)
    case failure(ReadFailure)
  }

  private enum Kind {
    case file, folder, other
  }

  private var folders: [Path] = []
  private var found: [Found] = []

  /// The tree itself may be a link or a single file: the user named it.
  init(_ tree: Path) {
    var status = stat()
    if tree.withCString({ stat($0, &status) }) == 0 {
      add(tree, Self.kind(status.st_mode))
    } else {
      found = [.failure(ReadFailure(action: .look, path: tree, code: errno))]
    }
  }

  mutating func next() -> Found? {
    while found.isEmpty, let folder = folders.popLast() { list(folder) }
    return found.popLast()
  }

  private mutating func add(_ path: Path, _ kind: Kind) {
    switch kind {
    case .file: found.append(.file(path))
    case .folder: folders.append(path)
    case .other: break
    }
  }

  private mutating func list(_ folder: Path) {
    guard let stream = folder.withCString({ opendir($0) }) else {
      return found.append(.failure(ReadFailure(action: .openFolder, path: folder, code: errno)))
    }
    defer { closedir(stream) }
    errno = 0
    while let entry = readdir(stream) {
      let name = Self.name(of: entry)
      if name != Array(".".utf8) && name != Array("..".utf8) { examine(folder.appending(name), entry.pointee.d_type) }
      errno = 0
    }
    if errno != 0 { found.append(.failure(ReadFailure(action: .readFolder, path: folder, code: errno))) }
  }

  /// Most file systems tell the kind with the name; the others are asked.
  private mutating func examine(_ path: Path, _ type: UInt8) {
    switch CInt(type) {
    case CInt(DT_REG): add(path, .file)
    case CInt(DT_DIR): add(path, .folder)
    case CInt(DT_UNKNOWN):
      var status = stat()
      if path.withCString({ lstat($0, &status) }) == 0 {
        add(path, Self.kind(status.st_mode))
      } else {
        found.append(.failure(ReadFailure(action: .look, path: path, code: errno)))
      }
    default: break
    }
  }

  private static func kind(_ mode: mode_t) -> Kind {
    switch mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    default: .other
    }
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    let start = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
    let length = strlen(start.assumingMemoryBound(to: CChar.self))
    return Array(UnsafeRawBufferPointer(start: start, count: length))
  }
}
