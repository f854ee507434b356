// DemoProgram.swift: the programs of the demo: their texts are part of the command, and the machine's own toolchain compiles them.
import SignalboxCommandLine
import SignalboxLaunch
import SignalboxSystem

/// A program of the demo.
enum DemoProgram: String, CaseIterable {
  case waits, commands, hang, server, race, times

  /// The act that it belongs to.
  var act: Int {
    switch self {
    case .waits, .commands: 1
    case .hang, .server: 2
    case .race: 3
    case .times: 4
    }
  }

  var file: String { rawValue + ".swift" }

  var source: String {
    let bytes =
      switch self {
      case .waits: PackageResources.waits_source
      case .commands: PackageResources.commands_source
      case .hang: PackageResources.hang_source
      case .server: PackageResources.server_source
      case .race: PackageResources.race_source
      case .times: PackageResources.times_source
      }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The line of the source that has `text`, counted from 1.
  func line(of text: String) -> Int? {
    source.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains(text) }.map { $0 + 1 }
  }

  static func of(act: Int) -> [DemoProgram] { allCases.filter { $0.act == act } }
}

/// The toolchain's compiler, and the folder where the programs are made.
struct DemoCompiler: ~Copyable {
  private let compiler: RawString
  let folder: RawString

  init() throws(DemoRefusal) {
    let (found, made): (RawString, RawString)
    let search = ProgramSearch(path: EnvironmentList(ProcessInput.environment)["PATH"])
    do throws(Refusal) { found = try search.find("swiftc") } catch {
      throw DemoRefusal(
        .unavailable,
        "there is no `swiftc` on PATH, which compiles the programs: install a Swift toolchain from swift.org/install")
    }
    let parent = Environment.value("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    do throws(SystemError) { made = try Files.makeFreshFolder(RawString(parent) + "/signalbox-demo-") } catch {
      throw DemoRefusal(.cannotCreateFile, "cannot make a folder in \(parent) for the programs: \(error.words)")
    }
    (compiler, folder) = (found, made)
  }

  deinit { Files.removeTree(folder) }

  /// Writes the program's text into the folder and compiles it there.
  func compile(_ program: DemoProgram) throws(DemoRefusal) {
    let source = folder + "/" + RawString(program.file)
    do {
      try PrivateFile.replace(source.description) { write in _ = write(Array(program.source.utf8)) }
    } catch {
      throw DemoRefusal(.cannotCreateFile, "\(source) cannot be written, because \(error)")
    }
    // In the folder, so that names in reports are those of the files alone.
    let shell = "cd \"$1\" && exec \"$2\" -O -g \"$3\" -o \"$4\""
    let words: [RawString] = [
      "/bin/sh", "-c", RawString(shell), "sh", folder, compiler, RawString(program.file), RawString(program.rawValue),
    ]
    let compiled: Programs.Watched
    do throws(SystemError) {
      compiled = try Programs.watch(
        words[0], arguments: words, environment: ProcessInput.environment, nanoseconds: 300_000_000_000
      ) { _ in !Interrupts.haveCome }
    } catch {
      throw DemoRefusal(.unavailable, "\(compiler) cannot be run: \(error.words)")
    }
    if Interrupts.haveCome { throw .interrupted }
    guard compiled.end == .exit(0) else {
      let said = String(decoding: compiled.bytes, as: UTF8.self)
      let isFull = said.contains("No space left") || said.contains("Disk quota")
      throw DemoRefusal(
        isFull ? .cannotCreateFile : .unavailable,
        isFull
          ? "there is no room in \(folder) for the programs: free some, or name another folder in TMPDIR"
          : "\(compiler) does not compile \(program.file):\n\(said)")
    }
  }
}
