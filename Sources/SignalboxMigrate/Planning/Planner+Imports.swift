// Planner+Imports.swift: what becomes of imports, and which files get one.

extension Planner {
  private static let theirs = ["Foundation": "SignalboxFoundation", "Dispatch": "Signalbox"]

  mutating func moveImports(
    _ source: Source, _ target: PackageFacts.Target, _ edits: inout [Edit], _ modules: inout Set<String>
  ) {
    let imports = source.liveImports
    for item in imports {
      guard let module = item.path.first else { continue }
      if ["CDispatch", "DispatchIntrospection"].contains(module) {
        decide(.module, source, item.range.lowerBound, "\(module) stays the toolchain's: Signalbox has no module in its place")
      }
      guard let ours = Self.theirs[module] else { continue }
      if item.path.count > 1 {
        moveScoped(item, ours, source, &edits, &modules)
      } else {
        moveWhole(item, ours, source, &edits, &modules)
      }
    }
    guard !source.hasSignalbox, modules.isEmpty, let ours = neededModule(source) else { return }
    addImport(of: ours, to: source, &edits)
    modules.insert(ours)
  }

  private mutating func moveWhole(
    _ item: SourceFacts.Import, _ ours: String, _ source: Source, _ edits: inout [Edit], _ modules: inout Set<String>
  ) {
    // Beside an import of Signalbox's it does no harm.
    let sameBranch = source.liveImports.filter { $0.clause == item.clause && $0.path.count == 1 }
    if sameBranch.contains(where: { $0.path == ["SignalboxFoundation"] || $0.path == [ours] }) { return }
    // What is Foundation's by this attribute does not come by way of another module: its import stays, and Signalbox's
    // comes in front.
    if item.before.contains("@_spi") {
      edits.append(Edit(range: item.range.lowerBound..<item.range.lowerBound, new: "import \(ours)\(source.lineEnd)"))
      modules.insert(ours)
      return
    }
    // SignalboxFoundation brings what Signalbox has.
    let isTwice = ours == "Signalbox" && sameBranch.contains { $0.path == ["Foundation"] && $0.before == item.before }
    let isRepeated = sameBranch.contains {
      $0.path == item.path && $0.before == item.before && $0.range.lowerBound < item.range.lowerBound
    }
    if isTwice || isRepeated, let line = source.wholeLine(of: item.range) {
      edits.append(Edit(range: line, new: ""))
    } else {
      edits.append(Edit(range: item.module, new: ours))
      modules.insert(ours)
    }
  }

  private mutating func moveScoped(
    _ item: SourceFacts.Import, _ ours: String, _ source: Source, _ edits: inout [Edit], _ modules: inout Set<String>
  ) {
    let name = item.path[1]
    guard item.path.count == 2, !item.kind.isEmpty else {
      decide(.module, source, item.range.lowerBound, "a submodule stays the toolchain's: \(item.path.joined(separator: "."))")
      return
    }
    guard MovedNames.all.contains(name) else {
      if item.path[0] == "Dispatch" {
        decide(.name, source, item.range.lowerBound, "Dispatch.\(name) stays the toolchain's: see what it is used with")
      }
      return
    }
    edits.append(Edit(range: item.module, new: ours))
    modules.insert(ours)
  }

  /// The module that a file without an import of Foundation or Dispatch needs: it has their names by way of another.
  private func neededModule(_ source: Source) -> String? {
    let qualified = source.facts.qualified.filter { $0.isLive && !ownAnywhere.contains($0.base) }.map(\.member)
      .filter(MovedNames.all.contains)
    let names = source.facts.mentions.map(\.name).filter { MovedNames.all.contains($0) }
    if source.bringsXCTest {
      let own = ownTypes.union(source.facts.inner)
      let isUsed =
        !qualified.isEmpty || names.contains { !own.contains($0) } || !source.facts.members.isDisjoint(with: MovedNames.telling)
      return isUsed ? "SignalboxFoundation" : nil
    }
    // A name that the package declares somewhere may be meant.
    let foreign = names.filter { !ownAnywhere.contains($0) } + qualified
    guard !foreign.isEmpty else { return nil }
    return foreign.allSatisfy(MovedNames.ofDispatch.contains) ? "Signalbox" : "SignalboxFoundation"
  }

  /// A line of its own behind the last import that stands in no branch, else in front of the first thing in the file.
  private func addImport(of module: String, to source: Source, _ edits: inout [Edit]) {
    if let last = source.facts.imports.last(where: { $0.clause == -1 }) {
      let place = source.behindComment(last.range.upperBound)
      edits.append(Edit(range: place..<place, new: "\(source.lineEnd)import \(module)"))
    } else {
      let place = source.facts.header
      edits.append(Edit(range: place..<place, new: "import \(module)\(source.lineEnd)\(source.lineEnd)"))
    }
  }
}

extension Source {
  /// The lines that hold a range and nothing else but space; nil if there is more on them.
  func wholeLine(of range: Range<Int>) -> Range<Int>? {
    let newline = UInt8(ascii: "\n")
    let start = bytes[..<range.lowerBound].lastIndex(of: newline).map { $0 + 1 } ?? 0
    let end = bytes[range.upperBound...].firstIndex(of: newline).map { $0 + 1 } ?? bytes.count
    let around = bytes[start..<range.lowerBound] + bytes[range.upperBound..<end]
    return around.allSatisfy { [0x20, 0x09, 0x0d, newline].contains($0) } ? start..<end : nil
  }
}
