// FileNoticesTests.swift: notices of files taken apart, files monitored by descriptor, facts that follow the file.
import Glibc
import Testing

@testable import SignalboxSystem

/// A folder that goes with everything in it.
final class TestFolder {
  let path: String
  init() {
    var template = Array("/tmp/signalbox-test-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  deinit { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(path)], environment: []) }
  func file(_ name: String) -> Int32 { open("\(path)/\(name)", O_RDWR | O_CREAT | O_CLOEXEC, 0o644) }
}

@Suite("inotify notices") struct FileNoticesTests {
  static func bytes(_ watch: Int32, _ bits: FileNotices.Bits, name: String = "") -> [UInt8] {
    let padded = name.isEmpty ? [] : Array(name.utf8) + [UInt8](repeating: 0, count: 16 - name.utf8.count % 16)
    let words = [UInt32(bitPattern: watch), bits.rawValue, 0, UInt32(padded.count)]
    return words.flatMap { withUnsafeBytes(of: $0) { Array($0) } } + padded
  }

  static func parse(_ bytes: [UInt8]) -> [FileNotices.Notice] {
    var notices: [FileNotices.Notice] = []
    bytes.withUnsafeBytes { FileNotices.parse($0) { notices.append($0) } }
    return notices
  }

  @Test("Notices with and without names follow one another; one that is cut short is left out")
  func parsing() {
    let all = Self.bytes(1, .modified) + Self.bytes(2, [.created, .isFolder], name: "sub") + Self.bytes(-1, .overflow)
    let expected = [
      FileNotices.Notice(watch: 1, bits: .modified, isOfEntry: false),
      FileNotices.Notice(watch: 2, bits: [.created, .isFolder], isOfEntry: true),
      FileNotices.Notice(watch: -1, bits: .overflow, isOfEntry: false),
    ]
    #expect(Self.parse(all) == expected)
    for count in 0..<16 { #expect(Self.parse(Array(all.dropLast(1 + count))) == Array(expected.dropLast())) }
    #expect(Self.parse([]) == [])
  }

  @Test("A file's notices arrive whatever its name and whichever of its descriptors is monitored")
  func monitoring() throws {
    let folder = TestFolder()
    let (file, notices) = (folder.file("a"), try FileNotices())
    let other = open("\(folder.path)/a", O_RDONLY | O_CLOEXEC)
    defer { for descriptor in [file, other] { close(descriptor) } }
    let watch = try notices.add(file, [.modified, .selfMoved], others: .kept)
    #expect(try notices.add(other, .attributes, others: .kept) == watch)
    write(file, "x", 1)
    rename("\(folder.path)/a", "\(folder.path)/b")
    chmod("\(folder.path)/b", 0o600)
    var seen: [FileNotices.Bits] = []
    notices.read { if $0.watch == watch { seen.append($0.bits) } }
    #expect(seen == [.modified, .selfMoved, .attributes])
  }

  @Test("A closed descriptor and one without a file are refused")
  func refused() throws {
    let notices = try FileNotices()
    #expect(throws: SystemError(call: "inotify_add_watch", code: ENOENT)) { try notices.add(987_654, .modified, others: .kept) }
  }

  @Test("The facts distinguish files, folders and what is not a file")
  func kinds() throws {
    let folder = TestFolder()
    let (file, directory) = (folder.file("a"), open(folder.path, O_RDONLY | O_CLOEXEC))
    let event = try EventDescriptor()
    defer { for descriptor in [file, directory] { close(descriptor) } }
    #expect(FileFacts(descriptor: file)?.kind == .file)
    #expect(FileFacts(descriptor: directory)?.kind == .folder)
    #expect(FileFacts(descriptor: event.descriptor)?.kind == FileFacts.Kind.none)
    #expect(FileFacts(descriptor: 987_654) == nil)
  }

  @Test("Links, sizes and the lost name are seen by descriptor")
  func facts() throws {
    let folder = TestFolder()
    let file = folder.file("a")
    defer { close(file) }
    #expect(FileFacts.name(of: file) == RawString("\(folder.path)/a"))
    link("\(folder.path)/a", "\(folder.path)/b")
    ftruncate(file, 10)
    #expect(FileFacts(descriptor: file).map { [$0.links, UInt64($0.size)] } == [2, 10])
    for name in ["a", "b"] { unlink("\(folder.path)/\(name)") }
    #expect(FileFacts(descriptor: file)?.links == 0)
    #expect(FileFacts.name(of: file) == RawString("\(folder.path)/a (deleted)"))
  }

  @Test("The mount of a descriptor is in the table of mounts")
  func mounts() throws {
    let root = open("/", O_RDONLY | O_CLOEXEC)
    defer { close(root) }
    let number = try #require(Mounts.number(of: root))
    #expect(Mounts.numbers()?.contains(number) == true)
    #expect(Mounts.numbers()?.contains(UInt64.max) == false)
  }
}
