// FolderSourceTests.swift: each event of a folder; file systems that go; descriptors that are closed too early.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Kinds {
  @Suite struct FolderSourceTests {
    @Test("Every way to change a folder delivers its events and no others")
    func changes() throws {
      let around = TestFolder()
      let folder = around.folder("f")
      defer { close(folder) }
      let watched = ObservedFile(folder, [.write, .link, .attrib, .rename, .delete])
      let inside = around.of("f")
      let deeds: [(String, ObservedFile.Event, () -> Void)] = [
        ("new file", .write, { close(around.file("f/a")) }),
        ("file written", [], { close(around.file("f/a", O_RDWR | O_TRUNC)) }),
        ("file's permissions", [], { chmod("\(inside)/a", 0o600) }),
        ("file renamed", .write, { rename("\(inside)/a", "\(inside)/b") }),
        ("file moved out", .write, { rename("\(inside)/b", around.of("b")) }),
        ("file moved in", .write, { rename(around.of("b"), "\(inside)/b") }),
        ("file gone", .write, { unlink("\(inside)/b") }),
        ("new folder", [.write, .link], { mkdir("\(inside)/s", 0o755) }),
        ("folder renamed", .write, { rename("\(inside)/s", "\(inside)/t") }),
        ("folder's entry", [], { close(around.file("f/t/x")) }),
        ("folder's entry gone", [], { unlink("\(inside)/t/x") }),
        ("folder gone", [.write, .link], { rmdir("\(inside)/t") }),
        ("permissions", .attrib, { fchmod(folder, 0o700) }),
        ("renamed", .rename, { rename(inside, around.of("g")) }),
        (
          "a neighbour gone", [],
          {
            mkdir(around.of("n"), 0o755); rmdir(around.of("n"))
          }
        ),
        ("removed", .delete, { rmdir(around.of("g")) }),
      ]
      for (name, expected, deed) in deeds {
        deed()
        #expect(try watched.events() == expected, "\(name)")
      }
    }

    @Test("A removal is delivered after a move to another parent, too")
    func movedAndRemoved() throws {
      let around = TestFolder()
      let folder = around.folder("f")
      close(around.folder("other"))
      defer { close(folder) }
      let watched = ObservedFile(folder, .delete)
      rename(around.of("f"), around.of("other/f"))
      #expect(try watched.events() == [])
      rmdir(around.of("other/f"))
      #expect(try watched.events() == .delete)
    }

    @Test("A folder and the folder it is in can have sources at once")
    func nested() throws {
      let around = TestFolder()
      let (outer, inner) = (open(around.path, O_RDONLY | O_CLOEXEC), around.folder("f"))
      defer { for folder in [outer, inner] { close(folder) } }
      do {
        let watched = (ObservedFile(outer, [.write, .link]), ObservedFile(inner, [.delete, .write]))
        #expect(FileTable.shared.testsOnly_watchCount == 2, "the parent is monitored once")
        rmdir(around.of("f"))
        #expect(try watched.0.events() == [.write, .link])
        #expect(try watched.1.events() == .delete)
      }
      #expect(eventually { FileTable.shared.testsOnly_watchCount == 0 })
    }

    @Test("An inner folder's source survives the end of its parent's, and the other way round")
    func nestedEnds() throws {
      let around = TestFolder()
      let (outer, inner) = (open(around.path, O_RDONLY | O_CLOEXEC), around.folder("f"))
      defer { for folder in [outer, inner] { close(folder) } }
      var first: ObservedFile? = ObservedFile(outer, .write)
      let second = ObservedFile(inner, .delete)
      first?.source.cancelAndWait()
      first = ObservedFile(outer, .attrib)
      rmdir(around.of("f"))
      #expect(try second.events() == .delete)
      second.source.cancelAndWait()
      fchmod(outer, 0o755)
      #expect(try first?.events() == .attrib)
    }

    @Test("A file system that is unmounted while a file on it is open revokes the file", .enabled(if: getuid() == 0))
    func unmounted() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let folder = TestFolder()
        guard mount("none", folder.path, "tmpfs", 0, nil) == 0 else { return }  // not permitted here: nothing to be seen
        let file = folder.file("a")
        let watched = ObservedFile(file, .revoke)
        let other = ObservedFile(file, [.write, .extend])
        close(folder.file("b"))
        #expect(umount2(folder.path, Int32(MNT_DETACH)) == 0)
        #expect(eventually { watched.log.all == [.revoke] })
        #expect(write(file, "x", 1) == 1)
        #expect(try! other.events() == [.write, .extend], "it can still be used")
        #expect(try! watched.events() == .revoke, "told once")
      }
    }

    @Test("A descriptor that is closed before the source is cancelled is reported, and another file's events are not delivered")
    func closedEarly() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        let folder = TestFolder()
        let file = folder.file("a")
        let watched = ObservedFile(file)
        close(file)
        let stranger = folder.file("b")
        #expect(stranger == file, "the number is used again")
        write(stranger, "x", 1)
        chmod(folder.of("a"), 0o600)
        #expect(try! watched.events() == [])
        chmod(folder.of("a"), 0o644)
        #expect(try! watched.events() == [])
        watched.source.cancelAndWait()
      }
      let text = errorText(result)
      let message = "of a file system object source (a file system object source on queue \"files\") was closed before"
      #expect(text.components(message) == 1, "said once: \(text)")
    }

    @Test("The limits of inotify are a typed refusal, and the source is cancelled")
    func limits() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        let folder = TestFolder()
        let file = folder.file("a")
        DispatchQueue.global().sync {}
        try! passEventThread()  // its descriptors are open
        var used: [Int32] = []
        while case let descriptor = dup(0), descriptor >= 0 { used.append(descriptor) }
        let source = DispatchSource.makeFileSystemObjectSource(fileDescriptor: file, eventMask: .write)
        let cancelled = Count()
        source.setCancelHandler { cancelled.add() }
        #expect(source.refusal == nil)
        source.activate()
        #expect(eventually { cancelled.value == 1 })
        #expect(source.isCancelled)
        #expect(source.refusal?.reason == .failed(SystemError(call: "inotify_init1", code: EMFILE)))
        for descriptor in used { close(descriptor) }
        let watched = ObservedFile(file, .write)
        write(file, "x", 1)
        #expect(try! watched.events() == .write)
        #expect(throws: Never.self) { try DispatchSource.checkFileSystemObjectSource(fileDescriptor: file, eventMask: .all) }
      }
      expectReport(result, saying: "raise the limit of open files, or fs.inotify.max_user_instances. The source is cancelled")
    }
  }
}

extension String {
  /// How often it contains a text.
  func components(_ text: String) -> Int {
    var (count, rest) = (0, self[...])
    while let range = rest.firstRange(of: text) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
