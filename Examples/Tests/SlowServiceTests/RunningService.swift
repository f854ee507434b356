// RunningService.swift: the service in a process of its own, whose faults last until the test ends them; and the command beside it.
import Glibc
import SignalboxCommandLine
import SignalboxSystem
import Testing

/// How the service comes to Signalbox.
enum Form: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case linked = "slow-service-signalbox"
  case asItIs = "slow-service"
  var testDescription: String { self == .linked ? "linked" : "as it is, under signalbox run" }
}

/// The service, recorded and open to be inspected; ended with the value. For one thread.
final class RunningService {
  let child: ChildProcess
  let folder: String
  var recording: String { folder + "/slow.signalbox" }
  private let lines: Int32
  private var said: [String] = []

  static let programs: String = {
    let tests = ((try? Files.realPath("/proc/self/exe")) ?? "").description
    return String(tests[...(tests.lastIndex(of: "/") ?? tests.startIndex)])
  }()

  init(_ form: Form) throws {
    let folder = try Files.makeFreshFolder("/tmp/signalbox-tests-").description
    self.folder = folder
    try #require(mkfifo(folder + "/lines", 0o600) == 0)
    // Read and write, so that neither side waits for the other to open it.
    lines = open(folder + "/lines", O_RDWR | O_CLOEXEC)
    try #require(lines >= 0)
    let program = "'\(Self.programs)\(form.rawValue)' --hold < '\(folder)/lines'"
    let run = form == .linked ? program : "'\(Self.programs)signalbox' run --record='\(folder)/slow.signalbox' -- " + program
    var variables = ["SIGNALBOX_INSPECT": "1", "SIGNALBOX_MAX_THREADS": "8", "XDG_RUNTIME_DIR": folder]
    if form == .linked { variables["SIGNALBOX_RECORD"] = folder + "/slow.signalbox" }
    child = try ChildProcess("/bin/bash", ["-c", "exec " + run], adding: variables)
  }

  deinit {
    child.kill()
    _ = child.wait()
    close(lines)
    _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(folder)], environment: [])
  }

  /// The next line that it says.
  func line() throws -> String {
    let deadline = Clock.uptime() + 120_000_000_000
    while said.isEmpty, Clock.uptime() < deadline {
      let isOpen = child.read(milliseconds: 100)
      said += child.takeLines()
      if !isOpen { break }
    }
    try #require(!said.isEmpty, "it says nothing more: \(String(decoding: child.errorOutput, as: UTF8.self))")
    return said.removeFirst()
  }

  /// The fault ends.
  func goOn() throws { try #require(write(lines, "\n", 1) == 1) }

  // MARK: the command

  /// What the command prints.
  static func signalbox(_ arguments: String...) throws -> String {
    let printed = try Programs.output(
      of: RawString(programs + "signalbox"), arguments: (["signalbox"] + arguments).map { RawString($0) },
      environment: ProcessInput.environment, seconds: 500)
    let text = String(decoding: printed.bytes, as: UTF8.self)
    try #require(printed.status == 0, "\(arguments): \(text)")
    return text
  }

  func inspected() throws -> InspectedService {
    try InspectedService(#require(JSON(try Self.signalbox("inspect", "\(child.id)", "--json"))))
  }

  /// Inspects it again and again until `isWanted` holds: what is awaited happens beside the asking.
  func inspected(until isWanted: (InspectedService) -> Bool) throws -> InspectedService {
    let deadline = Clock.uptime() + 120_000_000_000
    while true {
      let found = try? inspected()
      if let found, isWanted(found) { return found }
      try #require(Clock.uptime() < deadline, "it never comes to that: \(found?.findings ?? [])")
    }
  }
}

/// What `signalbox inspect --json` prints of it.
struct InspectedService {
  let json: JSON
  init(_ json: JSON) { self.json = json }

  var findings: [String] { json["findings"].values.compactMap(\.string) }
  private var copies: [JSON] { json["copies"].values }
  var threads: [JSON] { copies.flatMap { $0["threads"].values } }
  func queue(_ label: String) -> JSON { copies.flatMap { $0["queues"].values }.first { $0["label"].string == label } ?? .null }
  var main: JSON { threads.first { $0["main"].boolean == true } ?? .null }
  var pools: [JSON] { copies.flatMap { $0["pools"].values } }
  /// What the functions of all places are called, with files and lines.
  var names: [String] {
    guard case .object(let names) = json["names"] else { return [] }
    return names.compactMap(\.value.string)
  }
}

extension JSON {
  var double: Double { if case .number(let number) = self { number } else { -1 } }
  /// The object's members whose name it is, whatever they are.
  func row(_ name: String, _ isIt: (JSON) -> Bool) -> JSON { self[name].values.first(where: isIt) ?? .null }
}
