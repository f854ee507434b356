// Launch.swift: `signalbox run` from the name of a program to becoming it; and the folder for `signalbox env`. What is decided
// is in the files beside this one, this one does it.
import SignalboxSystem

/// A program about to be started on Signalbox's library.
public struct Launch {
  /// The file to execute.
  public let program: RawString
  /// What is printed for the user, a line each.
  public let warnings: [String]
  /// What is printed for the user about the folder: why it is a new one at each run; nil if it is none.
  public let folderNote: String?
  /// What `--verbose` tells.
  public let verboseLine: String
  /// Why no library can be put in front of those that it loads; nil if one can.
  public let preloadObstacle: String?
  private let arguments: [RawString]
  private let environment: EnvironmentList

  /// The program that the last `count` arguments of this process name and pass: byte for byte, as a String could not.
  ///
  /// - Parameter variables: what changes in its environment besides.
  /// - Throws: a refusal if it cannot or must not be started.
  public init(lastArguments count: Int, setting variables: [String: String] = [:]) throws(Refusal) {
    var environment = EnvironmentList(ProcessInput.environment)
    for (name, value) in variables { environment.set(name, RawString(value)) }
    try self.init(Array(ProcessInput.arguments.suffix(count)), environment)
  }

  /// Finds the program, prepares its environment and asks its loader.
  init(_ arguments: [RawString], _ environment: EnvironmentList) throws(Refusal) {
    self.arguments = arguments
    let search = ProgramSearch(path: environment["PATH"])
    program = try search.find(arguments.first ?? "")
    let kind = ProgramKind(program, search: search)
    for file in kind.files { try Self.refuseIfPrivileged(file) }
    let library = try Library.find()
    let place = PrivateFolder(for: library)
    let folder = try place.prepare(environment, .session, isSecure: ProcessInput.isSecure)
    let obstacle = PrivateFolder.isFresh(folder) ? place.obstacle(environment, .session) : nil
    folderNote = obstacle.map { "\(folder) is made for this run and stays, because \($0): no library is taken from there" }
    var switched = environment.switched(to: folder)
    if let command = EnvironmentList.ownCommand { switched.set(EnvironmentList.tool, command) }
    self.environment = switched
    let findings = Findings(program, kind, library, before: environment, after: self.environment)
    if let refusal = findings.refusal { throw refusal }
    warnings = findings.warnings
    preloadObstacle = findings.preloadObstacle
    verboseLine = findings.verboseLine(library: library.path)
  }

  /// The folder for a service, made if need be.
  public static func lastingFolder() throws(Refusal) -> String {
    let library = try Library.find()
    return try PrivateFolder(for: library)
      .prepare(EnvironmentList(ProcessInput.environment), .lasting, isSecure: ProcessInput.isSecure)
  }

  /// What starts it in another process than this one: the command line, and the environment with these variables besides.
  public func words(setting variables: [String: RawString]) -> (arguments: [RawString], environment: [RawString]) {
    var environment = environment
    for (name, value) in variables { environment.set(name, value) }
    return (arguments, environment.entries)
  }

  /// Becomes the program, which sees its name as the user wrote it. Returns only if that failed.
  public func become() -> Refusal {
    let error = Programs.become(program, arguments: arguments, environment: environment.entries)
    let why =
      if error.isUnknownFormat {
        "it is no program that this machine runs, nor a script with #! in its first line"
      } else if error.isAbsent { "the interpreter or loader that it names does not exist" } else { error.words }
    return Refusal(.programNotRunnable, "\(program) cannot be run: \(why)")
  }

  /// The loader ignores LD_LIBRARY_PATH for such a program: it would silently run on the other library.
  private static func refuseIfPrivileged(_ file: RawString) throws(Refusal) {
    guard let status = try? FileStatus(of: file), status.kind == .regular else { return }
    let right =
      if status.permissions & 0o4000 != 0 { "the setuid bit" } else if status.permissions & 0o2010 == 0o2010 {
        "the setgid bit"
      } else if Files.hasCapabilities(file) { "file capabilities" } else { "" }
    guard !right.isEmpty else { return }
    throw Refusal(
      .programNotRunnable,
      "\(file) has \(right), so the loader ignores LD_LIBRARY_PATH: it cannot be switched; run it without signalbox")
  }
}

extension Findings {
  /// Reads the program's file and asks its loader.
  init(
    _ program: RawString, _ kind: ProgramKind, _ library: Library, before: EnvironmentList, after: EnvironmentList
  ) {
    self.init(
      named: program, loaded: kind.loaded, program: .unknown, dispatch: .none, runtime: .notCompared,
      libraryMachine: library.machine)
    let image: ElfImage
    switch kind.ending {
    case .image(let found): image = found
    case .foreign:
      self.program = .foreign
      return
    case .unreadable: return
    }
    guard let interpreter = image.interpreter else {
      self.program = .linkedStatically(image)
      return
    }
    switch LoaderQuestion(interpreter: interpreter, environment: after).answer(for: kind.loaded) {
    case .listing(let listing):
      self.program = .listed(image, listing)
      dispatch = Self.dispatch(in: listing, library)
      if dispatch == .ours { runtime = Self.runtime(in: listing, library, interpreter, before) }
    case .refusal(let words): self.program = .refused(words)
    case .none: break
    }
  }

  private static func dispatch(in listing: LoaderListing, _ library: Library) -> Dispatch {
    guard let path = listing[PrivateFolder.linkName]?.path else { return .none }
    return (try? FileStatus(of: path))?.identity == library.identity ? .ours : .other(path)
  }

  /// Compares the runtime that the program gets with the one that the library finds without LD_LIBRARY_PATH, by its DT_RUNPATH:
  /// the same file, files of the same build ID, and files of the same release are the same. This command was built with the
  /// library and may have the same DT_RUNPATH: its own runtime answers first, and the loader is asked only when that is another one.
  private static func runtime(
    in listing: LoaderListing, _ library: Library, _ interpreter: RawString, _ environment: EnvironmentList
  ) -> Runtime {
    var plain = environment
    plain.set(EnvironmentList.libraryPath, nil)
    guard let programs = listing[runtimeName]?.path else { return .notCompared }
    if environment[EnvironmentList.libraryPath] == nil, let own = ProcessInput.file(defining: "swift_retain"),
      isSame(programs, own)
    {
      return .same
    }
    guard case .listing(let alone) = LoaderQuestion(interpreter: interpreter, environment: plain).answer(for: library.path),
      let librarys = alone[runtimeName]?.path
    else { return .notCompared }
    return isSame(programs, librarys) ? .same : .other(programs: programs, librarys: librarys, release: release(librarys))
  }

  private static func isSame(_ one: RawString, _ other: RawString) -> Bool {
    if let status = try? FileStatus(of: one), status.identity == (try? FileStatus(of: other))?.identity { return true }
    func image(_ path: RawString) -> ElfImage? { (try? FileBytes(path)).flatMap { ElfImage($0) } }
    guard let one = image(one), let other = image(other) else { return false }
    if let build = one.buildID, build == other.buildID { return true }
    // One release is built for several systems: the compiler that came with it is the same commit's.
    return one.compiler != nil && one.compiler == other.compiler
  }

  /// What a package wrote down beside its runtime libraries, such as `Swift version 6.3.1`.
  private static func release(_ runtime: RawString) -> String? {
    let file = RawString(runtime.bytes[...(runtime.bytes.lastIndex(of: slash) ?? 0)]) + "release"
    guard let bytes = try? FileBytes(file) else { return nil }
    let line = bytes.read(at: 0, count: 80).prefix { $0 != UInt8(ascii: "\n") }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
