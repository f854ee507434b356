// SolePlaceTests.swift: places that nobody but their user and root can change, and files that are written for nobody else.
import Glibc
import Testing

@testable import SignalboxSystem

/// A folder that goes with its owner.
private final class Folder {
  let path: String
  init() throws {
    path = try Files.realPath(try Files.makeFreshFolder("/tmp/signalbox-tests-")).description
    chmod(path, 0o755)
  }
  deinit { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(path)], environment: []) }

  func folder(_ name: String, _ mode: mode_t = 0o755) throws -> String {
    try Files.makeFolder(RawString(path + "/" + name))
    chmod(path + "/" + name, mode)
    return path + "/" + name
  }
  func file(_ name: String, _ mode: mode_t = 0o644) -> String {
    let descriptor = open(path + "/" + name, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    fchmod(descriptor, mode)
    close(descriptor)
    return path + "/" + name
  }
  func link(_ name: String, to target: String) throws -> String {
    try Files.makeLink(RawString(path + "/" + name), to: RawString(target))
    return path + "/" + name
  }
}

@Suite("Folders that nobody else can change") struct SolePlaceTests {
  private let folder: Folder
  init() throws { folder = try Folder() }

  private func fault(file path: String, user: UInt32 = geteuid()) -> String? {
    do throws(SolePlace.Fault) { _ = try SolePlace(user: user).file(RawString(path)) } catch { return error.description }
    return nil
  }
  private func fault(folder path: String) -> String? {
    do throws(SolePlace.Fault) { _ = try SolePlace().folder(RawString(path)) } catch { return error.description }
    return nil
  }

  @Test("A place is sole when only its owner may write to it, below a folder open to all with the sticky bit")
  func good() throws {
    let file = folder.file("program", 0o755)
    #expect(fault(file: file) == nil && fault(folder: folder.path) == nil && fault(folder: "/") == nil)
    #expect(try SolePlace().file(RawString(file)).description == file)
    #expect(fault(file: "/bin/sh") == nil)
  }

  @Test(
    "A place is not sole when others may write to the file, its folder, or one above",
    arguments: [0o775, 0o757, 0o777] as [UInt32])
  func writable(mode: UInt32) throws {
    let who = mode & 0o002 != 0 ? "every user" : "its group"
    let open = folder.file("open", mode)
    #expect(fault(file: open)?.hasPrefix("\(open) may be written to by \(who)") == true)
    let outer = try folder.folder("outer"), inner = try folder.folder("outer/inner"), file = folder.file("outer/inner/file")
    #expect(fault(file: file) == nil)
    for (path, other) in [(inner, outer), (outer, inner)] {
      chmod(other, 0o755)
      chmod(path, mode)
      #expect(fault(file: file)?.hasPrefix("\(path) may be written to by \(who)") == true)
    }
    chmod(outer, 0o1777)
    #expect(fault(file: file) == nil, "what lies in a sticky folder is its owner's")
    let beside = folder.file("outer/beside")
    #expect(fault(file: beside) != nil, "but a file by that name might have been anybody's")
  }

  @Test("Both the place and the target of a link are checked")
  func links() throws {
    let file = folder.file("file"), open = try folder.folder("open", 0o777), bad = folder.file("open/bad")
    #expect(fault(file: try folder.link("good", to: file)) == nil)
    #expect(fault(file: try folder.link("relative", to: "file")) == nil)
    #expect(fault(file: try folder.link("leads-astray", to: bad))?.hasPrefix("\(open) may be") == true)
    #expect(fault(file: try folder.link("open/lies-astray", to: file))?.hasPrefix("\(open) may be") == true)
    #expect(fault(folder: try folder.link("folder", to: open))?.hasPrefix("\(open) may be") == true)
    #expect(fault(file: try folder.link("round", to: "round"))?.contains("leads through more than 16 links") == true)
  }

  @Test("A place that does not exist, or is not a file, is not sole")
  func absent() throws {
    #expect(fault(file: folder.path + "/absent")?.contains("cannot be found") == true)
    #expect(fault(file: folder.path + "/absent/file")?.contains("cannot be found") == true)
    #expect(fault(file: try folder.folder("folder"))?.contains("is no regular file") == true)
  }

  @Test(
    "Another user's file is not sole, even with the rights of root",
    .enabled(if: geteuid() == 0, "only root can give files away"))
  func anothers() throws {
    let file = folder.file("theirs")
    chown(file, 65_534, 65_534)
    #expect(fault(file: file) == "\(file) belongs to user 65534, not to you (0) or root")
    #expect(fault(file: file, user: 65_534) == nil)
    let place = try folder.folder("place"), mine = folder.file("place/mine")
    chown(place, 65_534, 65_534)
    #expect(fault(file: mine)?.hasPrefix("\(place) belongs to user 65534") == true)
  }
}

@Suite("Files that nobody else can read") struct PrivateFileTests {
  private let folder: Folder
  init() throws { folder = try Folder() }

  private func refusal(_ path: String) -> String? {
    do { try PrivateFile.append("evidence", to: path) } catch { return "\(error)" }
    return nil
  }
  private func mode(_ path: String) throws -> UInt32 { try FileStatus(of: RawString(path)).permissions }

  @Test(
    "A new file is the user's alone; one that was open to others is closed to them",
    arguments: [0, 0o666, 0o640, 0o4755] as [UInt32])
  func modes(before mode: UInt32) throws {
    let path = mode == 0 ? folder.path + "/file" : folder.file("file", mode)
    #expect(refusal(path) == nil && refusal(path) == nil)
    #expect(try self.mode(path) == 0o600)
    #expect(Files.text(RawString(path)) == "evidenceevidence")
  }

  @Test("A pipe without a reader, and one with a reader, are refused at once; so are devices")
  func noFiles() async throws {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let folder = try Folder(), path = folder.path + "/pipe"
      #expect(mkfifo(path, 0o600) == 0)
      func refusal() -> String {
        do { try PrivateFile.append("evidence", to: path) } catch { return "\(error)" }
        return "written"
      }
      #expect(refusal() == "it is no regular file")
      let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      #expect(reader >= 0 && refusal() == "it is no regular file")
      #expect(throws: (any Error).self) { try PrivateFile.append("evidence", to: "/dev/null") }
    }
  }

  @Test("A link, and a file with a second name, are refused")
  func otherNames() throws {
    let file = folder.file("file", 0o666), hard = folder.path + "/hard"
    #expect(refusal(try folder.link("link", to: file)) != nil)
    #expect(Glibc.link(file, hard) == 0)
    #expect(refusal(hard) == "it has more than one name (hard links)")
    #expect(try mode(file) == 0o666 && Files.text(RawString(file)) == "")
  }

  @Test("Another user's file is refused", .enabled(if: geteuid() == 0, "only root can give files away"))
  func anothers() {
    let file = folder.file("file", 0o666)
    chown(file, 65_534, 65_534)
    #expect(refusal(file) == "it belongs to user 65534")
  }
}
