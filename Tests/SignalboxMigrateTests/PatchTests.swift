// PatchTests.swift: changes as lines, the patch there and back, and writing that is done whole or not at all.
import SignalboxCommandLine
import SignalboxSystem
import Testing

@testable import SignalboxMigrate

@Suite("Migrate: writing") struct PatchTests {
  private func edits(_ text: String, _ changes: [(String, String)], path: String = "a.swift") -> FileEdits {
    var edits: [Edit] = []
    for (old, new) in changes {
      let range = text.ranges(of: old)[0]
      let lower = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
      edits.append(Edit(range: lower..<lower + old.utf8.count, new: new))
    }
    return FileEdits(source: Source(path: path, bytes: Array(text.utf8), facts: SourceFacts(), barrier: nil), edits: edits)
  }

  /// Texts, and what is to become of parts of them.
  private static let texts: [(String, [(String, String)])] = [
    ("one\ntwo\nthree\n", [("two", "2")]), ("one\ntwo\nthree\n", [("one\n", ""), ("three", "3\n4")]),
    ("one\ntwo", [("two", "2")]), ("one\ntwo", [("two", "2\n")]), ("one", [("one", "")]), ("one\r\ntwo\r\n", [("one", "1")]),
    ("one\ntwo\nthree\nfour\n", [("o", "0"), ("ne", "N"), ("our", "OUR")]), ("a\nb\nc\n", [("b\nc", "B\nC")]),
  ]

  @Test("A patch is read as it was written, and takes its changes back", arguments: texts.indices)
  func patches(index: Int) throws {
    let (text, changes) = Self.texts[index]
    let file = edits(text, changes)
    var plan = Plan()
    plan.files = [file]
    plan.new = [NewFile(path: "b c.swift", text: "x\ny\n")]
    let patch = Patch(plan)
    let read = try #require(Patch(patch.bytes))
    #expect(read == patch)
    #expect(read.files[0].undone(file.result) == file.source.bytes)
    #expect(read.files[0].undone(file.result + [10]) == nil)
    #expect(Patch(Array(patch.bytes.dropFirst())) == nil)
  }

