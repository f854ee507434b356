// Support.swift: what the tests of `migrate` share: a folder of their own, the machine's reader, plans for texts.
import SignalboxSystem
import Testing

@testable import SignalboxMigrate

/// A folder that goes with its owner.
final class TestFolder: Sendable {
  let path: String
  init() throws { path = try Files.makeFreshFolder("/tmp/signalbox-tests-").description }
  deinit { Files.removeTree(RawString(path)) }

  /// Writes a file, and the folders above it.
  func write(_ name: String, _ text: String) throws {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/" + part
      if (try? FileStatus(of: RawString(folder))) == nil { try Files.makeFolder(RawString(folder)) }
    }
    try Files.write(Array(text.utf8), to: RawString(path + "/" + name))
  }

  func read(_ name: String) -> String? {
    (try? Files.contents(RawString(path + "/" + name))).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The machine's reader: compiled once, asked by all tests in turn.
@MainActor enum Reader {
  private static let toolchain = Result { try Toolchain() }

  /// Reads texts as files of those names.
  static func read(_ texts: [(path: String, text: String)]) throws -> [Source] {
    let folder = try TestFolder()
    for (path, text) in texts { try folder.write(path, text) }
    let facts = try toolchain.get().read(texts.map { folder.path + "/" + $0.path })
    return try zip(texts, facts).map { input, facts in
      Source(path: input.path, bytes: Array(input.text.utf8), facts: try facts.get(), barrier: nil)
    }
  }

  /// The failure of a text that cannot be read.
  static func failure(_ text: String) throws -> SourceFacts.Failure? {
    let folder = try TestFolder()
    try folder.write("a.swift", text)
    if case .failure(let failure) = try toolchain.get().read([folder.path + "/a.swift"])[0] { return failure }
    return nil
  }

  static let manifest = """
    // swift-tools-version:6.0
    import PackageDescription
    let package = Package(name: "Sample", targets: [.target(name: "Sample"), .testTarget(name: "SampleTests")])

    """

  /// The plan for a package with one module and one test module.
  static func plan(
    _ files: [String: String] = [:], tests: [String: String] = [:], manifest: String = manifest, platforms: [String] = [],
    barriers: [String: String] = [:], isShown: Bool = false, products: [String] = [], dependencies: [String] = [],
    folders: [String: String] = [:], toolsVersion: [Int] = [6, 0],
    dependency: SignalboxDependency = .folder("../signalbox", real: "/signalbox")
  ) throws -> Plan {
    func texts(_ files: [String: String], _ folder: String) -> [(path: String, text: String)] {
      files.sorted { $0.key < $1.key }.map { (folder + "/" + $0.key, $0.value) }
    }
    let code = texts(files, "Sources/Sample"), test = texts(tests, "Tests/SampleTests")
    var sources = try read([("Package.swift", manifest)] + code + test)
    for index in sources.indices { sources[index].barrier = barriers[sources[index].path] }
    let targets = [
      PackageFacts.Target(
        name: "Sample", language: .swift, purpose: .code, folder: "Sources/Sample", sources: files.keys.sorted(),
        products: products, isShown: isShown),
      PackageFacts.Target(
        name: "SampleTests", language: .swift, purpose: .test, folder: "Tests/SampleTests", sources: tests.keys.sorted(),
        products: [], isShown: false),
    ]
    var package = PackageFacts(
      name: "Sample", targets: targets, dependencies: dependencies, platforms: platforms, toolsVersion: toolsVersion)
    package.folders = folders
    return Planner.plan(
      package,
      sources: ["Sample": Array(sources[1...].prefix(code.count)), "SampleTests": Array(sources.suffix(test.count))],
      manifest: sources[0], dependency: dependency)
  }

  /// A file of the module after the move; the same if the plan leaves it alone.
  static func moved(_ text: String) throws -> String { try plan(["a.swift": text]).text(of: "Sources/Sample/a.swift") ?? text }
  /// The same of a test module.
  static func movedTest(_ text: String) throws -> String {
    try plan(tests: ["a.swift": text]).text(of: "Tests/SampleTests/a.swift") ?? text
  }
}

extension Plan {
  func text(of path: String) -> String? {
    files.first { $0.source.path == path }.map { String(decoding: $0.result, as: UTF8.self) }
  }
  func decisions(_ kind: Decision.Kind) -> [Decision] { decisions.filter { $0.kind == kind } }
}
