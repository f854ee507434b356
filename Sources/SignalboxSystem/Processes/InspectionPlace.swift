// InspectionPlace.swift: under which name a process can be asked for its memory, how that name is found, and in which
// folder it lies. What is asked and answered there is SignalboxDiagnosis/Inspection.
//
// A name holds the process's number, when it began, and a number for each copy of us in it:  inspect-PID-START-COPY.  It is found in the
// kernel's list of such names, wherever the folder lies. Whoever connects asks the kernel which process listens: so a name alone proves
// nothing, and deceives nobody.
import Glibc

/// How a reader and a process that is read greet each other. What follows is described in
/// SignalboxDiagnosis/Inspection/README.md.
package enum InspectionProtocol {
  package static let name = "signalbox-inspect"
  package static let version = 2
}

/// The names of one process.
public enum InspectionPlace {
  private static let prefix = "inspect-"
  /// Room for the kernel's list of names: some 100,000 of them.
  private static let longestList = 16 << 20

  /// The name of this process, for the copy of us that has something of its own at `address`.
  static func ownName(_ address: UInt) -> String {
    "\(prefix)\(getpid())-\(OtherProcess.ownStart)-\(String(address, radix: 16))"
  }

  /// The paths of the names of `process`, as the kernel has them; in the order of the copies' numbers.
  public static func paths(of process: OtherProcess) -> [RawString] {
    let wanted = Array("/\(prefix)\(process.innerID)-\(process.start)-".utf8)
    let lists = ["/proc/\(process.id)/net/unix", "/proc/self/net/unix"].lazy
    let list = lists.compactMap { try? FileBytes(RawString($0)).read(at: 0, count: longestList) }.first { !$0.isEmpty } ?? []
    let found = list.split(separator: UInt8(ascii: "\n")).compactMap { line -> RawString? in
      // The path is what follows the seventh column, to the end of the line.
      guard let slash = line.firstIndex(of: UInt8(ascii: "/")), line[slash...].holds(wanted) else { return nil }
      return RawString(line[slash...])
    }
    return Set(found).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  // MARK: the folder

  /// The folder for this process's name: that of this user's in the first of the places where there may be one.
  ///
  /// - Throws: a `Fault` if something stands there that is not the user's alone, `SystemError` if none can be made.
  static func folder(user: UInt32 = geteuid()) throws -> RawString {
    let places = [Environment.value("XDG_RUNTIME_DIR"), Environment.value("XDG_CACHE_HOME")]
    let home = Environment.value("HOME").map { $0 + "/.cache" }
    for place in (places + [home]).compactMap({ $0 }) where place.hasPrefix("/") && place.utf8.count < longestFolder {
      guard isOwn(place, user) else { continue }
      let folder = RawString(place + "/signalbox")
      do throws(SystemError) { try Files.makeFolder(folder) } catch { if !error.isPresent { continue } }
      try verify(folder, user)
      return folder
    }
    return try Files.makeFreshFolder("/tmp/signalbox-")
  }

  /// The kernel takes paths of 107 bytes.
  private static let longestFolder = 107 - "/signalbox/inspect-4194304-18446744073709551615-7fffffffffff".utf8.count

  private static func isOwn(_ path: String, _ user: UInt32) -> Bool {
    guard let status = try? FileStatus(of: RawString(path)), status.kind == .folder, status.owner == user else { return false }
    return (try? SolePlace(user: user).folder(RawString(path))) != nil
  }

  /// Why a folder or a name is not used.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  static func verify(_ folder: RawString, _ user: UInt32) throws {
    let status = try FileStatus(of: folder, links: .notFollowed)
    guard status.kind == .folder else { throw Fault(description: "\(folder) is not a folder") }
    guard status.owner == user else { throw Fault(description: "\(folder) belongs to user \(status.owner)") }
    let mode = status.permissions & 0o777
    guard mode == 0o700 else { throw Fault(description: "\(folder) has the mode \(String(mode, radix: 8)) instead of 700") }
  }

