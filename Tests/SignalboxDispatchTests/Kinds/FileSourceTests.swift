// FileSourceTests.swift: each event of a file, by descriptor; identity and not name. Folders are FolderSourceTests.swift.
import Glibc
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

extension Kinds {
  @Suite struct FileSourceTests {
    @Test("Every way to change a file delivers its events and no others", arguments: ["/tmp", "/dev/shm"])
    func changes(place: String) throws {
      let folder = TestFolder(place)
      let file = folder.file("a")
      defer { close(file) }
      let watched = ObservedFile(file)
      let deeds: [(String, ObservedFile.Event, () -> Void)] = [
        ("first bytes", [.write, .extend], { write(file, "hello", 5) }),
        ("the same again", .write, { pwrite(file, "HELLO", 5, 0) }),
        ("shorter", .write, { ftruncate(file, 2) }),
        ("longer", [.write, .extend], { ftruncate(file, 2_000) }),
        ("reserved", [.write, .extend], { posix_fallocate(file, 0, 9_000) }),
        ("permissions", .attrib, { fchmod(file, 0o600) }),
        ("times", .attrib, { futimens(file, nil) }),
        ("a second name", .link, { link(folder.of("a"), folder.of("b")) }),
        ("renamed", .rename, { rename(folder.of("a"), folder.of("c")) }),
        ("the second name gone", .link, { unlink(folder.of("b")) }),
        ("read", [], { pread(file, UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1), 1, 0) }),
        ("the last name gone", [.delete, .link], { unlink(folder.of("c")) }),
        ("written without a name", [.write, .extend], { pwrite(file, "x", 1, 10_000) }),
      ]
      for (name, expected, deed) in deeds {
        deed()
        #expect(try watched.events() == expected, "\(name)")
      }
    }

    @Test("A file whose name was taken by another is followed, the other is not")
    func replaced() throws {
      let folder = TestFolder()
      let file = folder.file("a")
      defer { close(file) }
      let watched = ObservedFile(file)
      close(folder.file("new"))
      rename(folder.of("new"), folder.of("a"))
      #expect(try watched.events() == [.delete, .link])
      let stranger = folder.file("a")
      write(stranger, "x", 1)
      close(stranger)
      #expect(try watched.events() == [])
      write(file, "x", 1)
      #expect(try watched.events() == [.write, .extend])
    }

    @Test("Of a file with two names, the loss of the one it was opened by is a deletion, the loss of the other is not")
    func hardLinks() throws {
      let folder = TestFolder()
      let first = folder.file("a")
      link(folder.of("a"), folder.of("b"))
      let second = folder.file("b")
      defer { for file in [first, second] { close(file) } }
      let (one, two) = (ObservedFile(first), ObservedFile(second))
      unlink(folder.of("a"))
      #expect(try one.events() == [.delete, .link])
      #expect(try two.events() == .link)
      chmod(folder.of("b"), 0o600)
      #expect(try one.events() == .attrib, "still the same file")
    }

    @Test(
      "A source gets only the events that it was made for",
      arguments: [
        ObservedFile.Event.write, .extend, .attrib, .link, .rename, .delete, [.attrib, .rename], [],
      ])
    func masks(_ mask: ObservedFile.Event) throws {
      let folder = TestFolder()
      let file = folder.file("a")
      defer { close(file) }
      let watched = ObservedFile(file, mask)
      #expect(watched.source.mask == mask)
      #expect(watched.source.handle == file)
      write(file, "x", 1)
      fchmod(file, 0o600)
      link(folder.of("a"), folder.of("b"))
      rename(folder.of("a"), folder.of("c"))
      var expected: ObservedFile.Event = [.write, .extend, .attrib, .rename, .link]
      #expect(try watched.events().subtracting(.attrib) == expected.intersection(mask).subtracting(.attrib))
      for name in ["b", "c"] { unlink(folder.of(name)) }
      expected = [.delete, .link]
      #expect(try watched.events() == expected.intersection(mask))
    }

    @Test("Funlock is accepted and never reported")
    func locks() throws {
      let folder = TestFolder()
      let (file, other) = (folder.file("a"), folder.file("a"))
      defer { for file in [file, other] { close(file) } }
      let watched = ObservedFile(file)
      flock(other, LOCK_EX)
      flock(other, LOCK_UN)
      #expect(try watched.events() == [])
    }

