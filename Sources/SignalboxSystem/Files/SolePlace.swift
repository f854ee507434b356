// SolePlace.swift: whether a place in the file system is in the hands of this user and root alone: whoever else may write to it, or to
// a folder on the way, decides what is found there. What a file is by itself is Files.swift.

/// A file or folder that nobody but root and one user can change, replace or move away.
///
/// Each folder from the root down belongs to one of the two, and its permissions let nobody else write; an access list shows there as
/// well, as the rights of the group. On the way, a folder open to all may have the sticky bit: what the two put there, others leave.
/// The answer stays true afterwards, since only the two could change it.
public struct SolePlace: Sendable, Equatable {
  /// Why a place is not in those hands alone.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file or folder that others may change.
    public let path: String
    /// In words that follow the path: "is writable for others".
    public let what: String
    /// The path and what is wrong there.
    public var description: String { "\(path) \(what)" }
  }

  private let user: UInt32

  /// Places of root and of `user`.
  public init(user: UInt32 = ProcessInput.user) { self.user = user }

  /// Finds out whether the folder at `path`, behind all links, is in those hands; its path without links then.
  public func folder(_ path: RawString) throws(Fault) -> RawString {
    let real = try Self.realPath(path)
    var prefix: [UInt8] = []
    try check("/", isOnTheWay: real != "/")
    for part in real.bytes.split(separator: Self.slash) {
      prefix += [Self.slash] + part
      try check(RawString(prefix), isOnTheWay: prefix != real.bytes)
    }
    return real
  }

  /// Finds out whether the file at `path`, with all links that lead to it, is in those hands; its path without links then.
  public func file(_ path: RawString) throws(Fault) -> RawString {
    var next = path
    for _ in 0..<16 {
      let (parent, name) = Self.split(next)
      let place = try folder(parent) + RawString("/") + name
      let status = try Self.status(place)
      switch status.kind {
      case .symbolicLink:
        // Its own permissions mean nothing: who may write to the folder may replace it.
        let target = (try? Files.readLink(place)) ?? ""
        next = target.bytes.first == Self.slash ? target : parent + RawString("/") + target
      case .regular:
        try check(status, place)
        return place
      case .folder, .other: throw Fault(path: place.description, what: "is no regular file")
      }
    }
    throw Fault(path: path.description, what: "leads through more than 16 links")
  }

  // MARK: one place

  private func check(_ folder: RawString, isOnTheWay: Bool) throws(Fault) {
    let status = try Self.status(folder)
    guard status.kind == .folder else { throw Fault(path: folder.description, what: "is not a folder") }
    let isSticky = status.permissions & 0o1000 != 0
    if isOnTheWay && isSticky && isOurs(status) { return }
    try check(status, folder)
  }

  private func check(_ status: FileStatus, _ path: RawString) throws(Fault) {
    if !isOurs(status) {
      throw Fault(path: path.description, what: "belongs to user \(status.owner), not to you (\(user)) or root")
    }
    guard status.permissions & 0o022 != 0 else { return }
    let who = status.permissions & 0o002 != 0 ? "every user" : "its group"
    throw Fault(
      path: path.description, what: "may be written to by \(who) (mode \(String(status.permissions & 0o777, radix: 8)))")
  }

  private func isOurs(_ status: FileStatus) -> Bool { status.owner == 0 || status.owner == user }

  private static let slash = UInt8(ascii: "/")

  private static func split(_ path: RawString) -> (parent: RawString, name: RawString) {
    guard let last = path.bytes.lastIndex(of: slash) else { return (".", path) }
    return (RawString(last == 0 ? [slash] : path.bytes[..<last]), RawString(path.bytes[(last + 1)...]))
  }

  private static func realPath(_ path: RawString) throws(Fault) -> RawString {
    do { return try Files.realPath(path) } catch {
      throw Fault(path: path.description, what: "cannot be found (\(error.words))")
    }
  }

  private static func status(_ path: RawString) throws(Fault) -> FileStatus {
    do { return try FileStatus(of: path, links: .notFollowed) } catch {
      throw Fault(path: path.description, what: "cannot be found (\(error.words))")
    }
  }
}
