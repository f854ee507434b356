// EnvironmentTests.swift: the environment of the program, and the lines that `env` prints, read back by who they are for.
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

@Suite("The environment of the started program") struct EnvironmentTests {
  @Test(
    "The library's folder stands in front of the other folders",
    arguments: [
      (nil, "/own"), ("", "/own"), ("/a", "/own:/a"), ("/a:/b", "/own:/a:/b"), (":/a", "/own::/a"), ("/a:", "/own:/a:"),
      ("/own", "/own"), ("/own:/a", "/own:/a"), ("/own:/own:/a", "/own:/a"), ("/own:/own", "/own"),
      ("/ownother", "/own:/ownother"),
      ("/own:", "/own:"), (":", "/own::"),
    ] as [(String?, String)])
  func ownFolderStandsInFront(before: String?, after: String) {
    var list = EnvironmentList(["A=1", "B=2"])
    if let before { list.set("LD_LIBRARY_PATH", RawString(before)) }
    let switched = list.switched(to: "/own")
    #expect(switched["LD_LIBRARY_PATH"] == RawString(after))
    #expect(switched.switched(to: "/own") == switched)
  }

  @Test("No other variable of the environment changes")
  func nothingElseChanges() {
    let odd = RawString([0x58, 0x3d, 0xff, 0xfe])  // X= and no UTF-8
    let list = EnvironmentList([
      "A=1", odd, "LD_LIBRARY_PATH=/a", "LD_LIBRARY_PATHX=/x", "no equals sign", "LD_LIBRARY_PATH=/b",
    ])
    #expect(
      list.switched(to: "/own").entries == ["A=1", odd, "LD_LIBRARY_PATH=/own:/a", "LD_LIBRARY_PATHX=/x", "no equals sign"])
  }

  @Test("Questions to the loader in the environment are left out when its listing is asked for")
  func questionsToTheLoaderAreUndisturbed() {
    let list = EnvironmentList(["LD_DEBUG=all", "LD_TRACE_LOADED_OBJECTS=1", "LD_LIBRARY_PATH=/a", "LD_PRELOAD=/b", "X=1"])
    #expect(list.forListing.entries == ["LD_LIBRARY_PATH=/a", "LD_PRELOAD=/b", "X=1"])
  }

  @Test("The lines for a shell set the variables")
  func lines() {
    let text = EnvironmentText(folder: "/home/me/.cache/signalbox/1")
    #expect(
      text.line(.shell) == "export LD_LIBRARY_PATH='/home/me/.cache/signalbox/1'\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"")
    #expect(text.line(.systemd) == "Environment=\"LD_LIBRARY_PATH=/home/me/.cache/signalbox/1\"")
    #expect(
      text.line(.docker) == "ENV LD_LIBRARY_PATH=\"/home/me/.cache/signalbox/1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"")
    #expect(text.line(.json) == "{\"LD_LIBRARY_PATH\":\"/home/me/.cache/signalbox/1\"}")
    let odd = EnvironmentText(folder: "/a \"b\\%'$c")
    #expect(odd.line(.systemd) == "Environment=\"LD_LIBRARY_PATH=/a \\\"b\\\\%%'$c\"")
    #expect(odd.line(.json) == "{\"LD_LIBRARY_PATH\":\"/a \\\"b\\\\%'$c\"}")
  }

  @Test("A shell reads its line as it was meant", arguments: ["", "/before"]) func aShellReadsItsLine(before: String) throws {
    let folder = "/it's \"here\" \\ $HOME `x`"
    let line = EnvironmentText(folder: folder).line(.shell) + "; printf %s \"$LD_LIBRARY_PATH\""
    let printed = try Programs.output(
      of: "/bin/sh", arguments: ["sh", "-c", RawString(line)], environment: [RawString("LD_LIBRARY_PATH=" + before)])
    #expect(String(decoding: printed.bytes, as: UTF8.self) == folder + (before.isEmpty ? "" : ":" + before))
  }
}