    @Test("A source gets no event from before its beginning, although others wait for it")
    func before() throws {
      let folder = TestFolder()
      let file = folder.file("a")
      defer { close(file) }
      let early = ObservedFile(file)
      write(file, "x", 1)
      let late = ObservedFile(file)
      #expect(try late.events() == [])
      #expect(try early.events() == [.write, .extend])
    }

    @Test("Many sources on one file share one inotify watch; those that go leave the others")
    func shared() throws {
      let folder = TestFolder()
      let file = folder.file("a")
      defer { close(file) }
      var watchers = (0..<50).map { _ in ObservedFile(file) }
      #expect(FileTable.shared.testsOnly_watchCount == 1)
      let attributes = ObservedFile(file, .attrib)
      for count in [50, 25, 1] {
        watchers.removeLast(watchers.count - count)
        write(file, "x", 1)
        for watched in watchers { #expect(try watched.events() == [.write, .extend]) }
        #expect(try attributes.events() == [])
      }
      watchers = []
      fchmod(file, 0o600)
      #expect(try attributes.events() == .attrib)
    }

    @Test("An inotify watch that was narrowed for one source stays as it was for a folder's sources, and is widened again")
    func narrowed() throws {
      let around = TestFolder()
      let (outer, inner) = (open(around.path, O_RDONLY | O_CLOEXEC), around.folder("f"))
      defer { for folder in [outer, inner] { close(folder) } }
      let removal = ObservedFile(inner, .delete)
      let (attributes, entries) = (ObservedFile(outer, .attrib), ObservedFile(outer, .write))
      entries.source.cancelAndWait()
      close(around.file("a"))
      fchmod(outer, 0o755)
      #expect(try attributes.events() == .attrib)
      let again = ObservedFile(outer, .write)
      close(around.file("b"))
      #expect(try again.events() == .write)
      rmdir(around.of("f"))
      #expect(try removal.events() == .delete)
    }

    @Test("Lost notices are made up for by checking every file")
    func overflow() throws {
      let folder = TestFolder()
      let files = ["a", "b", "c", "d"].map { folder.file($0) }
      defer { for file in files { close(file) } }
      let watched = files.map { ObservedFile($0, [.write, .extend, .rename, .delete]) }
      // As when the notices are lost: no code is asked to check before everything has happened.
      write(files[0], "x", 1)
      rename(folder.of("b"), folder.of("e"))
      unlink(folder.of("c"))
      FileTable.shared.testsOnly_collect(isOverflowing: true)
      #expect(try watched.map { try $0.events() } == [[.write, .extend], .rename, .delete, []])
    }

    @Test("A flood of notices is survived, and what happened is delivered at the end")
    func flood() throws {
      let folder = TestFolder()
      let (one, two) = (folder.file("a"), folder.file("b"))
      defer { for file in [one, two] { close(file) } }
      let watched = (ObservedFile(one, .write), ObservedFile(two, .write))
      // Notices of two files in turn do not coalesce; the kernel keeps 16,384 at most.
      for _ in 0..<20_000 {
        pwrite(one, "x", 1, 0)
        pwrite(two, "x", 1, 0)
      }
      #expect(try watched.0.events() == .write)
      #expect(try watched.1.events() == .write)
      pwrite(one, "y", 1, 0)
      #expect(try watched.0.events() == .write)
      #expect(try watched.1.events() == [])
    }

    @Test("A descriptor that only names a file is enough")
    func pathOnly() throws {
      let folder = TestFolder()
      let file = folder.file("a")
      let name = open(folder.of("a"), Int32(0o10000000) | O_CLOEXEC)  // O_PATH
      defer { for file in [file, name] { close(file) } }
      let watched = ObservedFile(name)
      write(file, "x", 1)
      #expect(try watched.events() == [.write, .extend])
    }

    @Test("A named pipe can have a file source as well")
    func pipes() throws {
      let folder = TestFolder()
      mkfifo(folder.of("p"), 0o600)
      let pipe = open(folder.of("p"), O_RDWR | O_CLOEXEC)
      defer { close(pipe) }
      let watched = ObservedFile(pipe, [.write, .delete])
      write(pipe, "x", 1)
      #expect(try watched.events() == .write)
      unlink(folder.of("p"))
      #expect(try watched.events() == .delete)
    }

    @Test("No event comes after the cancel handler, and the descriptor is the program's again")
    func ended() throws {
      let folder = TestFolder()
      let file = folder.file("a")
      let watched = ObservedFile(file)
      watched.source.cancelAndWait()
      write(file, "x", 1)
      #expect(try watched.events() == [])
      close(file)
    }
  }
}