  @Test("The patch is one that `patch -R` understands")
  func otherTools() throws {
    guard (try? FileStatus(of: "/usr/bin/patch")) != nil else { return }
    for (index, (text, changes)) in Self.texts.enumerated() {
      let folder = try TestFolder()
      let file = edits(text, changes), spaced = edits(text, changes, path: "b c/d e.swift")
      var plan = Plan()
      plan.files = [file, spaced]
      plan.new = [NewFile(path: "b c/new one.swift", text: "x\n")]
      try folder.write("b c/d e.swift", String(decoding: spaced.result, as: UTF8.self))
      try folder.write("b c/new one.swift", "x\n")
      try folder.write("a.swift", String(decoding: file.result, as: UTF8.self))
      try folder.write("p", String(decoding: Patch(plan).bytes, as: UTF8.self))
      let printed = try Programs.output(
        of: "/usr/bin/patch",
        arguments: ["patch", "-R", "-p1", "-d", RawString(folder.path), "-i", RawString(folder.path + "/p")],
        environment: [])
      #expect(
        printed.status == 0 && folder.read("a.swift") == text && folder.read("b c/d e.swift") == text
          && folder.read("b c/new one.swift") == nil, "\(index): \(String(decoding: printed.bytes, as: UTF8.self))")
    }
  }

  private func folderAndPlan() throws -> (TestFolder, Plan) {
    let folder = try TestFolder()
    try folder.write("a.swift", "one\ntwo\n")
    try folder.write("b.swift", "three\n")
    var plan = Plan()
    plan.files = [edits("one\ntwo\n", [("one", "1")]), edits("three\n", [("three", "3")], path: "b.swift")]
    plan.new = [NewFile(path: "c.swift", text: "new\n")]
    return (folder, plan)
  }

  @Test("What is written is taken back")
  func there() throws {
    let (folder, plan) = try folderAndPlan()
    let writer = Writer(root: folder.path)
    try writer.write(plan) {}
    #expect(folder.read("a.swift") == "1\ntwo\n" && folder.read("c.swift") == "new\n" && folder.read(Patch.name) != nil)
    #expect(try writer.undo().count == 3)
    #expect(folder.read("a.swift") == "one\ntwo\n" && folder.read("b.swift") == "three\n")
    #expect(folder.read("c.swift") == nil && folder.read(Patch.name) == nil)
  }

  private func status(_ body: () throws(MigrateRefusal) -> Void) -> SignalboxCommandLine.ExitStatus? {
    do { try body() } catch { return error.status }
    return nil
  }

  @Test("Nothing is taken back once a file was changed")
  func changedSince() throws {
    for name in ["a.swift", "b.swift", "c.swift"] {
      let (folder, plan) = try folderAndPlan()
      let writer = Writer(root: folder.path)
      try writer.write(plan) {}
      let before = ["a.swift", "b.swift", "c.swift"].map { $0 == name ? "other\n" : folder.read($0) }
      try folder.write(name, "other\n")
      #expect(status { () throws(MigrateRefusal) in _ = try writer.undo() } == .noPermission)
      #expect(["a.swift", "b.swift", "c.swift"].map { folder.read($0) } == before && folder.read(Patch.name) != nil)
    }
  }

  /// A move of three files that was cut off leaves the patch, and some of the files as they were.
  @Test("A move that was cut off is taken back, and so is the taking back", arguments: 0..<8)
  func cutOff(whichWereWritten: Int) throws {
    let (folder, plan) = try folderAndPlan()
    let writer = Writer(root: folder.path)
    try writer.write(plan) {}
    if whichWereWritten & 1 == 0 { try folder.write("a.swift", "one\ntwo\n") }
    if whichWereWritten & 2 == 0 { try folder.write("b.swift", "three\n") }
    if whichWereWritten & 4 == 0 { try Files.removeFile(RawString(folder.path + "/c.swift")) }
    #expect(status { () throws(MigrateRefusal) in try writer.write(plan) {} } == .noPermission)
    #expect(try writer.undo().count == 3)
    #expect(folder.read("a.swift") == "one\ntwo\n" && folder.read("b.swift") == "three\n")
    #expect(folder.read("c.swift") == nil && folder.read(Patch.name) == nil)
  }

  @Test("Files that cannot be set back are named, and the patch stays")
  func leftBehind() throws {
    let (folder, plan) = try folderAndPlan()
    // While the move is checked, a folder takes the place of one of its files: neither a file nor a link can replace it.
    let b = RawString(folder.path + "/b.swift")
    do throws(MigrateRefusal) {
      try Writer(root: folder.path).write(plan) { () throws(MigrateRefusal) in
        try? Files.removeFile(b)
        try? Files.makeFolder(b)
        throw MigrateRefusal(.dataError, "no")
      }
      Issue.record("the check's refusal is lost")
    } catch {
      #expect(error.status == .dataError && error.message.contains("could not be set back: b.swift"), "\(error.message)")
    }
    #expect(folder.read("a.swift") == "one\ntwo\n" && folder.read("c.swift") == nil && folder.read(Patch.name) != nil)
    try Files.removeFolder(b)
    try folder.write("b.swift", "3\n")
    #expect(try Writer(root: folder.path).undo().count == 3)
    #expect(folder.read("b.swift") == "three\n" && folder.read(Patch.name) == nil)
  }

  @Test("A patch's files behind a symbolic link are not taken back")
  func behindLink() throws {
    let (folder, _) = try folderAndPlan()
    try folder.write("inner/a.swift", "one\ntwo\n")
    var plan = Plan()
    plan.files = [edits("one\ntwo\n", [("one", "1")], path: "inner/a.swift")]
    let writer = Writer(root: folder.path)
    try writer.write(plan) {}
    try Files.rename(RawString(folder.path + "/inner"), to: RawString(folder.path + "/elsewhere"))
    try Files.makeLink(RawString(folder.path + "/inner"), to: "elsewhere")
    #expect(status { () throws(MigrateRefusal) in _ = try writer.undo() } == .noPermission)
    #expect(folder.read("elsewhere/a.swift") == "1\ntwo\n")
  }

  @Test("A file keeps its permissions")
  func permissions() throws {
    let (folder, plan) = try folderAndPlan()
    let a = RawString(folder.path + "/a.swift")
    _ = try Programs.output(of: "/bin/chmod", arguments: ["chmod", "0750", a], environment: [])
    let before = try FileStatus(of: a)
    try Writer(root: folder.path).write(plan) {}
    let after = try FileStatus(of: a)
    #expect(after.permissions == 0o750 && after.owner == before.owner && after.group == before.group)
  }

  @Test("Nothing is written over a file that was changed meanwhile, a new file's name or an older patch")
  func inTheWay() throws {
    for (name, text) in [("b.swift", "other\n"), ("c.swift", "other\n"), (Patch.name, "other\n")] {
      let (folder, plan) = try folderAndPlan()
      try folder.write(name, text)
      #expect(status { () throws(MigrateRefusal) in try Writer(root: folder.path).write(plan) {} } == .noPermission)
      #expect(folder.read("a.swift") == "one\ntwo\n" && folder.read(name) == text)
    }
  }

  @Test("A check that fails, and a folder that cannot be written to, leave all as it was")
  func allOrNone() throws {
    let (folder, plan) = try folderAndPlan()
    let failed = status { () throws(MigrateRefusal) in
      try Writer(root: folder.path).write(plan) { () throws(MigrateRefusal) in throw MigrateRefusal(.dataError, "no") }
    }
    #expect(failed == .dataError && folder.read("a.swift") == "one\ntwo\n" && folder.read("c.swift") == nil)
    #expect(folder.read(Patch.name) == nil)
    var missing = plan
    missing.new = [NewFile(path: "none/c.swift", text: "new\n")]
    #expect(status { () throws(MigrateRefusal) in try Writer(root: folder.path).write(missing) {} } == .cannotCreateFile)
    #expect(folder.read("a.swift") == "one\ntwo\n" && folder.read("b.swift") == "three\n" && folder.read(Patch.name) == nil)
  }

  @Test("A patch that names files elsewhere is refused", arguments: ["../a.swift", "/a.swift", "x/../../a.swift"])
  func elsewhere(path: String) throws {
    let folder = try TestFolder()
    var plan = Plan()
    plan.files = [edits("one\n", [("one", "1")], path: path)]
    try folder.write(Patch.name, String(decoding: Patch(plan).bytes, as: UTF8.self))
    #expect(status { () throws(MigrateRefusal) in _ = try Writer(root: folder.path).undo() } == .dataError)
  }

  @Test("The options are read")
  func options() throws {
    #expect(try MigrateOptions(["a"]).action == .plan)
    #expect(try MigrateOptions(["--write", "a", "--json", "--dependency", "b"]).dependency == "b")
    let address = try MigrateOptions(["a", "--dependency", "https://a.b/c", "--branch", "main"])
    #expect(address.dependency == "https://a.b/c" && address.requirement == .branch("main"))
    #expect(try MigrateOptions(["a", "--dependency", "https://a.b/c", "--from", "1.2.0"]).requirement == .from("1.2.0"))
    #expect(try MigrateOptions(["--undo", "a"]).action == .undo)
    #expect(try MigrateOptions(["--aliases"]).action == .aliases)
    #expect(try MigrateOptions(["--help", "x", "y"]).action == .help)
    for wrong in [
      [], ["a", "b"], ["--write", "--undo", "a"], ["--nothing", "a"], ["a", "--dependency"], ["--aliases", "a"],
      ["a", "--from", "1.0.0"], ["a", "--dependency", "../b", "--branch", "main"],
      ["a", "--dependency", "https://a.b/c", "--from"],
      ["a", "--dependency", "https://a.b/c", "--from", "1.0.0", "--branch", "main"],
    ] {
      #expect(status { () throws(MigrateRefusal) in _ = try MigrateOptions(wrong) } == .usage, "\(wrong)")
    }
  }

  @Test("JSON is read", arguments: ["{}", "[1,-2.5e3,\"a\\n\\u00e9\\ud83d\\ude00\",null,true,false,{\"x\":[{}]}]", " 3 "])
  func json(text: String) throws {
    let value = try #require(JSON(text))
    #expect(JSON(value.text)?.text == value.text)
    if text.first == "[" { #expect(value.values[2].string == "a\né😀" && value.values[6]["x"].values.count == 1) }
  }

  @Test(
    "What is no JSON is refused", arguments: ["", "{", "[1,]", "{\"a\"}", "nul", "1 2", "\"\\x\"", "\"\\ud800\"", "\"a", "[[["])
  func noJSON(text: String) { #expect(JSON(text) == nil) }
}
