// CheckedReport.swift: a report as its page may rely on it: each member has the form that report.js reads it in, and
// what has another form is left out. How a report comes to be is SignalboxDiagnosis's; where reports are read is
// ReportPage.swift.
import SignalboxCommandLine

/// What a member of a report is made of.
private indirect enum ReportShape: Sendable {
  case text, number
  /// A thread's number.
  case thread
  case list(ReportShape)
  /// Lists of texts, each with a title.
  case titled
  case members([Member])

  /// A member; `absent` stands in its place where it is not there.
  struct Member: Sendable {
    let name: String
    let shape: ReportShape
    var absent: JSON?
  }
}

extension ReportShape.Member {
  /// Members that may be missing: the page has nothing in their place, and no lines in that of a list.
  fileprivate static func optional(_ shape: ReportShape, _ names: String...) -> [Self] {
    names.map { name in
      switch shape {
      case .list: Self(name: name, shape: shape, absent: .array([]))
      case .titled: Self(name: name, shape: shape, absent: .object([]))
      default: Self(name: name, shape: shape)
      }
    }
  }
  /// Members that the page always shows.
  fileprivate static func needed(_ shape: ReportShape, _ names: String..., absent: JSON = .string("?")) -> [Self] {
    names.map { Self(name: $0, shape: shape, absent: absent) }
  }
}

extension ReportShape {
  private static let texts = list(.text)
  private static let object = members(Member.needed(.text, "kind", "name", "address") + Member.optional(.text, "description"))
  private static let unknown: JSON = .object(["kind", "name", "address"].map { ($0, .string("?")) })
  private static let item = members(Member.needed(.text, "kind") + Member.optional(.text, "function"))

  /// Members of a thread that waits, and of one that did something else.
  private static let activity: [Member] =
    Member.needed(.thread, "thread") + Member.needed(.text, "name", absent: .string("thread"))
    + Member.optional(.text, "detail") + Member.optional(.number, "seconds")
    + Member.optional(object, "holds") + Member.optional(.thread, "waitsFor") + Member.optional(item, "item")
    + Member.optional(texts, "inside", "stack", "acquired") + Member.optional(.titled, "notes")

  private static let participant = members(activity + Member.needed(object, "wants", absent: unknown))
  private static let entry = members(
    Member.needed(.number, "count", absent: .number(1)) + Member.optional(texts, "stack"))
  private static let lack = members(
    Member.needed(object, "object", absent: unknown) + Member.needed(.text, "lacks")
      + Member.optional(list(entry), "entered") + Member.optional(texts, "stopped") + Member.optional(list(item), "items"))
  private static let step = members(
    Member.needed(.text, "held", "wanted") + Member.optional(.text, "name") + Member.optional(.thread, "thread")
      + Member.optional(texts, "heldAt", "wantedAt"))

  /// Of all kinds together: which has what is report.js's.
  static let report = members(
    activity + Member.needed(.text, "kind") + Member.optional(.text, "certainty", "cause", "summary", "message", "hint")
      + Member.optional(.number, "limit", "omitted") + Member.optional(object, "object", "wants")
      + Member.optional(list(participant), "participants") + Member.optional(list(object), "ring")
      + Member.optional(list(lack), "objects") + Member.optional(list(step), "steps") + Member.optional(texts, "mayStillEnd"))
}

/// One report.
struct CheckedReport {
  /// The members that the page reads, each of its form.
  let json: JSON
  /// Whether nothing had to be left out.
  let isWhole: Bool

  private static let kinds = ["deadlock", "stall", "misuse", "lockOrder", "longItem"]

  /// nil: it is no report.
  init?(_ json: JSON) {
    guard Self.kinds.contains(json["kind"].string ?? "") else { return nil }
    var check = Check()
    self.json = check.checked(json, .report) ?? .null
    isWhole = check.isWhole
  }

  private struct Check {
    var isWhole = true

    /// The value with what is of its form; nil if nothing is.
    mutating func checked(_ json: JSON, _ shape: ReportShape) -> JSON? {
      switch (shape, json) {
      case (.text, .string), (.thread, .string): return json
      case (.number, .number(let number)), (.thread, .number(let number)): if number.isFinite { return json }
      case (.list(let shape), .array(let values)): return .array(values.compactMap { checked($0, shape) })
      case (.titled, .object(let members)):
        return .object(members.compactMap { member in checked(member.value, .list(.text)).map { (member.name, $0) } })
      case (.members(let members), .object): return .object(members.compactMap { checked(json, $0) })
      default: break
      }
      isWhole = false
      return nil
    }

    private mutating func checked(_ json: JSON, _ member: ReportShape.Member) -> (name: String, value: JSON)? {
      let found = json[member.name]
      // What is not known is null, or not there.
      let value = if case .null = found { member.absent } else { checked(found, member.shape) ?? member.absent }
      return value.map { (member.name, $0) }
    }
  }
}
