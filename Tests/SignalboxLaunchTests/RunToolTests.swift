// RunToolTests.swift: the built command, run as a user runs it: statuses, arguments, streams, warnings.
import Glibc
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

@Suite("The built command runs programs") struct RunToolTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  @Test("The program's exit status is the command's")
  func theProgramsStatusIsTheCommands() throws {
    let result = try tool.run("run", "--", "sh", "-c", "echo out; echo err >&2; exit 37")
    #expect(result.status == 37)
    #expect(result.text.contains("out\nerr\n"))
    #expect(try tool.run("run", "sh", "-c", "kill -TERM $$").status == nil)
  }

  @Test("The program takes the command's place in the same process")
  func itIsTheSameProcess() throws {
    let result = try tool.shell("echo $$; exec \"$signalbox\" run -- sh -c 'echo $$'")
    let lines = result.text.split(separator: "\n").filter { !$0.hasPrefix("signalbox: ") }
    #expect(lines.count == 2 && lines[0] == lines[1])
  }

  /// What a shell can set and a program can see stays: ignored signals, descriptors, the mask of new files, standard input.
  @Test("Ignored signals, descriptors and the file mask are passed on to the program")
  func whatIsInheritedStays() throws {
    let see = "grep -E '^(SigIgn|SigBlk|SigCgt|Umask):' /proc/self/status; ls -l /proc/self/fd | wc -l; cat"
    let line = "trap '' INT; umask 027; exec 7</dev/null; "
    let plain = try tool.shell("\(line) echo words | sh -c \"\(see)\"")
    let switched = try tool.shell("\(line) echo words | \"$signalbox\" run -- sh -c \"\(see)\" 2>/dev/null")
    #expect(plain.text == switched.text)
    #expect(plain.text.contains("words"))
  }

  @Test("Arguments and environment are passed on as bytes")
  func argumentsAndEnvironmentAreBytes() throws {
    let odd = RawString([0x61, 0xff, 0x20, 0xfe])
    let result = try tool.run(
      "run", "--", "sh", "-c", "printf '%s|' \"$0\" \"$@\" \"$ODD\" | od -An -tx1 | tr -d ' \\n'", odd, "", "-x",
      changes: ["ODD": odd])
    #expect(result.text.hasSuffix("61ff20fe7c7c2d787c61ff20fe7c"))
  }

  @Test("The library's folder stands in front of the user's own")
  func ownFolderStandsInFront() throws {
    let result = try tool.run("run", "--", "sh", "-c", "echo \"$LD_LIBRARY_PATH\"", changes: ["LD_LIBRARY_PATH": "/a:/b"])
    let path = try #require(result.text.split(separator: "\n").last).split(separator: ":")
    #expect(path.count == 3 && path[1...] == ["/a", "/b"])
    #expect(path[0].hasPrefix(tool.home(".cache/signalbox/")))
  }

  @Test("A program that is not found ends the command with 127")
  func notFoundIs127() throws {
    for name in ["no-such-program", "/no/such/program", ""] {
      let result = try tool.run("run", "--", RawString(name))
      #expect(result.status == 127)
      #expect(result.text.hasPrefix("signalbox: run: ") && result.text.split(separator: "\n").count == 1, "\(result.text)")
    }
  }

  @Test("A program that cannot be run ends the command with 126")
  func notRunnableIs126() throws {
    let folder = tool.home
    let programs = [
      folder.path, try folder.file("text", "words"), try folder.file("strange", "\u{1}\u{2}", mode: 0o755),
      try folder.file("orphan", "#!/no/such/interpreter\n", mode: 0o755), "/dev/null",
    ]
    for program in programs {
      let result = try tool.run("run", "--", RawString(program))
      #expect(result.status == 126, "\(program)")
      #expect(result.text.hasPrefix("signalbox: run: \(program) "), "\(result.text)")
      #expect(result.text.split(separator: "\n").count == 1, "\(result.text)")
    }
  }

  @Test("A program that changes user or group is refused", arguments: [0o4755, 0o2755] as [UInt32])
  func privilegedProgramsAreRefused(mode: UInt32) throws {
    let program = try tool.home.copy("/bin/ls", as: "privileged")
    try #require(chmod(program, mode) == 0)
    let result = try tool.run("run", "--", RawString(program))
    #expect(result.status == 126)
    #expect(result.text.contains(mode == 0o4755 ? "the setuid bit" : "the setgid bit"))
    #expect(result.text.split(separator: "\n").count == 1)
  }

  @Test("A program without libdispatch is run, and a message says so")
  func aProgramWithoutLibdispatchIsReportedAndRun() throws {
    let result = try tool.run("run", "--", "ls", RawString(tool.home.path))
    #expect(result.status == 0)
    #expect(result.text.contains("needs no libdispatch"))
  }

  @Test("A script is followed to its interpreter")
  func scriptsAreFollowed() throws {
    let script = try tool.home.file("script", "#!/usr/bin/env sh\necho from a script\n", mode: 0o755)
    let result = try tool.run("run", "--", RawString(script))
    #expect(result.status == 0)
    #expect(result.text.contains("from a script\n"))
    #expect(result.text.contains("is a script"))
    #expect(result.text.split(separator: "\n").count == 2)
  }

  /// The command itself needs libdispatch, for its bench: a dynamic program at hand.
  @Test("The loader takes Signalbox's library for the program")
  func theLoaderTakesTheLibrary() throws {
    let result = try tool.shell("\"$signalbox\" run --verbose -- \"$signalbox\" --help")
    #expect(result.status == 0)
    let lines = result.text.split(separator: "\n")
    #expect(lines.first?.contains("runs on \(tool.libraryPath): the loader says so") == true, "\(result.text)")
    #expect(lines.dropFirst().first == "usage: signalbox COMMAND [OPTIONS]")
  }

  @Test("Many commands at once make one private folder")
  func manyAtOnceMakeOneFolder() throws {
    let result = try tool.shell(
      "for i in 1 2 3 4 5 6 7 8; do \"$signalbox\" run -- true & done; wait; ls \"$HOME/.cache/signalbox\"")
    let folders = result.text.split(separator: "\n").filter { !$0.hasPrefix("signalbox: ") }
    #expect(folders.count == 1 && folders.first?.count == 16, "\(result.text)")
  }

  @Test("A private folder with the wrong mode stops run and env")
  func unsafeFoldersAreRefused() throws {
    _ = try tool.run("env")
    try #require(chmod(tool.home(".cache/signalbox"), 0o755) == 0)
    for command in ["run", "env"] {
      let result = command == "run" ? try tool.run("run", "--", "true") : try tool.run("env")
      #expect(result.status == 77)
      #expect(result.text.contains("has the mode 755 instead of 700"))
    }
  }

  @Test("A missing library is reported")
  func aMissingLibraryIsReported() throws {
    let result = try tool.run("run", "--", "true", changes: ["SIGNALBOX_LIBRARY": "/no/such/library.so"])
    #expect(result.status == 69)
    #expect(result.text.contains("/no/such/library.so") && result.text.contains("SIGNALBOX_LIBRARY"))
    #expect(try tool.run("env", changes: ["SIGNALBOX_LIBRARY": "/etc/passwd"]).status == 69)
  }

  @Test("env prints a folder that exists")
  func envPrintsAFolderThatIsThere() throws {
    let result = try tool.shell("unset LD_LIBRARY_PATH; eval \"$(\"$signalbox\" env)\"; ls \"$LD_LIBRARY_PATH\"")
    #expect(result.text == "libdispatch.so\n")
    for form in ["--systemd", "--docker", "--json"] {
      let line = try tool.run("env", RawString(form))
      #expect(line.status == 0 && line.text.contains(tool.home(".cache/signalbox/")))
    }
  }

  @Test("Wrong use ends the command with 64")
  func wrongUsageIs64() throws {
    for arguments in [["run"], ["run", "--wrong", "ls"], ["env", "--wrong"], ["env", "more"]] as [[RawString]] {
      let result = arguments.count == 1 ? try tool.run(arguments[0]) : try tool.run(arguments[0], arguments[1])
      #expect(result.status == 64)
      #expect(result.text.contains("--help\" lists the options"))
    }
    #expect(try tool.run("run", "--help").text == RunOptions.help)
    #expect(try tool.run("env", "--help").text == EnvironmentOptions.help)
  }
}