  /// Removes what a process of the same number and start has left under the name, before it became another program. Nothing but a name
  /// like ours is removed.
  static func removeLeftover(_ path: RawString) throws {
    guard let status = try? FileStatus(of: path, links: .notFollowed) else { return }
    guard status.kind == .other, isSocket(path), status.owner == geteuid() else {
      throw Fault(description: "\(path) is no socket of this user's: remove it")
    }
    try Files.removeFile(path)
  }

  private static func isSocket(_ path: RawString) -> Bool {
    var status = stat()
    return path.withCString { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  /// Removes the names of processes that have gone without removing them.
  static func removeStale(in folder: RawString) {
    for name in (try? Files.names(in: folder)) ?? [] {
      let parts = name.split(separator: "-")
      guard name.hasPrefix(prefix), parts.count == 4, let id = Int32(parts[1]), let start = UInt64(parts[2]) else { continue }
      let path = folder + RawString("/" + name)
      if OtherProcess(id)?.start != start, isSocket(path), isDeserted(path) { try? Files.removeFile(path) }
    }
  }

  /// Whether nobody listens there: the folder may be shared with processes whose numbers are others' here.
  private static func isDeserted(_ path: RawString) -> Bool {
    do throws(SystemError) { _ = try LocalConnection(to: path) } catch { return error.code == ECONNREFUSED }
    return false
  }
}

/// The name under which this process is asked; it goes when the process ends in order.
///
/// Thread safety: `open` for one thread.
public enum InspectionName {
  // The path as a C string that is never freed; 0: none. The process that made it; the descriptor plus 1.
  private static let path = Atomic64(0)
  private static let process = Atomic32(0)
  private static let descriptor = Atomic32(0)
  private static let folderToRemove = Atomic64(0)

  /// Begins to listen.
  ///
  /// - Throws: why that cannot be, in words.
  public static func open() throws -> LocalListener {
    process.storeRelaxed(UInt32(bitPattern: getpid()))  // relaxed, all here: each is read by itself, by handlers that check it
    Threads.onForkInChild { InspectionName.forget() }
    Threads.onProcessExit { InspectionName.remove() }
    let folder = try InspectionPlace.folder()
    InspectionPlace.removeStale(in: folder)
    let own = folder + RawString("/" + InspectionPlace.ownName(withUnsafePointer(to: path) { UInt(bitPattern: $0) }))
    try InspectionPlace.removeLeftover(own)
    let listener = try LocalListener(at: own)
    if folder.description.hasPrefix("/tmp/signalbox-") { folderToRemove.storeRelaxed(kept(folder)) }  // relaxed: as above
    path.storeRelaxed(kept(own))  // relaxed: as above
    descriptor.storeRelaxed(UInt32(bitPattern: listener.descriptor) + 1)  // relaxed: as above
    return listener
  }

  private static func kept(_ path: RawString) -> UInt64 {
    UInt64(UInt(bitPattern: path.withCString { strdup($0) }))
  }

  /// In the child of a fork: the name is its parent's, and so is the socket, which would seem to be served as long as the child lives.
  private static func forget() {
    path.storeRelaxed(0)  // relaxed, all here: there is one thread
    folderToRemove.storeRelaxed(0)  // relaxed: as above
    let number = descriptor.exchangeAcqRel(0)  // acquire-release: as above
    if number > 0 { close(Int32(bitPattern: number - 1)) }
  }

  /// The process ends in order.
  private static func remove() {
    // relaxed, all here: the words are read by themselves
    guard process.loadRelaxed() == UInt32(bitPattern: getpid()) else { return }
    if let name = UnsafePointer<CChar>(bitPattern: UInt(path.loadRelaxed())) { unlink(name) }
    if let folder = UnsafePointer<CChar>(bitPattern: UInt(folderToRemove.loadRelaxed())) { rmdir(folder) }
  }
}
