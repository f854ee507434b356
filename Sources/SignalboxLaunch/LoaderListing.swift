// LoaderListing.swift: the answer of the dynamic loader to `--list PROGRAM`: everything that it would load, also for
// what the program needs only through others. Pure; the code that asks is LoaderQuestion.swift.
import SignalboxSystem

/// The libraries that the loader says it will load.
public struct LoaderListing: Sendable, Equatable {
  /// One line of the answer.
  public struct Entry: Sendable, Equatable {
    /// The name that the program or a library needs.
    public var name: String
    /// The file that it means; nil if the loader does not find one.
    public var path: RawString?
  }

  /// The libraries, in the loader's order.
  public private(set) var entries: [Entry] = []

  /// Reads the answer; nil if it holds no library at all, as for a program that is not the loader's.
  ///
  /// The lines are `name => /path (0x…)`, `name => not found`, and `/path (0x…)` for what is named by its path.
  public init?(_ answer: [UInt8]) {
    for line in answer.split(separator: UInt8(ascii: "\n")) {
      if let entry = Self.entry(line) { entries.append(entry) }
    }
    if entries.isEmpty { return nil }
  }

  private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
    // Complaints of the loader begin at the margin.
    guard line.first == UInt8(ascii: "\t") else { return nil }
    let text = line.dropFirst()
    guard let arrow = text.firstRange(of: Array(" => ".utf8)) else {
      let path = withoutAddress(text)
      guard path.first == slash, path.count < text.count else { return nil }
      return Entry(name: fileName(path), path: RawString(path))
    }
    let name = String(decoding: text[..<arrow.lowerBound], as: UTF8.self)
    let found = text[arrow.upperBound...]
    guard found.first == slash else { return Entry(name: name, path: nil) }
    return Entry(name: name, path: RawString(withoutAddress(found)))
  }

  private static func withoutAddress(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let start = text.ranges(of: Array(" (0x".utf8)).last?.lowerBound else { return text }
    return text[..<start]
  }

  private static func fileName(_ path: ArraySlice<UInt8>) -> String {
    String(decoding: path[((path.lastIndex(of: slash) ?? path.startIndex - 1) + 1)...], as: UTF8.self)
  }

  /// The entry of that name.
  public subscript(name: String) -> Entry? { entries.first { $0.name == name } }
}

/// What the loader answers.
public enum LoaderAnswer: Sendable, Equatable {
  /// What it would load.
  case listing(LoaderListing)
  /// It would not start the program; its own words, such as `libx.so: cannot open shared object file: …`.
  case refusal(String)
  /// Nothing that can be understood, or nothing in time.
  case none

  /// Reads what the loader printed.
  public init(_ printed: [UInt8]) {
    // With --list a missing library ends the listing before it begins, with an error.
    if let found = printed.firstRange(of: Array("error while loading shared libraries: ".utf8)) {
      self = .refusal(RawString(printed[found.upperBound...].prefix { $0 != UInt8(ascii: "\n") }).description)
    } else {
      self = LoaderListing(printed).map { .listing($0) } ?? .none
    }
  }
}
