// PrivateFolder.swift: the folder that the loader searches first. It is the user's alone, or nothing is started:
// another user that could write to it could put any code into the user's programs.
import SignalboxSystem

/// A folder with nothing in it but `libdispatch.so`, a link to Signalbox's library, and in a package `runtime`, a link to the
/// runtime libraries that a program may lack.
///
/// A link, not a copy: it costs nothing, shares the library's memory with other users of it, and the loader still finds what
/// the library needs, by its DT_RUNPATH; only `$ORIGIN` in it means the private folder then. A package's library has
/// `$ORIGIN/runtime` there: so it works wherever the package lies.
public struct PrivateFolder {
  /// The name under which every program asks for the library.
  static let linkName = "libdispatch.so"
  /// The name of the folder with runtime libraries, beside the library and here.
  static let runtimeName = "runtime"

  /// How long the folder has to stay.
  public enum Lifetime: Sendable {
    /// As long as the user is logged in, for a program started now.
    case session
    /// Over restarts, for a service.
    case lasting
  }

  private let library: Library
  private let user: UInt32

  /// Folders for this library, for the user that runs the command.
  public init(for library: Library, user: UInt32 = ProcessInput.user) {
    self.library = library
    self.user = user
  }

  /// The folder, made if it is not there yet: below the first of the user's places where one can be made.
  public func prepare(_ environment: EnvironmentList, _ lifetime: Lifetime, isSecure: Bool) throws(Refusal) -> String {
    for place in Self.places(isSecure ? EnvironmentList([]) : environment, lifetime) {
      if let base = usable(place), let folder = try prepare(below: base) { return folder }
    }
    if lifetime == .lasting {
      let why = obstacle(environment, lifetime).map { " (\($0))" } ?? ""
      throw Refusal(.folderUnsafe, "no place for a lasting folder\(why): set HOME or XDG_CACHE_HOME to a folder of yours")
    }
    return try fresh()
  }

  /// Why the first of the user's places that exists does not serve, where that is because others could change what lies there.
  func obstacle(_ environment: EnvironmentList, _ lifetime: Lifetime) -> SolePlace.Fault? {
    for place in Self.places(environment, lifetime) {
      for path in place.inner.isEmpty ? [place.base] : [place.base, place.base + place.inner] where isThere(path) {
        do throws(SolePlace.Fault) { _ = try SolePlace(user: user).folder(RawString(path)) } catch { return error }
      }
    }
    return nil
  }

  /// Whether the folder was made for one run, in no place of the user's.
  static func isFresh(_ folder: String) -> Bool { folder.hasPrefix(freshPrefix) }
  private static let freshPrefix = "/tmp/signalbox-"

  /// Where the user's files of this kind may lie, best first.
  struct Place: Equatable {
    /// A folder that must exist.
    var base: String
    /// One in it that may have to be made; empty for none.
    var inner = ""
  }

  static func places(_ environment: EnvironmentList, _ lifetime: Lifetime) -> [Place] {
    func place(_ name: String, inner: String = "") -> Place? {
      guard let text = environment[name]?.text, isFit(text) else { return nil }
      return Place(base: text, inner: inner)
    }
    let session = lifetime == .session ? [place("XDG_RUNTIME_DIR")] : []
    return (session + [place("XDG_CACHE_HOME"), place("HOME", inner: "/.cache")]).compactMap { $0 }
  }

  /// A path that LD_LIBRARY_PATH can hold (its separators are `:` and `;`, and `$` begins a name), on one line, from the root.
  static func isFit(_ path: String) -> Bool {
    path.utf8.first == slash
      && path.unicodeScalars.allSatisfy { !":;$".unicodeScalars.contains($0) && $0.value >= 0x20 && $0.value != 0x7f }
  }

  /// The place's path, if it is a folder of the user's to which no other user may write, on no part of the way to it.
  private func usable(_ place: Place) -> String? {
    guard isOwn(place.base) else { return nil }
    guard !place.inner.isEmpty else { return place.base }
    let path = place.base + place.inner
    // It is there already, or cannot be made: the next question tells.
    try? Files.makeFolder(RawString(path))
    return isOwn(path) ? path : nil
  }

