// Toolchain.swift: what is asked of the machine's Swift toolchain: a package's description, and the syntax of files.
import SignalboxCommandLine
import SignalboxLaunch
import SignalboxSystem

/// The toolchain whose `swift` is first on PATH, and a folder of Signalbox's while it is used.
final class Toolchain {
  private let swift: RawString
  private let compiler: RawString
  /// Its folder of resources, lib/swift.
  private let resources: String
  private let folder: RawString
  private var hasReader = false

  /// Version, as numbers.
  let version: [Int]

  init() throws(MigrateRefusal) {
    let search = ProgramSearch(path: EnvironmentList(ProcessInput.environment)["PATH"])
    do throws(Refusal) {
      (swift, compiler) = (try search.find("swift"), try search.find("swiftc"))
    } catch {
      throw MigrateRefusal(
        .unavailable, "there is no `swift` on PATH, which parses the files: install a toolchain (6.3 or later)")
    }
    do throws(SystemError) {
      folder = try Files.makeFreshFolder("/tmp/signalbox-migrate-")
    } catch {
      throw MigrateRefusal(.cannotCreateFile, "cannot make a folder in /tmp: \(error.words)")
    }
    let printed = Self.output(compiler, ["-print-target-info"], seconds: 60)
    guard let info = printed.flatMap({ JSON(String(decoding: $0.bytes, as: UTF8.self)) }),
      let resources = info["paths"]["runtimeResourcePath"].string
    else {
      Files.removeTree(folder)
      throw MigrateRefusal(
        .unavailable, "\(compiler) does not say where its resources lie: is it a Swift toolchain (6.3 or later)?")
    }
    self.resources = resources
    let words = (info["compilerVersion"].string ?? "").split(separator: " ")
    version = words.drop { $0 != "version" }.dropFirst().first?.split(separator: ".").compactMap { Int($0) } ?? []
  }

  deinit { Files.removeTree(folder) }

  private static func output(_ program: RawString, _ arguments: [String], seconds: UInt64) -> Programs.Printed? {
    try? Programs.output(
      of: program, arguments: [program] + arguments.map { RawString($0) }, environment: ProcessInput.environment,
      seconds: seconds)
  }

  /// Runs a program with its standard output in a file: it may be long. Returns that, and what it printed on standard error.
  private func longOutput(
    _ program: RawString, _ arguments: [String], seconds: UInt64
  ) -> (text: String?, complaint: String) {
    let file = folder + "/output"
    let shell = ["-c", "out=$1; shift; exec \"$@\" >\"$out\"", "sh", file.description, program.description] + arguments
    guard let printed = Self.output("/bin/sh", shell, seconds: seconds) else { return (nil, "it cannot be started") }
    let complaint = String(decoding: printed.bytes, as: UTF8.self)
    guard printed.status == 0, let bytes = try? Files.contents(file) else { return (nil, complaint) }
    return (String(decoding: bytes, as: UTF8.self), complaint)
  }

  /// The package in a folder.
  func describe(_ root: String) throws(MigrateRefusal) -> PackageFacts {
    let arguments = [
      "package", "--package-path", root, "--scratch-path", folder.description + "/build", "describe", "--type", "json",
    ]
    let (text, complaint) = longOutput(swift, arguments, seconds: 300)
    guard let facts = text.flatMap({ JSON($0) }).flatMap({ PackageFacts($0) }) else {
      let errors = complaint.split(separator: "\n").filter { $0.contains("error") }.joined(separator: "\n")
      throw MigrateRefusal(
        .dataError, "\(root): the toolchain cannot read this package: \(errors.isEmpty ? complaint : errors)")
    }
    return facts
  }

  /// What stands in each of the files, in their order.
  func read(_ paths: [String]) throws(MigrateRefusal) -> [Result<SourceFacts, SourceFacts.Failure>] {
    guard !paths.isEmpty else { return [] }
    try buildReader()
    do throws(SystemError) {
      try Files.write(Array(MovedNames.ofInterest.sorted().joined(separator: "\0").utf8), to: folder + "/names")
      try Files.write(Array(paths.joined(separator: "\0").utf8), to: folder + "/list")
    } catch {
      throw MigrateRefusal(.cannotCreateFile, "cannot write in \(folder): \(error.words)")
    }
    let (text, complaint) = longOutput(
      folder + "/reader", [folder.description + "/names", folder.description + "/list"], seconds: 300)
    let answers = (text ?? "").split(separator: "\n").compactMap { JSON($0) }
    guard answers.count == paths.count else {
      throw MigrateRefusal(.internalError, "the reader answered for \(answers.count) of \(paths.count) files: \(complaint)")
    }
    return answers.map(SourceFacts.read)
  }

  /// Compiles the reader against the toolchain's own SwiftSyntax, which has the version of its compiler.
  private func buildReader() throws(MigrateRefusal) {
    guard !hasReader else { return }
    let host = resources + "/host"
    guard (try? FileStatus(of: RawString(host + "/SwiftParser.swiftmodule"))) != nil else {
      throw MigrateRefusal(
        .unavailable, "the toolchain has no SwiftSyntax in \(host): install a whole toolchain (6.3 or later)")
    }
    let source = folder.description + "/reader.swift"
    do throws(SystemError) {
      try Files.write(PackageResources.SyntaxReader_source, to: RawString(source))
    } catch {
      throw MigrateRefusal(.cannotCreateFile, "cannot write \(source): \(error.words)")
    }
    let printed = Self.output(
      compiler,
      [
        "-swift-version", "5", "-Onone", "-module-name", "reader", "-I", host, "-L", host, "-lSwiftSyntax", "-lSwiftParser",
        "-Xlinker", "-rpath", "-Xlinker", host, source, "-o", folder.description + "/reader",
      ], seconds: 600)
    guard let printed, printed.status == 0 else {
      let why = String(decoding: printed?.bytes ?? [], as: UTF8.self)
      throw MigrateRefusal(.unavailable, "the reader does not compile with \(compiler) (6.3 or later is needed): \(why)")
    }
    hasReader = true
  }
}
