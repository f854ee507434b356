// CommandTests.swift: the commands `signalbox inspect` and `signalbox top` as they are called: what they print, write and end with.
import Glibc
import SignalboxCommandLine
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite("Commands that inspect") struct CommandTests {
  /// Runs the command; its standard output and error together, and its status.
  private func signalbox(_ arguments: [String]) throws -> (text: String, status: Int32?) {
    let line = ([InspectedProgram.programs + "signalbox"] + arguments).map { "'\($0)'" }.joined(separator: " ") + " 2>&1"
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [], seconds: 500)
    return (String(decoding: printed.bytes, as: UTF8.self), printed.status)
  }

  @Test("A table, one with stacks, JSON with names, and a picture")
  func inspect() throws {
    let program = try InspectedProgram(["deadlock"]), id = "\(program.child.id)", picture = program.place + "/a.svg"
    _ = try program.inspectDeadlock()
    let table = try signalbox(["inspect", id, "--svg", picture])
    #expect(table.status == 0 && table.text.hasPrefix("process \(id) (InspectProbe): "), "\(table.text)")
    #expect(table.text.contains("deadlock: 2 threads wait for one another, forever"), "\(table.text)")
    let svg = String(decoding: try FileBytes(RawString(picture)).read(at: 0, count: 1 << 20), as: UTF8.self)
    #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n") && svg.contains("probe.one"))
    #expect(try FileStatus(of: RawString(picture)).permissions == 0o600)
    let stacks = try signalbox(["inspect", id, "--stacks"])
    #expect(
      stacks.text.contains("stack of thread") && stacks.text.contains("Probe.deadlock() at main.swift:"), "\(stacks.text)")
    let json = try #require(JSON(try signalbox(["inspect", id, "--json"]).text))
    #expect(json["process"].integer == Int(program.child.id) && json["name"].string == "InspectProbe")
    #expect(json["copies"].values.count == 1 && json["copies"].values[0]["circles"].values.count == 1)
    guard case .object(let names) = json["names"] else { return #expect(Bool(false), "there are no names") }
    #expect(names.contains { $0.value.string?.contains("Probe.deadlock()") == true })
  }

  @Test("Stacks of threads that sleep in calls which a signal would end: they sleep on, and the program's functions are named")
  func sleepers() throws {
    let program = try InspectedProgram(["polls"], adding: ["SIGNALBOX_MAX_THREADS": "2"]), id = "\(program.child.id)"
    var text = ""
    func isAsleep() -> Bool { text.contains("sleeps in poll") && text.contains("sleeps in clock_nanosleep") }
    #expect(
      eventually {
        text = (try? signalbox(["inspect", id]).text) ?? ""
        return isAsleep()
      })
    for _ in 0..<5 {
      text = try signalbox(["inspect", id, "--stacks"]).text
      #expect(isAsleep() && !text.contains("it ends here") && !text.contains("cannot be had"), "\(text)")
      for name in ["sleepInPoll", "sleepForLong"] { #expect(text.contains("Probe.\(name)() at main.swift:"), "\(text)") }
    }
  }

  @Test("Tables that follow one another where there is no terminal")
  func top() throws {
    let program = try InspectedProgram(["busy"])
    _ = try program.inspect()
    let tables = try signalbox(["top", "\(program.child.id)", "--interval", "0.2", "--count", "3"])
    #expect(
      tables.status == 0 && tables.text.ranges(of: "process \(program.child.id) (InspectProbe): ").count == 3, "\(tables.text)")
    #expect(!tables.text.contains("\u{1b}"))
    // Of the first there is no rate; then the queue that submits again and again comes first.
    let rows = tables.text.split(separator: "\n").filter { $0.contains("probe.quick") }.map { $0.split(separator: " ") }
    #expect(rows.count == 3 && rows.dropFirst().allSatisfy { (Double($0[0]) ?? 0) > 0 }, "\(tables.text)")
  }

  @Test("A process that ends between two tables is reported, and is not a failure")
  func topOfEnding() throws {
    let program = try InspectedProgram(["busy"]), id = program.child.id
    _ = try program.inspect()
    let line = "'\(InspectedProgram.programs)signalbox' top \(id) --interval 0.1 | { read -r first; kill -TERM \(id); cat; }"
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [], seconds: 500)
    let text = String(decoding: printed.bytes, as: UTF8.self)
    #expect(text.hasSuffix("process \(id) (InspectProbe) has ended meanwhile\n"), "\(text)")
  }

  @Test("A terminal is left as it was, by q, by Ctrl-C and after a number of tables", arguments: ["q", "\\003", ""])
  func terminal(key: String) throws {
    let program = try InspectedProgram(["busy"])
    _ = try program.inspect()
    let command =
      "'\(InspectedProgram.programs)signalbox' top \(program.child.id) --interval \(key.isEmpty ? "0.1 --count 2" : "30")"
    // The terminal's settings before and after; `script` has a terminal of its own for what it runs. The key is typed once a table is there.
    let inner = "stty -g > before; \(command); echo status \\$? > status; stty -g > after"
    let line =
      "cd '\(program.place)'; mkfifo keys; script -qefc \"\(inner)\" shown < keys > /dev/null & exec 3> keys; "
      + "until grep -aqs 'items/s' shown || [ -e status ]; do read -t 0.05 x <> <(:) || :; done; printf '\(key)' >&3; wait; cat status; "
      + "cmp before after && echo same"
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: ["TERM=xterm"], seconds: 500)
    let text = String(decoding: printed.bytes, as: UTF8.self)
    #expect(text.contains("status 0\nsame\n"), "\(text)")
    let shown = try FileBytes(RawString(program.place + "/shown")).read(at: 0, count: 1 << 20)
    let bytes = String(decoding: shown, as: UTF8.self)
    #expect(bytes.contains("\u{1b}[?1049h") && bytes.contains("\u{1b}[?1049l") && bytes.contains("\u{1b}[?25h"))
  }

  @Test("Top reads a process that was not prepared, and one that is stopped")
  func topReads() throws {
    let program = try InspectedProgram(["deadlock"], isPrepared: false), id = program.child.id
    try program.inspectDeadlock()
    let tables = try signalbox(["top", "\(id)", "--interval", "0.1", "--count", "2"])
    try #require(tables.status == 0, "\(tables.text)")
    #expect(tables.text.ranges(of: "process \(id) (InspectProbe): ").count == 2, "\(tables.text)")
    #expect(
      tables.text.contains("1 DEADLOCK: signalbox inspect tells which") && tables.text.contains("mutex 0x"), "\(tables.text)")
    // The row of a queue has the number of its items, and in the second table the rate since the first.
    let rows = tables.text.split(separator: "\n").filter { $0.contains("probe.one ") && $0.hasSuffix(" has it") }
      .map { $0.split(separator: " ") }.filter { !$0.contains("on") }
    #expect(rows.map { $0.prefix { $0 != "probe.one" } } == [["0"], ["0", "0"]], "\(tables.text)")
    let busy = try InspectedProgram(["busy"]), number = busy.child.id
    _ = try busy.inspect()
    kill(number, SIGSTOP)
    let stopped = try signalbox(["top", "\(number)", "--interval", "0.1", "--count", "2"])
    #expect(stopped.text.ranges(of: "process \(number) (InspectProbe): ").count == 2, "\(stopped.text)")
  }

  @Test("Top ends when nobody reads its tables any more, whether SIGPIPE ends programs or is ignored", arguments: [0, 1])
  func topReaderLeaves(isIgnored: Int) throws {
    let program = try InspectedProgram(["busy"]), id = program.child.id
    _ = try program.inspect()
    // A shell cannot take back what it was started with; env can.
    let handling = isIgnored == 1 ? "--ignore-signal=PIPE" : "--default-signal=PIPE"
    let line =
      "env \(handling) '\(InspectedProgram.programs)signalbox' top \(id) --interval 0.1 | head -n 1; echo status ${PIPESTATUS[0]}"
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [], seconds: 500)
    let lines = String(decoding: printed.bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("process \(id) (InspectProbe): "), "\(lines)")
    // 128 and the signal's number, as shells say it.
    #expect(lines.last == (isIgnored == 1 ? "status 0" : "status 141"), "\(lines)")
  }

  @Test("A picture and a copy of a recording go to no link, pipe, folder or other file that is in use")
  func outputs() throws {
    let place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    let flight = ["SIGNALBOX_RECORD": place + "/flight", "SIGNALBOX_FLIGHT": "10"]
    let program = try InspectedProgram(["busy"], place: place, adding: flight), id = "\(program.child.id)"
    _ = try program.inspect()
    let made = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString("cd '\(place)' && ln -s target link && mkfifo fifo")],
      environment: [])
    try #require(made.status == 0)
    let cases = [
      ("link", "Too many levels of symbolic links"), ("fifo", "it is no regular file"), ("/tmp", "Is a directory"),
      ("flight", "it is in use"), ("no/such", "No such file"),
    ]
    for option in ["--svg", "--record"] {
      for (name, reason) in cases {
        let refused = try signalbox(["inspect", id, option, name.hasPrefix("/") ? name : place + "/" + name])
        #expect(
          refused.status == 73 && refused.text.contains("cannot be written, because ") && refused.text.contains(reason),
          "\(option) \(name): \(refused.text)")
      }
    }
    #expect((try? FileStatus(of: RawString(place + "/target"))) == nil)
    _ = try program.inspect()
  }

  @Test("The recording of a running process is copied, and read")
  func recording() throws {
    let place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    let flight = ["SIGNALBOX_RECORD": place + "/flight", "SIGNALBOX_FLIGHT": "10"]
    let program = try InspectedProgram(["busy"], place: place, adding: flight), copy = place + "/copy"
    let copied = try signalbox(["inspect", "\(program.child.id)", "--record", copy])
    #expect(copied.status == 0 && copied.text.isEmpty, "\(copied.text)")
    #expect(try FileStatus(of: RawString(copy)).permissions == 0o600)
    let summary = try signalbox(["summary", copy])
    #expect(summary.status == 0 && summary.text.contains("probe.quick"), "\(summary.text)")
    let plain = try InspectedProgram(["busy"], place: place)
    let none = try signalbox(["inspect", "\(plain.child.id)", "--record", copy])
    #expect(
      none.status == 69 && none.text.contains("is not recorded, or the kernel does not show it: start it with"), "\(none.text)")
  }

  @Test("Statuses of refusals")
  func statuses() throws {
    let wrong = try signalbox(["inspect"])
    #expect(wrong.status == 64 && wrong.text.hasSuffix("; \"signalbox inspect --help\" lists the options\n"), "\(wrong.text)")
    #expect(try signalbox(["top", "--count", "x", "1"]).status == 64)
    let absent = try signalbox(["inspect", "4194304"])
    #expect(absent.status == 69 && absent.text.contains("there is no process 4194304"), "\(absent.text)")
    for command in ["inspect", "top"] {
      let help = try signalbox([command, "--help"])
      #expect(help.status == 0 && help.text.hasPrefix("usage: signalbox \(command) PID"))
    }
  }
}
