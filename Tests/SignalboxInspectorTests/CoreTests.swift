// CoreTests.swift: core dumps of a program that hangs: what the kernel writes, and what is written here; cut off, changed, of others.
import Glibc
import Testing

@testable import SignalboxInspector
@testable import SignalboxSystem

@Suite("Core dumps") struct CoreTests {
  private static let program = InspectedProgram.programs + "InspectProbe"

  private func check(_ inspection: Inspection) throws {
    let cycle = try #require(inspection.cycles.first)
    #expect(inspection.cycles.count == 1 && cycle.isCertain && cycle.threads.count == 2 && inspection.source == "core")
    let one = try #require(inspection.onQueue("probe.one").first), other = try #require(inspection.onQueue("probe.other").first)
    #expect(Set(cycle.threads) == [one.id, other.id])
    #expect(
      one.wait?.kind == "mutex" && one.wait?.holders == [other.id] && one.wait?.seconds == nil && one.runs?.kind == "async")
    let main = try #require(inspection.threads.first { $0.isMain })
    #expect(main.name == "InspectProbe")
    var places = PlaceNames(wantsLines: false)
    places.learn([inspection])
    #expect(places.lines(one.stack).contains { $0.contains("Probe.deadlock()") }, "\(places.lines(one.stack))")
    // The labels of the program's own, longer than a string's two words hold, lie in its file.
    #expect(inspection.queues.contains { $0.label == "com.apple.root.default-qos" }, "\(inspection.queues)")
    let text = InspectionTables([inspection], process: "1 (InspectProbe)", InspectOptions()).text
    #expect(
      text.contains("read from a core dump") && text.contains("deadlock: 2 threads wait for one another, forever"), "\(text)")
  }

  private func refusal(_ file: String, _ program: String = Self.program) -> InspectRefusal? {
    do throws(InspectRefusal) {
      _ = try CoreInspection(file, program: program)
      return nil
    } catch {
      return error
    }
  }

  /// What the kernel writes a core dump to; nil where that is not a file in the process's folder, or none may be written.
  private static let kernelsName: String? = {
    let text = (try? FileBytes("/proc/sys/kernel/core_pattern").read(at: 0, count: 128)) ?? []
    let name = String(decoding: text.prefix { $0 > 32 }, as: UTF8.self)
    guard !name.isEmpty, !name.hasPrefix("|"), !name.contains("/"), !name.contains("%") else { return nil }
    let raised = try? Programs.output(of: "/bin/bash", arguments: ["bash", "-c", "ulimit -c unlimited"], environment: [])
    return raised?.status == 0 ? name : nil
  }()

  @Test("A core dump that the kernel has written", .enabled(if: CoreTests.kernelsName != nil))
  func kernel() throws {
    let place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    let line = "ulimit -c unlimited; cd '\(place)'; exec '\(Self.program)' deadlock"
    let program = try InspectedProgram([], place: place, isPrepared: false, words: ["/bin/bash", "-c", line])
    try program.inspectDeadlock()
    kill(program.child.id, SIGSYS)
    _ = program.child.wait()
    let names = try Files.names(in: RawString(place)).filter { $0.hasPrefix(Self.kernelsName ?? "core") }
    let core = try CoreInspection(place + "/" + (try #require(names.first)), program: Self.program)
    #expect(core.name == "InspectProbe" && core.process == program.child.id && core.inspections.count == 1)
    try check(core.inspections[0])
    let stacks = core.inspections[0].threads.filter { !$0.stack.isEmpty }
    #expect(stacks.count == core.inspections[0].threads.count)
  }

  @Test("A core dump of a stopped process; cut off, changed, of another program or build")
  func written() throws {
    let program = try InspectedProgram(["deadlock"], isPrepared: false), place = program.place, file = place + "/core"
    try program.inspectDeadlock()
    let size = try WrittenCore.write(program.child.id, to: file)
    try check(try #require(try CoreInspection(file, program: Self.program).inspections.first))
    try cutOff(file, size, place)
    #expect(
      refusal(file, "/bin/sleep")?.message.hasSuffix(
        "/InspectProbe: name the file that ran, with its debug information if need be") == true)
    #expect(refusal(file, "/bin/sleep")?.message.hasPrefix("\(file) is the core dump of /") == true)
    try anotherBuild(file, place)
    #expect(refusal(Self.program)?.message == "\(Self.program) is no core dump of a 64-bit process")
    #expect(refusal(place + "/none")?.message.hasPrefix("\(place)/none cannot be read: open: ") == true)
    #expect(refusal(file, place + "/none")?.kind == .noFile)
    #expect(refusal(file, file)?.kind == .badFile)
    try packed(place)
    try changed(file)
    try gone(file)
  }

  /// Wherever a core ends: it is refused, or what is missing is reported.
  private func cutOff(_ file: String, _ size: Int, _ place: String) throws {
    let copy = place + "/cut"
    let notes = try #require(try CoreFile(file).segments.map { Int($0.offset.bits) }.min())
    for length in [0, 10, 63, 64, 100, notes / 2, notes, notes + 5, size / 3, size / 2, size * 9 / 10, size - 1] {
      try Self.copy(file, to: copy, length)
      do throws(InspectRefusal) {
        let found = try CoreInspection(copy, program: Self.program)
        #expect(
          found.inspections.allSatisfy { $0.unread.contains { $0.hasSuffix(" of the core, which is cut off or damaged") } },
          "\(length)")
      } catch {
        #expect([.badFile, .notPrepared, .noAnswer].contains(error.kind), "\(length): \(error)")
      }
    }
    // Without the end alone, all the rest is shown.
    try Self.copy(file, to: copy, size - 1)
    #expect(try CoreInspection(copy, program: Self.program).inspections.first?.cycles.count == 1)
    #expect(refusal(copy + "x")?.kind == .noFile)
  }

  private func anotherBuild(_ file: String, _ place: String) throws {
    let other = place + "/InspectProbe"
    _ = try Programs.output(of: "/bin/cp", arguments: ["cp", RawString(Self.program), RawString(other)], environment: [])
    #expect(refusal(file, other) == nil)
    // The size in memory of the first segment.
    try Self.patch(other, at: 64 + 40) { $0 ^ 0x10 }
    let message = refusal(file, other)?.message ?? ""
    #expect(message.contains("is the core dump of another build of \(other): name the file that ran"), "\(message)")
  }

  private func packed(_ place: String) throws {
    try PrivateFile.replace(place + "/packed") { write in _ = write([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0]) }
    #expect(refusal(place + "/packed")?.message == "\(place)/packed is packed: unpack it first, with \"zstd -d\"")
  }

  /// A file that the process had mapped is here no more: what the core itself has is shown, and the answer says so.
  private func gone(_ file: String) throws {
    let notes = try #require(try CoreFile(file).segments.map { Int($0.offset.bits) }.min())
    let head = try FileBytes(RawString(file)).read(at: 0, count: notes), name = Array("/libc.so.6\0".utf8)
    let places = (0..<head.count - name.count).filter { head[$0..<$0 + name.count].elementsEqual(name) }
    try #require(!places.isEmpty)
    for place in places { try Self.patch(file, at: place + name.count - 2) { _ in UInt8(ascii: "X") } }
    let inspection = try #require(try CoreInspection(file, program: Self.program).inspections.first)
    #expect(
      inspection.unread.contains {
        $0.hasPrefix("what lies in files that are gone, or others now than then: ") && $0.contains("/libc.so.X")
      }, "\(inspection.unread)")
    try check(inspection)
  }

  /// Bytes that are others: a refusal or another view, never an end.
  private func changed(_ file: String) throws {
    let notes = try #require(try CoreFile(file).segments.map { Int($0.offset.bits) }.min())
    var generator = Lehmer(state: 7)
    for _ in 0..<300 {
      let place = Int(generator.next() % UInt64(min(notes, 40_000))), bits = UInt8(truncatingIfNeeded: generator.next() | 1)
      try Self.patch(file, at: place) { $0 ^ bits }
      do { _ = try CoreInspection(file, program: Self.program) } catch { #expect(error.message.isEmpty == false) }
      try Self.patch(file, at: place) { $0 ^ bits }
    }
    try check(try #require(try CoreInspection(file, program: Self.program).inspections.first))
  }

  /// The first bytes of a file, `length` of them.
  private static func copy(_ file: String, to copy: String, _ length: Int) throws {
    let bytes = try FileBytes(RawString(file)).read(at: 0, count: length)
    try PrivateFile.replace(copy) { write in _ = write(bytes) }
  }

  private static func patch(_ path: String, at place: Int, _ change: (UInt8) -> UInt8) throws {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var byte: UInt8 = 0
    try #require(pread(descriptor, &byte, 1, place) == 1)
    byte = change(byte)
    try #require(pwrite(descriptor, &byte, 1, place) == 1)
  }

  @Test("A core dump of a program without Signalbox")
  func without() throws {
    let sleeper = try ChildProcess("/bin/sleep", ["1000"]), place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    // It is the program that it is to be once it sleeps.
    let deadline = Clock.uptime() + 60_000_000_000
    while KernelCall(of: sleeper.id, process: sleeper.id)?.name != "clock_nanosleep", Clock.uptime() < deadline {
      Parking.yield()
    }
    try WrittenCore.write(sleeper.id, to: place + "/core")
    let core = try CoreInspection(place + "/core", program: try Files.realPath("/bin/sleep").description)
    let inspection = try #require(core.inspections.first)
    #expect(!inspection.usesSignalbox && inspection.threads.map(\.call) == ["clock_nanosleep"])
  }

  @Test("The command: a table, JSON, a picture; wrong words")
  func command() throws {
    let program = try InspectedProgram(["deadlock"], isPrepared: false), file = program.place + "/core"
    try program.inspectDeadlock()
    try WrittenCore.write(program.child.id, to: file)
    func signalbox(_ line: String) throws -> (text: String, status: Int32?) {
      let printed = try Programs.output(
        of: "/bin/bash", arguments: ["bash", "-c", RawString("'\(InspectedProgram.programs)signalbox' inspect \(line) 2>&1")],
        environment: [], seconds: 500)
      return (String(decoding: printed.bytes, as: UTF8.self), printed.status)
    }
    let table = try signalbox("--core '\(file)' '\(Self.program)' --stacks --svg '\(program.place)/a.svg'")
    #expect(table.status == 0 && table.text.hasPrefix("process \(program.child.id) (InspectProbe): "), "\(table.text)")
    #expect(table.text.contains("Probe.deadlock() at main.swift:"), "\(table.text)")
    let svg = String(decoding: try FileBytes(RawString(program.place + "/a.svg")).read(at: 0, count: 1 << 20), as: UTF8.self)
    #expect(svg.contains("class=\"thread cycle\""))
    let json = try signalbox("--json --core='\(file)' '\(Self.program)'")
    #expect(json.status == 0 && json.text.contains("\"source\":\"core\""), "\(json.text)")
    let wrong = try signalbox("--core '\(file)'")
    #expect(wrong.status == 64 && wrong.text.contains("--core needs the core dump and the program that ran"), "\(wrong.text)")
    #expect(try signalbox("--core '\(file)' '\(Self.program)' --record x").status == 64)
    #expect(try signalbox("--core /none '\(Self.program)'").status == 65)
  }
}

/// Numbers that are the same each time.
private struct Lehmer {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 20
  }
}