  private func isOwn(_ path: String) -> Bool {
    guard let status = try? FileStatus(of: RawString(path)), status.owner == user else { return false }
    return (try? SolePlace(user: user).folder(RawString(path))) != nil
  }

  /// The library's folder below `base`; nil if nothing can be written there.
  ///
  /// - Throws: a refusal if something stands there that is not the user's alone.
  func prepare(below base: String) throws(Refusal) -> String? {
    let all = base + "/signalbox", folder = all + "/" + library.key
    do {
      try makeIfAbsent(all)
      try verify(all)
      if !isThere(folder) { try make(folder, in: all) }
      try verify(folder)
      try verifyLink(in: folder)
      try verifyRuntime(in: folder)
      return folder
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      return nil
    }
  }

  private func makeIfAbsent(_ folder: String) throws(SystemError) {
    do throws(SystemError) { try Files.makeFolder(RawString(folder)) } catch { guard error.isPresent else { throw error } }
  }

  private func isThere(_ path: String) -> Bool { (try? FileStatus(of: RawString(path), links: .notFollowed)) != nil }

  /// Makes the folder whole under a name of its own, then gives it its name in one step: of two commands at once, one's stays.
  private func make(_ folder: String, in all: String) throws(SystemError) {
    let fresh = try Files.makeFreshFolder(RawString(all + "/new-"))
    let link = fresh + RawString("/" + Self.linkName), runtime = fresh + RawString("/" + Self.runtimeName)
    do throws(SystemError) {
      try Files.makeLink(link, to: library.path)
      if let target = library.runtimeFolder { try Files.makeLink(runtime, to: target) }
      try Files.rename(fresh, to: RawString(folder))
    } catch {
      try? Files.removeFile(link)
      try? Files.removeFile(runtime)
      try? Files.removeFolder(fresh)
      guard error.isPresent else { throw error }
    }
  }

  /// Without a place of the user's: a new folder of an unforeseeable name, which stays.
  private func fresh() throws(Refusal) -> String {
    do throws(SystemError) {
      let folder = try Files.makeFreshFolder(RawString(Self.freshPrefix))
      try Files.makeLink(folder + RawString("/" + Self.linkName), to: library.path)
      if let target = library.runtimeFolder { try Files.makeLink(folder + RawString("/" + Self.runtimeName), to: target) }
      return folder.description
    } catch {
      throw Refusal(.folderUnsafe, "cannot make a folder in /tmp (\(error)): set XDG_CACHE_HOME to a folder of yours")
    }
  }

  /// A folder, itself and not a link, of this user, and open to no other.
  private func verify(_ folder: String) throws {
    let status = try FileStatus(of: RawString(folder), links: .notFollowed)
    guard let fault = fault(of: status) else { return }
    throw Refusal(.folderUnsafe, "\(folder) \(fault): nothing is started through it. Remove it, and it will be created again")
  }

  /// What is wrong with a folder of that status; nil if it is the user's alone.
  func fault(of status: FileStatus) -> String? {
    switch status.kind {
    case .symbolicLink: "is a symbolic link"
    case .regular, .other: "is not a folder"
    case .folder where status.owner != user: "belongs to user \(status.owner), not to you (\(user))"
    case .folder where status.permissions & 0o777 != 0o700:
      "has the mode \(String(status.permissions & 0o777, radix: 8)) instead of 700"
    case .folder: nil
    }
  }

  private func verifyLink(in folder: String) throws {
    let link = RawString(folder + "/" + Self.linkName)
    if let target = try? Files.readLink(link), target == library.path,
      let status = try? FileStatus(of: link), status.identity == library.identity
    {
      return
    }
    throw Refusal(.folderUnsafe, "\(link) is not a link to \(library.path); remove \(folder) and it will be created again")
  }

  /// A folder that was made before the library came with runtime libraries gets its link now.
  private func verifyRuntime(in folder: String) throws {
    guard let target = library.runtimeFolder else { return }
    let link = RawString(folder + "/" + Self.runtimeName)
    if !isThere(link.description) {
      do throws(SystemError) { try Files.makeLink(link, to: target) } catch { guard error.isPresent else { throw error } }
    }
    guard (try? Files.readLink(link)) == target else {
      throw Refusal(.folderUnsafe, "\(link) is not a link to \(target); remove \(folder) and it will be created again")
    }
  }
}
