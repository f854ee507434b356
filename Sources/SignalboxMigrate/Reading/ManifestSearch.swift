// ManifestSearch.swift: which of a package's manifests the toolchain takes. Pure: the files are asked of a closure.

/// The search for the manifest.
struct ManifestSearch {
  /// The toolchain's version.
  let version: [Int]
  /// A file's contents; nil if it is not there.
  let contents: (String) -> [UInt8]?

  /// A manifest for the very version, else the newest for an older one if it is written for newer tools than Package.swift.
  var name: String {
    let plain = "Package.swift"
    let parts = version + Array(repeating: 0, count: max(0, 3 - version.count))
    for count in [3, 2, 1] {
      let exact = Self.file(parts.prefix(count))
      if contents(exact) != nil { return exact }
    }
    for major in stride(from: parts[0], through: 4, by: -1) {
      for minor in stride(from: major == parts[0] ? parts[1] : 20, through: 0, by: -1) {
        for name in [Self.file([major, minor]), minor == 0 ? Self.file([major]) : ""] where !name.isEmpty {
          guard let found = contents(name) else { continue }
          let isNewer = Self.tools(contents(plain) ?? []).lexicographicallyPrecedes(Self.tools(found))
          return isNewer ? name : plain
        }
      }
    }
    return plain
  }

  private static func file(_ version: some Sequence<Int>) -> String {
    "Package@swift-\(version.map(String.init).joined(separator: ".")).swift"
  }

  /// Of the line `// swift-tools-version:5.3`, always three numbers.
  static func tools(_ manifest: [UInt8]) -> [Int] {
    let line = String(decoding: manifest.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    guard let colon = line.firstIndex(of: ":") else { return [3, 1, 0] }
    let text = line[line.index(after: colon)...].drop { $0 == " " }.prefix { $0.isNumber || $0 == "." }
    let numbers = text.split(separator: ".").compactMap { Int($0) }
    return numbers + Array(repeating: 0, count: max(0, 3 - numbers.count))
  }
}
