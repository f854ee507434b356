// PrivateFolderTests.swift: the folder that the loader searches first: made, found again, refused when it is not the user's alone.
import Glibc
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

@Suite("The private folder of libraries") struct PrivateFolderTests {
  private let place: TemporaryFolder
  private let library: Library

  init() throws {
    place = try TemporaryFolder()
    let file = RawString(try place.copy("/proc/self/exe", as: "library"))
    let machine = try #require(ElfImage(try FileBytes(file))).machine
    library = Library(path: try Files.realPath(file), identity: try FileStatus(of: file).identity, machine: machine)
  }

  private func prepare(_ library: Library? = nil) throws -> String {
    try #require(try PrivateFolder(for: library ?? self.library).prepare(below: place.path))
  }

  private func refusal(_ body: () throws -> Void) -> String {
    do { try body() } catch let refusal as Refusal {
      #expect(refusal.kind == .folderUnsafe)
      #expect(!refusal.message.contains("\n"))
      return refusal.message
    } catch { return "\(error)" }
    return "nothing was refused"
  }

  @Test("The private folder holds one link, and is found again")
  func itHoldsOneLinkAndIsFoundAgain() throws {
    let folder = try prepare()
    #expect(try prepare() == folder)
    for path in [folder, place("signalbox")] {
      let status = try FileStatus(of: RawString(path), links: .notFollowed)
      #expect(status.kind == .folder && status.permissions == 0o700 && status.owner == geteuid(), "\(path)")
    }
    #expect(try Files.readLink(RawString(folder + "/libdispatch.so")) == library.path)
    #expect(try FileStatus(of: RawString(folder + "/libdispatch.so")).identity == library.identity)
  }

  /// A library elsewhere has a folder of its own; a new build in the same place is found through the folder that is there.
  @Test("Libraries in different places have folders of their own; a new build in one place keeps its folder")
  func buildsDoNotFight() throws {
    let folder = try prepare()
    #expect(folder.hasSuffix("/signalbox/" + library.key) && library.key.count == 16)
    let elsewhere = RawString(try place.copy("/proc/self/exe", as: "elsewhere"))
    let other = try prepare(Library.like(library, at: elsewhere))
    #expect(other != folder)
    try Files.rename(elsewhere, to: library.path)
    let rebuilt = try Library.like(library, at: library.path)
    #expect(rebuilt.identity != library.identity)
    #expect(try prepare(rebuilt) == folder)
  }

  /// Also in a folder that was made when the library had none.
  @Test("A library with runtime libraries beside it has a link to them in its private folder")
  func runtimeLibrariesAreLinked() throws {
    let link = RawString(try prepare() + "/runtime")
    #expect((try? Files.readLink(link)) == nil)
    try Files.makeFolder(RawString(place("runtime")))
    let runtime = RawString(place("runtime"))
    #expect(try prepare() + "/runtime" == link.description)
    #expect(try Files.readLink(link) == runtime)
    try Files.removeFile(link)
    try Files.makeLink(link, to: "/etc")
    #expect(refusal { _ = try prepare() }.contains("/runtime is not a link to \(runtime); remove"))

    let other = try TemporaryFolder()
    let fresh = try #require(try PrivateFolder(for: library).prepare(below: other.path))
    #expect(try Files.readLink(RawString(fresh + "/runtime")) == runtime)
  }

  @Test("A link in the private folder's place is refused")
  func aLinkInItsPlaceIsRefused() throws {
    try Files.makeFolder(RawString(place("theirs")))
    try Files.makeLink(RawString(place("signalbox")), to: RawString(place("theirs")))
    let message = refusal { _ = try prepare() }
    #expect(message.contains("is a symbolic link") && message.contains(place("signalbox")))
    try Files.removeFile(RawString(place("signalbox")))
    let folder = try prepare()
    try Files.rename(RawString(folder), to: RawString(place("moved")))
    try Files.makeLink(RawString(folder), to: RawString(place("moved")))
    #expect(refusal { _ = try prepare() }.contains("is a symbolic link"))
  }

  @Test("A private folder that others may enter is refused", arguments: [0o755, 0o770, 0o777, 0o701] as [UInt32])
  func aWrongModeIsRefused(mode: UInt32) throws {
    let folder = try prepare()
    chmod(folder, mode)
    #expect(refusal { _ = try prepare() }.contains("has the mode \(String(mode, radix: 8)) instead of 700"))
    chmod(folder, 0o700)
    chmod(place("signalbox"), mode)
    #expect(refusal { _ = try prepare() }.contains(place("signalbox") + " has the mode"))
    chmod(place("signalbox"), 0o700)
    #expect(try prepare() == folder)
  }

  @Test("A private folder that belongs to another user is refused")
  func anothersFolderIsRefused() throws {
    _ = try prepare()
    let stranger = PrivateFolder(for: library, user: geteuid() + 1)
    #expect(refusal { _ = try stranger.prepare(below: place.path) }.contains("belongs to user \(geteuid()), not to you"))
  }

