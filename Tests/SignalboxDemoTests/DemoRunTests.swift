// DemoRunTests.swift: the built command plays its acts; and what it says where it cannot.
import Glibc
import SignalboxCommandLine
import SignalboxSystem
import SignalboxTestSupport
import Testing

@Suite("Demo: the command", .serialized) struct DemoRunTests {
  private let command: RawString

  init() throws {
    let own = try Files.realPath("/proc/self/exe").bytes
    command = RawString(own[...(own.lastIndex(of: UInt8(ascii: "/")) ?? 0)]) + "signalbox"
  }

  private func environment(_ changed: [String: String]) -> [RawString] {
    ProcessInput.environment.filter { entry in !changed.keys.contains { entry.description.hasPrefix($0 + "=") } }
      + changed.map { RawString("\($0)=\($1)") }
  }

  private func demo(_ arguments: String..., changing: [String: String] = [:]) throws -> (text: String, status: Int32?) {
    let printed = try Programs.output(
      of: command, arguments: ["signalbox", "demo"] + arguments.map { RawString($0) }, environment: environment(changing),
      seconds: 600)
    return (String(decoding: printed.bytes, as: UTF8.self), printed.status)
  }

  /// A folder for one test's temporary files.
  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = try Files.makeFreshFolder("/tmp/signalbox-demo-test-")
    defer { Files.removeTree(folder) }
    try body(folder.description)
  }

  @Test("All acts come out, and nothing is left of them", .timeLimit(.minutes(10)))
  func acts() throws {
    try inFolder { folder in
      let (text, status) = try demo("--quick", "--json", changing: ["TMPDIR": folder])
      let json = try #require(JSON(text), "\(text)")
      #expect(status == 0 && json["ok"].boolean == true, "\(text)")
      #expect(json["acts"].values.map { $0["act"].integer } == [1, 2, 3, 4])
      for act in json["acts"].values {
        for claim in act["claims"].values { #expect(claim["holds"].boolean == true, "\(claim.text)") }
        #expect(!act["claims"].values.isEmpty)
      }
      #expect(json["acts"].values.last?["rows"].values.count == 10)
      #expect(try Files.names(in: RawString(folder)).isEmpty)
    }
  }

  @Test(
    "Without a terminal acts are printed plainly, in 80 columns, with neither progress nor colours",
    .timeLimit(.minutes(10)), arguments: [[2], [1, 2, 3, 4]])
  func plainly(_ acts: [Int]) throws {
    let printed = try Programs.output(
      of: command,
      arguments: ["signalbox", "demo", "--quick"] + acts.flatMap { ["--act", RawString("\($0)")] as [RawString] },
      environment: ProcessInput.environment, seconds: 600)
    let text = String(decoding: printed.bytes, as: UTF8.self)
    #expect(printed.status == 0, "\(text)")
    #expect(!text.contains("\u{1B}") && !text.contains("\r"))
    #expect(text.contains("2  A hang that names itself") && text.contains("at hang.swift:"))
    #expect(text.contains("   2  signalbox run --watch -- PROGRAM"))
    let wide = text.split(separator: "\n").filter { $0.count > 80 }
    #expect(wide.isEmpty, "\(wide.joined(separator: "\n"))")
  }

  /// In place of each program the compiler makes one that ends at once: nothing hangs.
  @Test("A claim that does not come out is shown in its place and at the end, and makes the status 1")
  func failingClaim() throws {
    try inFolder { folder in
      let compiler = """
        #!/bin/sh
        echo 'import Dispatch; DispatchQueue.global().sync {}' > "$3"
        PATH=$REAL_PATH exec swiftc "$@"

        """
      try PrivateFile.replace("\(folder)/swiftc") { write in _ = write(Array(compiler.utf8)) }
      #expect(chmod("\(folder)/swiftc", 0o700) == 0)
      let path = Environment.value("PATH") ?? ""
      let changed = ["PATH": "\(folder):\(path)", "REAL_PATH": path, "TMPDIR": folder]
      let claim = "the toolchain's library leaves the program hanging without a word"
      let (text, status) = try demo("--quick", "--act", "2", changing: changed)
      #expect(status == 1, "\(text)")
      let plain = text.split { $0.isWhitespace }.joined(separator: " ")
      #expect(plain.contains("This did not come out: \(claim)."), "\(text)")
      #expect(plain.contains("act 2: \(claim)"), "\(text)")
      let (other, otherStatus) = try demo("--quick", "--act", "2", "--json", changing: changed)
      // What failed follows on standard error.
      let json = try #require(other.lastIndex(of: "}").flatMap { JSON(String(other[...$0])) }, "\(other)")
      #expect(otherStatus == 1 && json["ok"].boolean == false, "\(other)")
      #expect(json["acts"].values.first?["claims"].values.first?["holds"].boolean == false)
    }
  }

  @Test("A program's text is shown, and is the one that was compiled")
  func source() throws {
    let (text, status) = try demo("--source", "1")
    #expect(status == 0)
    #expect(text.contains("// waits.swift") && text.contains("// commands.swift") && text.contains("import Dispatch"))
  }

  @Test("Without a compiler it says so, in one line")
  func noCompiler() throws {
    try inFolder { folder in
      let (text, status) = try demo(changing: ["PATH": folder])
      #expect(status == 69)
      #expect(
        text
          == "signalbox: demo: there is no `swiftc` on PATH, which compiles the programs: install a Swift toolchain from swift.org/install\n"
      )
    }
  }

  @Test("Without a folder for the programs it says so, in one line")
  func noFolder() throws {
    let (text, status) = try demo(changing: ["TMPDIR": "/nowhere/at/all"])
    #expect(status == 73)
    #expect(text.hasPrefix("signalbox: demo: cannot make a folder in /nowhere/at/all for the programs: "), "\(text)")
    #expect(text.split(separator: "\n").count == 1)
  }

  @Test("Interrupted it ends with 130, and leaves neither files nor programs", arguments: [2, 15] as [Int32])
  func interrupted(_ signal: Int32) throws {
    try inFolder { folder in
      let demo = try ChildProcess(command.description, ["demo", "--act", "2"], adding: ["TMPDIR": folder])
      // It has begun to compile: its folder is there.
      #expect(eventually { (try? Files.names(in: RawString(folder)).isEmpty) == false })
      kill(demo.id, signal)
      #expect(demo.wait() == .exited(130))
      #expect(try Files.names(in: RawString(folder)).isEmpty)
    }
  }

  @Test("An unknown act is refused")
  func unknownAct() throws {
    let (text, status) = try demo("--act", "9")
    #expect(status == 64)
    #expect(text.hasPrefix("signalbox: demo: there is no act \"9\""))
  }
}
