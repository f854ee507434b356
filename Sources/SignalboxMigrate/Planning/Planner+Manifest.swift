// Planner+Manifest.swift: the dependency on Signalbox, in the lists of the manifest where they are written out, else in lines at its end.

extension Planner {
  mutating func editManifest(_ wanted: [(target: PackageFacts.Target, products: [String])]) {
    var edits: [Edit] = [], left: [(String, [String])] = []
    var hasPackage = [dependency.identity, "signalbox"].contains { package.dependencies.contains($0) } || folderIdentity != nil
    let calls = manifest.facts.packages
    if !hasPackage, calls.count == 1,
      let edit = adding([packageText], as: "dependencies", behind: Self.beforeDependencies, to: calls[0])
    {
      edits.append(edit)
      hasPackage = true
    }
    for (target, products) in wanted {
      let texts = products.filter { !target.products.contains($0) }.map {
        ".product(name: \"\($0)\", package: \"\(packageName)\")"
      }
      guard !texts.isEmpty else { continue }
      if let call = call(of: target), let edit = adding(texts, as: "dependencies", behind: ["name"], to: call) {
        edits.append(edit)
      } else {
        left.append((target.name, texts))
      }
    }
    if !hasPackage || !left.isEmpty {
      guard calls.count == 1, !calls[0].variable.isEmpty else {
        decide(
          .manifest, manifest, 0,
          "the package is not held by one variable: add \(packageText) to its dependencies and "
            + left.map { "\($0.1.joined(separator: ", ")) to \($0.0)" }.joined(separator: ", "))
        return
      }
      edits.append(lines(calls[0].variable, hasPackage, left))
    }
    guard !edits.isEmpty else { return }
    guard manifest.barrier == nil else {
      decide(.manifest, manifest, 0, "not written, since \(manifest.barrier ?? ""): the dependency is to be added")
      return
    }
    plan.files.append(FileEdits(source: manifest, edits: edits.sorted { $0.range.lowerBound < $1.range.lowerBound }))
  }

  private static let beforeDependencies: Set<String> = [
    "name", "defaultLocalization", "platforms", "pkgConfig", "providers", "products", "traits",
  ]

  /// What the package manager calls a dependency on the folder that is there already.
  private var folderIdentity: String? { package.folders.first { $0.value == dependency.folder }?.key }

  /// The name that products are asked of: that of a dependency which is there already, else that of the new one.
  private var packageName: String {
    guard let identity = folderIdentity else {
      return package.dependencies.contains("signalbox") ? "signalbox" : dependency.identity
    }
    let call = manifest.facts.uses.first { use in
      guard let path = use["path"]?.text else { return false }
      return path.split(separator: "/").last.map { $0.lowercased() } == identity
    }
    return call?["name"]?.text ?? (package.toolsVersion.lexicographicallyPrecedes([5, 2]) ? "signalbox" : identity)
  }

  private var packageText: String { dependency.text(for: package.toolsVersion) }

  /// The change that adds elements to an argument that is a list, or adds that argument behind those in front of it.
  private func adding(_ texts: [String], as label: String, behind: Set<String>, to call: SourceFacts.Call) -> Edit? {
    if let argument = call[label] {
      guard let list = argument.list else {
        let value = argument.valueAt..<argument.range.upperBound, text = manifest.text(value)
        return Edit(range: value, new: "\(argument.isSimple ? text : "(\(text))") + [\(texts.joined(separator: ", "))]")
      }
      return adding(texts, to: list)
    }
    guard let before = call.arguments.last(where: { behind.contains($0.label) }) else { return nil }
    let place = before.range.upperBound
    return Edit(range: place..<place, new: ",\(separator(before.range.lowerBound))\(label): [\(texts.joined(separator: ", "))]")
  }

  private func adding(_ texts: [String], to list: SourceFacts.List) -> Edit {
    guard let last = list.last else { return Edit(range: list.inside, new: texts.joined(separator: ", ")) }
    let space = separator(last.lowerBound)
    let end = list.comma ?? last.upperBound
    // A comment behind the last element stays with it.
    let place = space.utf8.contains(UInt8(ascii: "\n")) ? manifest.behindComment(end) : end
    let comment = manifest.text(end..<place)
    guard list.comma == nil else { return Edit(range: place..<place, new: texts.map { space + $0 + "," }.joined()) }
    return Edit(range: end..<place, new: "," + comment + texts.map { space + $0 }.joined(separator: ","))
  }

  /// What stands in front of an element: a line of its own with its indent, or one space.
  private func separator(_ place: Int) -> String {
    let before = manifest.bytes[..<place].reversed().prefix { $0 == 0x20 || $0 == 0x09 }
    let start = place - before.count
    guard start > 0, manifest.bytes[start - 1] == UInt8(ascii: "\n") else { return " " }
    return manifest.lineEnd + String(decoding: before.reversed(), as: UTF8.self)
  }

  /// For a manifest that makes its lists by code: lines at its end, which hold for whatever that code has made.
  private func lines(_ variable: String, _ hasPackage: Bool, _ left: [(String, [String])]) -> Edit {
    var text = manifest.bytes.last == UInt8(ascii: "\n") ? "\n" : "\n\n"
    if !hasPackage { text += "\(variable).dependencies.append(\(packageText))\n" }
    for (target, texts) in left {
      text += """
        for target in \(variable).targets where target.name == "\(target)" {
          target.dependencies += [\(texts.joined(separator: ", "))]
        }

        """
    }
    return Edit(range: manifest.bytes.count..<manifest.bytes.count, new: text.replacing("\n", with: manifest.lineEnd))
  }
}
