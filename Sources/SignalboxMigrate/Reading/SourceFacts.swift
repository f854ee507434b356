// SourceFacts.swift: what the reader found in one file, in places counted in bytes.
import SignalboxCommandLine

/// What stands in a source file.
struct SourceFacts: Sendable {
  /// A name and where it begins.
  struct Place: Sendable, Equatable {
    var name: String
    var at: Int
  }

  /// An import.
  struct Import: Sendable {
    /// From its attributes to its end.
    var range: Range<Int>
    /// Module, and what of it.
    var path: [String]
    /// Where the module's name stands.
    var module: Range<Int>
    /// Attributes and access in front of it.
    var before: String
    /// `class`, `func`; empty for a whole module.
    var kind: String
    /// Where the path begins, and where the kind does.
    var pathAt: Int
    var kindAt: Int
    /// Which branch of `#if` it stands in; -1 for none.
    var clause: Int
    /// False in a branch that Linux never compiles.
    var isLive: Bool
  }

  /// `Foundation.Timer`: a name with its module.
  struct Qualified: Sendable {
    var module: Range<Int>
    var base: String
    var member: String
    var isLive: Bool
  }

  /// An overriding declaration with moved types in it.
  struct Override: Sendable {
    var name: String
    var range: Range<Int>
    var inherits: [String]
    var types: [Place]
    /// Types that have the toolchain's module in front.
    var qualified: Set<String>
  }

  /// An argument of a call in a manifest.
  struct Argument: Sendable {
    var label: String
    var range: Range<Int>
    /// Where its value begins, and whether an operator may follow that without parentheses.
    var valueAt: Int
    var isSimple: Bool
    /// The text of a plain string.
    var text: String
    /// Of a list in brackets.
    var list: List?
  }

  /// A list in brackets.
  struct List: Sendable {
    /// What stands between the brackets.
    var inside: Range<Int>
    /// The last element, and the end of a comma behind it.
    var last: Range<Int>?
    var comma: Int?
  }

  /// `Package(…)` or `.target(…)`.
  struct Call: Sendable {
    /// The variable that holds the result; empty if none does.
    var variable: String
    var at: Int
    var arguments: [Argument]
    subscript(label: String) -> Argument? { arguments.first { $0.label == label } }
  }

  var imports: [Import] = []
  var qualified: [Qualified] = []
  var overrides: [Override] = []
  /// What the file declares at its top level, for other files to see; `hidden` for itself alone.
  var declared: [Place] = []
  var hidden: [Place] = []
  /// What it declares anywhere, generic parameters included.
  var inner: Set<String> = []
  /// Each moved name at its first plain use.
  var mentions: [Place] = []
  /// Moved and telling names behind a dot, and labels.
  var members: Set<String> = []
  /// Public declarations with a moved type.
  var shown: [Place] = []
  /// Arguments `delegateQueue:` that are not nil.
  var sessions: [Int] = []
  var packages: [Call] = []
  var targets: [Call] = []
  /// `.package(…)`.
  var uses: [Call] = []
  /// Where the comments at the file's head end; one that belongs to the first declaration is behind that place.
  var header = 0
  /// Where the first declaration or statement begins.
  var start = 0
  /// Of the bytes that were read.
  var fingerprint = ""

  /// Why a file cannot be read, and where.
  struct Failure: Error, Sendable {
    var why: String
    var at: Int
  }

  /// The value of one line of the reader's.
  static func read(_ json: JSON) -> Result<SourceFacts, Failure> {
    if let why = json["failed"].string { return .failure(Failure(why: why, at: json["failedAt"].integer ?? 0)) }
    return .success(SourceFacts(json))
  }

  private init(_ json: JSON) {
    imports = json["imports"].values.filter { $0["depth"].integer == 0 }.compactMap(Import.init)
    qualified = json["qualified"].values.compactMap { value in
      guard let base = value["base"].string, let member = value["member"].string, let range = value.range else { return nil }
      return Qualified(module: range, base: base, member: member, isLive: value["live"].boolean ?? true)
    }
    overrides = json["overrides"].values.compactMap { value in
      guard let place = value.place, let range = value.range else { return nil }
      return Override(
        name: place.name, range: range, inherits: value["inherits"].values.compactMap(\.string),
        types: value["types"].values.compactMap(\.place), qualified: Set(value["qualified"].values.compactMap(\.string)))
    }
    hidden = json["declared"].values.filter { $0["hidden"].boolean == true }.compactMap(\.place)
    declared = json["declared"].values.filter { $0["hidden"].boolean != true }.compactMap(\.place)
    inner = Set(json["inner"].values.compactMap(\.string))
    mentions = json["mentions"].values.compactMap(\.place)
    members = Set(json["members"].values.compactMap(\.string))
    shown = json["shown"].values.compactMap(\.place)
    sessions = json["sessions"].values.compactMap(\.integer)
    packages = json["packages"].values.compactMap(Call.init)
    targets = json["targets"].values.compactMap(Call.init)
    uses = json["uses"].values.compactMap(Call.init)
    fingerprint = json["print"].string ?? ""
    header = json["header"].integer ?? 0
    start = json["start"].integer ?? header
  }

  init() {}
}

extension JSON {
  fileprivate var range: Range<Int>? {
    guard let at = self["at"].integer, let end = self["end"].integer, at <= end else { return nil }
    return at..<end
  }
  fileprivate var place: SourceFacts.Place? {
    guard let name = self["name"].string, let at = self["at"].integer else { return nil }
    return SourceFacts.Place(name: name, at: at)
  }
}

extension SourceFacts.Import {
  fileprivate init?(_ json: JSON) {
    let parts = json["path"].values
    guard let range = json.range, let module = parts.first?.range, let pathAt = json["pathAt"].integer else { return nil }
    self.init(
      range: range, path: parts.compactMap { $0["name"].string }, module: module, before: json["before"].string ?? "",
      kind: json["kind"].string ?? "", pathAt: pathAt, kindAt: json["kindAt"].integer ?? -1,
      clause: json["clause"].integer ?? -1, isLive: json["live"].boolean ?? true)
  }
}

extension SourceFacts.Call {
  fileprivate init?(_ json: JSON) {
    guard let at = json["at"].integer else { return nil }
    self.init(
      variable: json["variable"].string ?? "", at: at,
      arguments: json["arguments"].values.compactMap { value in
        guard let range = value.range else { return nil }
        return SourceFacts.Argument(
          label: value["label"].string ?? "", range: range, valueAt: value["valueAt"].integer ?? range.lowerBound,
          isSimple: value["simple"].boolean ?? false, text: value["text"].string ?? "", list: SourceFacts.List(value))
      })
  }
}

extension SourceFacts.List {
  fileprivate init?(_ json: JSON) {
    guard let open = json["open"].integer, let close = json["close"].integer, open <= close else { return nil }
    inside = open..<close
    if let at = json["lastAt"].integer, let end = json["lastEnd"].integer, at >= 0 { last = at..<end }
    if let end = json["comma"].integer, end >= 0 { comma = end }
  }
}
