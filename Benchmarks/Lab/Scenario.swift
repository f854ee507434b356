// Scenario.swift: one claim of an article as something that can be run. Running it is Running/, the scenarios are Scenarios/.

/// Where a claim comes from.
public enum Source: String, Sendable, CaseIterable {
  /// The survey of concurrent programming on iOS.
  case s0 = "S0"
  /// The article on safe collections and deadlocks.
  case s1 = "S1"
  /// The questions and answers about operations.
  case s2 = "S2"
  /// The guide to GCD best practice.
  case s3 = "S3"
  /// The notes on iOS threads.
  case s4 = "S4"
}

/// How the documents let a scenario end.
public enum WantedEnd: Sendable, Equatable {
  /// The body returns, and all that it checks holds.
  case returns
  /// As `returns`, and the library has said on standard error what has these parts.
  case reports([String])
  /// The program is stopped with a message that has these parts.
  case stops([String])
  /// The documents say it deadlocks, and nothing says that Signalbox must report it: it hangs, or is stopped with a message.
  case deadlocks
}

/// A claim, what the documents say to it, and code that shows what happens.
public struct Scenario: Sendable {
  /// Unique, in kebab-case; never changes.
  public let name: String
  /// What is shown, in one line.
  public let title: String
  /// The article.
  public let source: Source
  /// The row of the feature list.
  public let row: String
  /// What the article says, in our words.
  public let article: String
  /// What the headers and Apple's documents say, in our words.
  public let documents: String
  /// Where the article departs from the documents; nil if it does not.
  public let errs: String?
  /// How times of the article became shorter here; nil if it names none.
  public let scale: String?
  /// How it must end.
  public let wantedEnd: WantedEnd
  /// Variables of the environment it runs with.
  public let environment: [String: String]
  /// How long nothing may happen before it counts as hanging, in milliseconds. Only where a hang is possible.
  public let stillnessMilliseconds: Int
  /// How long stillness must last to be a hang. Where a message is due it would be a failure, so more patience costs nothing.
  var hangMilliseconds: Int { wantedEnd == .deadlocks ? stillnessMilliseconds : 5_000 }

  /// Whether it may end in a hang, so that its threads are scanned.
  var mayHang: Bool {
    switch wantedEnd {
    case .returns, .reports: false
    case .stops, .deadlocks: true
    }
  }

  /// Runs on the main thread of a process of its own; returns what was measured.
  public let body: @Sendable (Recorder) -> String

  /// Describes a scenario.
  public init(
    _ name: String, _ title: String, _ source: Source, _ row: String, article: String, documents: String,
    errs: String? = nil, scale: String? = nil, expect wantedEnd: WantedEnd = .returns,
    environment: [String: String] = [:], stillnessMilliseconds: Int = 300, body: @escaping @Sendable (Recorder) -> String
  ) {
    self.name = name
    self.title = title
    self.source = source
    self.row = row
    self.article = article
    self.documents = documents
    self.errs = errs
    self.scale = scale
    self.wantedEnd = wantedEnd
    self.environment = environment
    self.stillnessMilliseconds = stillnessMilliseconds
    self.body = body
  }
}
