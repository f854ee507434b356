// ProgramSearchTests.swift: which file a name means, over a file system that is a dictionary, and over the real one.
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

@Suite("Which file a program name means") struct ProgramSearchTests {
  private let files: [RawString: ProgramSearch.Candidate] = [
    "/bin/tool": .executable, "/usr/bin/tool": .executable, "/first/tool": .notExecutable, "/first/text": .notExecutable,
    "/first/folder": .folder, "/bin/folder": .executable, "/first/only": .folder, "./here": .executable, "/dir": .folder,
    "/far/tool": .unreachable("Permission denied"), "sub/tool": .executable, "/usr/local/bin/local": .executable,
  ]

  private func find(_ name: RawString, path: RawString?) throws -> RawString {
    try ProgramSearch(path: path) { files[$0] ?? .absent }.find(name)
  }

  @Test(
    "A program is found along PATH as a shell finds it",
    arguments: [
      ("tool", "/bin:/usr/bin", "/bin/tool"), ("tool", "/usr/bin:/bin", "/usr/bin/tool"), ("tool", "/first:/bin", "/bin/tool"),
      ("folder", "/first:/bin", "/bin/folder"), ("here", "/bin:", "./here"), ("here", "", "./here"),
      ("here", ":/bin", "./here"),
      ("tool", "/far:/bin", "/bin/tool"), ("sub/tool", "/bin", "sub/tool"), ("./here", "/bin", "./here"),
      ("/usr/bin/tool", nil, "/usr/bin/tool"), ("local", nil, "/usr/local/bin/local"),
    ] as [(String, String?, String)])
  func found(name: String, path: String?, file: String) throws {
    #expect(try find(RawString(name), path: path.map { RawString($0) }) == RawString(file))
  }

  @Test(
    "A program that does not exist or may not run is refused with the reason",
    arguments: [
      ("nothing", "/bin", .programNotFound, "nothing"), ("/nothing", "/bin", .programNotFound, "/nothing"),
      ("", "/bin", .programNotFound, "empty"), ("only", "/first:/bin", .programNotFound, "only"),
      ("text", "/first:/bin", .programNotRunnable, "/first/text"), ("/first/text", nil, .programNotRunnable, "/first/text"),
      ("/dir", nil, .programNotRunnable, "folder"), ("/far/tool", nil, .programNotRunnable, "Permission denied"),
      ("here", "/bin", .programNotFound, "PATH"),
    ] as [(String, String?, Refusal.Kind, String)])
  func refused(name: String, path: String?, kind: Refusal.Kind, word: String) {
    do {
      let found = try find(RawString(name), path: path.map { RawString($0) })
      Issue.record("found \(found)")
    } catch {
      let refusal = error as? Refusal
      #expect(refusal?.kind == kind)
      #expect(refusal?.message.contains(word) == true)
      #expect(refusal?.message.contains("\n") == false)
    }
  }

  @Test("The search works on the real file system")
  func theRealFiles() throws {
    let folder = try TemporaryFolder()
    try folder.file("program", "#!/bin/sh\n", mode: 0o755)
    try folder.file("text", "words")
    #expect(ProgramSearch.ask(RawString(folder("program"))) == .executable)
    #expect(ProgramSearch.ask(RawString(folder("text"))) == .notExecutable)
    #expect(ProgramSearch.ask(RawString(folder.path)) == .folder)
    #expect(ProgramSearch.ask(RawString(folder("absent"))) == .absent)
    #expect(ProgramSearch.ask(RawString(folder("text/below"))) == .absent)
    #expect(ProgramSearch.ask("/dev/null") == .notExecutable)
  }
}
