// Planner.swift: from what stands in a package to what a move does to it. Pure: nothing is asked of the machine.

/// The plan's making.
struct Planner {
  let package: PackageFacts
  /// Swift targets' files, by the target's name.
  let sources: [String: [Source]]
  /// The manifest that the toolchain takes.
  let manifest: Source
  /// Signalbox, as the manifest is to name it.
  let dependency: SignalboxDependency

  /// Names of types that the package declares at a top level, for others to see; and anywhere.
  let ownTypes: Set<String>
  let ownAnywhere: Set<String>
  var plan = Plan()

  static func plan(
    _ package: PackageFacts, sources: [String: [Source]], manifest: Source, dependency: SignalboxDependency
  ) -> Plan {
    var planner = Planner(package: package, sources: sources, manifest: manifest, dependency: dependency)
    planner.run()
    return planner.plan
  }

  private init(
    package: PackageFacts, sources: [String: [Source]], manifest: Source, dependency: SignalboxDependency
  ) {
    (self.package, self.sources, self.manifest, self.dependency) = (package, sources, manifest, dependency)
    // A file of aliases of an earlier move says what is Signalbox's, not what is the package's own.
    let all = sources.values.joined().filter { !AliasFile.isOne($0.path) }
    ownTypes = Set(all.flatMap { $0.facts.declared.map(\.name) })
    ownAnywhere = all.reduce(into: []) { $0.formUnion($1.facts.inner) }
  }

  private mutating func run() {
    var wanted: [(target: PackageFacts.Target, products: [String])] = []
    for target in package.targets where target.language == .swift && target.purpose != .tool {
      let files = sources[target.name] ?? []
      var products: Set<String> = []
      for source in files { move(source, in: target, &products) }
      if files.contains(where: \.bringsXCTest), !products.isEmpty { alias(target, files, &products) }
      if !products.isEmpty { wanted.append((target, products.sorted())) }
    }
    decideOnTargets()
    if !wanted.isEmpty { editManifest(wanted) }
    plan.products = wanted.map { ($0.target.name, $0.products) }
    plan.decisions.sort { ($0.path, $0.line, $0.text) < ($1.path, $1.line, $1.text) }
  }

  /// One file: its imports, its qualified names, its overrides; and what remains.
  private mutating func move(_ source: Source, in target: PackageFacts.Target, _ products: inout Set<String>) {
    guard !AliasFile.isOne(source.path) else { return }
    var edits: [Edit] = []
    var modules: Set<String> = []
    moveImports(source, target, &edits, &modules)
    moveQualified(source, &edits, &modules)
    keepOverrides(source, isMoved: !modules.isEmpty || source.hasSignalbox, &edits)
    guard source.hasSignalbox || !modules.isEmpty else { return }
    guard source.barrier == nil || edits.isEmpty else {
      let kind: Decision.Kind = source.barrier == Source.generated ? .generated : .file
      decide(
        kind, source, edits[0].range.lowerBound,
        "not written, since \(source.barrier ?? ""); \(edits.count) place\(edits.count == 1 ? "" : "s") would change")
      return
    }
    products.formUnion(modules)
    decideOnUses(source, target)
    guard !edits.isEmpty else { return }
    edits.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    plan.files.append(FileEdits(source: source, edits: edits))
  }

  /// The file of aliases, where XCTest brings Foundation along.
  private mutating func alias(_ target: PackageFacts.Target, _ files: [Source], _ products: inout Set<String>) {
    let path = target.folder + "/" + AliasFile.name
    guard !files.contains(where: { $0.path == path }) else { return }
    products.insert("SignalboxFoundation")
    plan.new.append(NewFile(path: path, text: AliasFile.text(without: ownTypes)))
  }

  mutating func decide(_ kind: Decision.Kind, _ source: Source, _ place: Int, _ text: String) {
    plan.decisions.append(Decision(kind: kind, path: source.path, line: source.line(of: place), text: text))
  }
}

extension Source {
  static let generated = "it is generated: change what it is generated from"

  var liveImports: [SourceFacts.Import] { facts.imports.filter(\.isLive) }
  var bringsXCTest: Bool { liveImports.contains { $0.path.first == "XCTest" } }
  /// Whether it was moved before.
  var hasSignalbox: Bool { liveImports.contains { ["Signalbox", "SignalboxFoundation"].contains($0.path.first) } }
}