  @Test("A file in the private folder's place, or a wrong link in it, is refused")
  func aFileOrAWrongLinkIsRefused() throws {
    let folder = try prepare()
    try Files.removeFile(RawString(folder + "/libdispatch.so"))
    #expect(refusal { _ = try prepare() }.contains("is not a link to"))
    try Files.makeLink(RawString(folder + "/libdispatch.so"), to: "/etc/passwd")
    #expect(refusal { _ = try prepare() }.contains("is not a link to"))
    try place.file("base", "no folder")
    let other = try TemporaryFolder()
    try other.file("signalbox", "no folder")
    #expect(refusal { _ = try PrivateFolder(for: library).prepare(below: other.path) }.contains("is not a folder"))
  }

  @Test("Where no folder can be made, the next place is taken")
  func whereNothingCanBeMadeTheNextPlaceIsTaken() throws {
    #expect(try PrivateFolder(for: library).prepare(below: place("absent")) == nil)
    chmod(place.path, 0o700)
    let open = place("open")
    try Files.makeFolder(RawString(open))
    chmod(open, 0o777)  // everybody may put a folder of any name there
    let list = EnvironmentList([
      RawString("XDG_RUNTIME_DIR=" + open), RawString("XDG_CACHE_HOME=" + place("absent")), RawString("HOME=" + place.path),
    ])
    let folder = try PrivateFolder(for: library).prepare(list, .session, isSecure: false)
    #expect(folder.hasPrefix(place(".cache/signalbox/")))
    #expect(try PrivateFolder(for: library).prepare(list, .lasting, isSecure: false) == folder)
  }

  /// Whoever may write to a folder on the way may put another one in the place of those that follow.
  @Test("A place below a folder that others may change is not taken", arguments: [0o775, 0o757] as [UInt32])
  func placesThatOthersMayChangeAreNotTaken(mode: UInt32) throws {
    let shared = place("shared"), base = place("shared/mine")
    for folder in [shared, base] { try Files.makeFolder(RawString(folder)) }
    let list = EnvironmentList([RawString("XDG_CACHE_HOME=" + base), RawString("HOME=" + place.path)])
    func chosen() throws -> String { try PrivateFolder(for: library).prepare(list, .lasting, isSecure: false) }
    #expect(try chosen().hasPrefix(base + "/signalbox/"))
    for folder in [shared, base] {
      chmod(folder, mode)
      #expect(try chosen().hasPrefix(place(".cache/signalbox/")), "\(folder)")
      let only = EnvironmentList([RawString("XDG_CACHE_HOME=" + base)])
      #expect(
        refusal { _ = try PrivateFolder(for: library).prepare(only, .lasting, isSecure: false) }.contains("(\(folder) may be"))
      chmod(folder, 0o755)
    }
    #expect(try chosen().hasPrefix(base + "/signalbox/"))
  }

  @Test("Without any place the folder is created again")
  func withoutAPlaceItIsNew() throws {
    for isSecure in [false, true] {
      let list = EnvironmentList(isSecure ? [RawString("HOME=" + place.path)] : [])
      let one = try PrivateFolder(for: library).prepare(list, .session, isSecure: isSecure)
      let other = try PrivateFolder(for: library).prepare(list, .session, isSecure: isSecure)
      #expect(one != other)
      for folder in [one, other] {
        let status = try FileStatus(of: RawString(folder), links: .notFollowed)
        #expect(status.kind == .folder && status.permissions == 0o700)
        try Files.removeFile(RawString(folder + "/libdispatch.so"))
        try Files.removeFolder(RawString(folder))
      }
    }
    #expect(
      refusal { _ = try PrivateFolder(for: library).prepare(EnvironmentList([]), .lasting, isSecure: false) }.contains("HOME"))
  }

  @Test("The places for the private folder are tried in order")
  func places() {
    let list = EnvironmentList(["XDG_RUNTIME_DIR=/run/user/7", "XDG_CACHE_HOME=/cache", "HOME=/home/me"])
    let cache = [PrivateFolder.Place(base: "/cache"), .init(base: "/home/me", inner: "/.cache")]
    #expect(PrivateFolder.places(list, .session) == [.init(base: "/run/user/7")] + cache)
    #expect(PrivateFolder.places(list, .lasting) == cache)
    #expect(PrivateFolder.places(EnvironmentList(["HOME="]), .session).isEmpty)
  }

  @Test("A path that the loader would misread is not used", arguments: ["", "relative", "/a:b", "/a;b", "/$ORIGIN", "/a\nb"])
  func pathsThatTheLoaderMisreads(path: String) {
    #expect(!PrivateFolder.isFit(path))
  }
}

extension Library {
  /// What `at` would make of a shared library in that file.
  fileprivate static func like(_ library: Library, at path: RawString) throws -> Library {
    Library(path: try Files.realPath(path), identity: try FileStatus(of: path).identity, machine: library.machine)
  }
}
