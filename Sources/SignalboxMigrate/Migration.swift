// Migration.swift: `signalbox migrate`: reads a package, plans, and says or does it.
import SignalboxCommandLine
import SignalboxLaunch
import SignalboxSystem

/// The move of one package.
public struct Migration {
  private let options: MigrateOptions
  private let root: String

  /// A move as the options say.
  public init(_ options: MigrateOptions) throws(MigrateRefusal) {
    self.options = options
    guard let root = (try? Files.realPath(RawString(options.path)))?.text,
      (try? FileStatus(of: RawString(root)))?.kind == .folder
    else { throw MigrateRefusal(.dataError, "there is no folder \(options.path)") }
    guard Self.status(root + "/Package.swift") != nil else {
      throw MigrateRefusal(.dataError, "\(options.path) holds no package: there is no Package.swift in it")
    }
    self.root = root
  }

  private static func status(_ path: String) -> FileStatus? { try? FileStatus(of: RawString(path), links: .notFollowed) }

  /// Does what the options say, and returns the text for standard output. `isColoured` asks for colours.
  public func run(isColoured: Bool = false) throws(MigrateRefusal) -> String {
    if options.action == .undo {
      let paths = try Writer(root: root).undo()
      return "\(paths.count) file\(paths.count == 1 ? " is" : "s are") as before the move\n"
    }
    let dependency = try dependency()
    let toolchain = try Toolchain()
    let plan = try plan(toolchain, dependency)
    if options.action == .write && !plan.isEmpty {
      try Writer(root: root).write(plan) { () throws(MigrateRefusal) in try check(plan, toolchain) }
    }
    let report = MigrateReport(plan: plan, root: root, isWritten: options.action == .write)
    return options.isJSON ? report.json.text + "\n" : report.text(isColoured: isColoured)
  }

  /// Signalbox as the manifest is to name it.
  private func dependency() throws(MigrateRefusal) -> SignalboxDependency {
    if let address = options.dependency, SignalboxDependency.isAddress(address) {
      return .address(address, options.requirement ?? .from(Version.number))
    }
    guard let folder = options.dependency ?? Checkout.folder.map({ SignalboxDependency.path(to: $0, from: root) }) else {
      throw MigrateRefusal(
        .usage, "this command lies in no checkout: name Signalbox's folder or address with --dependency FOLDER or URL")
    }
    let place = folder.hasPrefix("/") ? folder : root + "/" + folder
    guard Self.status(place + "/Package.swift") != nil else {
      throw MigrateRefusal(.usage, "--dependency \(folder): there is no Package.swift in \(place)")
    }
    guard let real = (try? Files.realPath(RawString(place)))?.text, real != root else {
      throw MigrateRefusal(.usage, "\(options.path) is Signalbox itself")
    }
    return .folder(folder, real: real)
  }

  /// The whole plan.
  func plan(_ toolchain: Toolchain, _ dependency: SignalboxDependency) throws(MigrateRefusal) -> Plan {
    var package = try toolchain.describe(root)
    package.folders = package.folders.mapValues { (try? Files.realPath(RawString($0)))?.text ?? $0 }
    let targets = package.targets.filter { $0.language == .swift && $0.purpose != .tool }
    let files = targets.flatMap { target in target.sources.map { (target: target.name, path: target.folder + "/" + $0) } }
    let manifest = ManifestSearch(version: toolchain.version) { name in
      Self.status(root + "/" + name).flatMap { _ in try? Files.contents(RawString(root + "/" + name)) }
    }.name
    let answers = try toolchain.read(([manifest] + files.map(\.path)).map { root + "/" + $0 })
    var failures: [Decision] = []
    func source(_ path: String, _ answer: Result<SourceFacts, SourceFacts.Failure>) -> Source? {
      let bytes = (try? Files.contents(RawString(root + "/" + path))) ?? []
      switch answer {
      case .success(let facts) where facts.fingerprint != Patch.fingerprint(bytes):
        failures.append(
          Decision(kind: .file, path: path, line: 0, text: "not moved, since it was changed meanwhile: run it again"))
        return nil
      case .success(let facts):
        let source = Source(path: path, bytes: bytes, facts: facts, barrier: nil)
        return Source(path: path, bytes: bytes, facts: facts, barrier: barrier(source))
      case .failure(let failure):
        let line = Source(path: path, bytes: bytes, facts: SourceFacts(), barrier: nil).line(of: failure.at)
        failures.append(Decision(kind: .syntax, path: path, line: line, text: "not read, since \(failure.why)"))
        return nil
      }
    }
    guard let head = source(manifest, answers[0]) else {
      throw MigrateRefusal(.dataError, "\(manifest) cannot be read by SwiftSyntax")
    }
    var sources: [String: [Source]] = [:]
    for (file, answer) in zip(files, answers.dropFirst()) {
      if let source = source(file.path, answer) { sources[file.target, default: []].append(source) }
    }
    var plan = Planner.plan(package, sources: sources, manifest: head, dependency: dependency)
    plan.decisions = failures + plan.decisions + includes(package)
    return plan
  }

  /// Why a file is not to be written.
  private func barrier(_ source: Source) -> String? {
    guard !source.path.utf8.contains(UInt8(ascii: "\n")) else { return "its path holds the end of a line" }
    guard Writer.isInside(source.path) else { return "it lies outside of the package's folder" }
    if let link = Writer(root: root).link(on: source.path) {
      return "\(link == source.path ? "it" : "a folder above it") is a symbolic link"
    }
    // A file is replaced, which its folder's permissions allow: but its own say that it shall not change.
    if let status = Self.status(root + "/" + source.path), status.permissions & 0o222 == 0 { return "it is read-only" }
    return GeneratedFiles.isGenerated(source) { Self.status(root + "/" + $0) != nil } ? Source.generated : nil
  }

  /// C stays with the toolchain's library.
  private func includes(_ package: PackageFacts) -> [Decision] {
    package.targets.filter { $0.language == .c }.flatMap { target in
      target.sources.compactMap { name -> Decision? in
        let path = target.folder + "/" + name
        guard let bytes = try? Files.contents(RawString(root + "/" + path)) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard let line = lines.firstIndex(where: { $0.hasPrefix("#") && $0.contains("<dispatch/") }) else { return nil }
        return Decision(
          kind: .c, path: path, line: line + 1,
          text: "C keeps the toolchain's libdispatch: its queues are others than Signalbox's; `signalbox run` moves them too")
      }
    }
  }

  /// Whether the toolchain sees what was written: a manifest that loads, with the products and the new files in it.
  private func check(_ plan: Plan, _ toolchain: Toolchain) throws(MigrateRefusal) {
    let package: PackageFacts
    do throws(MigrateRefusal) {
      package = try toolchain.describe(root)
    } catch {
      throw MigrateRefusal(.dataError, "nothing is changed, since the manifest would not load: \(error.message)")
    }
    for (name, products) in plan.products {
      let target = package.targets.first { $0.name == name }
      let missing = products.filter { target?.products.contains($0) != true }
      guard missing.isEmpty || plan.decisions.contains(where: { $0.kind == .manifest }) else {
        throw MigrateRefusal(
          .dataError, "nothing is changed, since the manifest would not give \(missing.joined(separator: ", ")) to \(name)")
      }
    }
    for file in plan.new {
      let isSeen = package.targets.contains { target in target.sources.contains { target.folder + "/" + $0 == file.path } }
      guard isSeen else {
        throw MigrateRefusal(
          .dataError, "nothing is changed, since the manifest's list of sources leaves \(file.path) out: let it take the folder"
        )
      }
    }
  }
}
