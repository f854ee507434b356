// Planner+Names.swift: names with a module in front, overrides that must keep Foundation's types, and uses that a person must decide on.

extension Planner {
  /// `Foundation.Timer` compiles after a move as before it, and means the other library.
  mutating func moveQualified(_ source: Source, _ edits: inout [Edit], _ modules: inout Set<String>) {
    for name in source.facts.qualified where name.isLive && MovedNames.all.contains(name.member) {
      if isKept(name, source) { continue }
      if ownAnywhere.contains(name.base) {
        decide(
          .name, source, name.module.lowerBound, "\(name.base).\(name.member): the package has a type \(name.base) of its own")
        continue
      }
      // Of a file that was moved before, by this command or by hand, the module may be meant.
      if source.hasSignalbox {
        decide(
          .name, source, name.module.lowerBound,
          "\(name.base).\(name.member) is the toolchain's, in a file that has moved: remove the module prefix if you mean Signalbox's"
        )
        continue
      }
      let ours =
        MovedNames.ofDispatch.contains(name.member) && !modules.contains("SignalboxFoundation") && !needsFoundation(source)
        ? "Signalbox" : "SignalboxFoundation"
      edits.append(Edit(range: name.module, new: ours))
      modules.insert(ours)
    }
  }

  /// Whether a name stands in an override with Foundation's type, and is that type.
  private func isKept(_ name: SourceFacts.Qualified, _ source: Source) -> Bool {
    source.facts.overrides.contains { override in
      override.range.contains(name.module.lowerBound) && !isOwn(override)
        && (override.qualified.contains(name.member) || override.types.contains { $0.name == name.member })
    }
  }

  private func isOwn(_ override: SourceFacts.Override) -> Bool {
    if case .package = owner(of: override) { return true }
    return false
  }

  /// Whose declaration is overridden.
  private enum Owner { case foundation, maybeFoundation(String), otherPackage(String), package }

  private func owner(of override: SourceFacts.Override) -> Owner {
    let parents = override.inherits.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
    let owners = Self.foundationMembers[override.name.filter { $0 != " " }] ?? []
    if !owners.filter(parents.contains).isEmpty { return .foundation }
    if let owner = owners.first { return .maybeFoundation(owner) }
    if let parent = parents.first, !MovedNames.all.contains(parent), !ownAnywhere.contains(parent) {
      return .otherPackage(parent)
    }
    return .package
  }

  /// Whether the file has SignalboxFoundation after the move.
  private func needsFoundation(_ source: Source) -> Bool {
    source.bringsXCTest
      || source.liveImports.contains { $0.path == ["Foundation"] || $0.path.first == "SignalboxFoundation" }
  }

  /// What Foundation's classes declare with moved types, and let others override.
  private static let foundationMembers: [String: [String]] = [
    "delegateQueue": ["URLSession"],
    "schedule(in:forMode:)": ["Stream", "InputStream", "OutputStream", "Port", "SocketPort", "MessagePort"],
    "remove(from:forMode:)": ["Stream", "InputStream", "OutputStream", "Port", "SocketPort", "MessagePort"],
    "addObserver(forName:object:queue:using:)": ["NotificationCenter"],
  ]

  /// A property that overrides Foundation's has Foundation's type.
  mutating func keepOverrides(_ source: Source, isMoved: Bool, _ edits: inout [Edit]) {
    guard isMoved else { return }
    for override in source.facts.overrides {
      let types = override.types.filter { MovedNames.types.contains($0.name) && !source.facts.inner.contains($0.name) }
      guard !types.isEmpty else { continue }
      let kept = "\(qualifier(of: types[0].name))\(types[0].name)"
      switch owner(of: override) {
      case .foundation:
        for type in types { edits.append(Edit(range: type.at..<type.at, new: qualifier(of: type.name))) }
      case .maybeFoundation(let owner):
        decide(
          .override, source, override.range.lowerBound,
          "override of \(override.name): if it is \(owner)'s, its type stays \(kept)")
      case .otherPackage(let parent):
        decide(
          .override, source, override.range.lowerBound,
          "override of \(override.name) of \(parent), which is another package's: if that has not moved, write \(kept)")
      case .package: break
      }
    }
  }

  private func qualifier(of name: String) -> String { MovedNames.ofDispatch.contains(name) ? "Dispatch." : "Foundation." }

  /// In a file that is moved: what the compiler will refuse, or others will see.
  mutating func decideOnUses(_ source: Source, _ target: PackageFacts.Target) {
    for place in source.facts.sessions {
      decide(
        .session, source, place,
        "delegateQueue takes Foundation's own OperationQueue: nil, Foundation.OperationQueue or queue.makeFoundationQueue()")
    }
    if target.isShown {
      for place in source.facts.shown where !source.facts.inner.contains(place.name) && MovedNames.types.contains(place.name) {
        decide(
          .shown, source, place.at, "public, with \(place.name): clients that have not moved need a bridge or must move, too")
      }
    }
    for place in source.facts.declared where MovedNames.types.contains(place.name) {
      decide(
        .name, source, place.at, "a type of the package's own named \(place.name): it keeps its meaning in this module alone")
    }
  }

  /// What concerns a target or the package as a whole.
  mutating func decideOnTargets() {
    for target in package.targets {
      let products = target.products.filter { !$0.hasPrefix("Signalbox") }
      let moves = plan.files.contains { $0.source.path.hasPrefix(target.folder + "/") }
      if !products.isEmpty && moves {
        decide(
          .dependency, manifest, place(of: target),
          "\(target.name) uses \(products.joined(separator: ", ")): where their API takes or returns queues, locks, threads or "
            + "operations, a bridge is needed")
      }
      if target.purpose == .tool {
        decide(
          .tool, manifest, place(of: target),
          "\(target.name) is a plugin, a macro or a snippet, which the toolchain runs: left as it is")
      }
    }
    if !package.platforms.isEmpty && !plan.isEmpty {
      decide(
        .platform, manifest, manifest.facts.packages.first?.at ?? 0,
        "the package is for \(package.platforms.joined(separator: ", ")) as well: Signalbox is for Linux. Where one text must serve "
          + "both, put the old import under #else of #if os(Linux)")
    }
  }

  func place(of target: PackageFacts.Target) -> Int { call(of: target)?.at ?? 0 }

  /// The call that makes the target, if there is just one that can be.
  func call(of target: PackageFacts.Target) -> SourceFacts.Call? {
    let calls = manifest.facts.targets.filter { $0["name"]?.text == target.name }
    return calls.count == 1 ? calls[0] : nil
  }
}
