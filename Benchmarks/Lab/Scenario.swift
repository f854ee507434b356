// Scenario.swift: one claim of an article as something that can be run. Running it is Running/, the scenarios are Scenarios/.

/// The article that a claim comes from, by the title that Differences/articles.json has for it.
public enum Source: String, Sendable, CaseIterable {
  case survey = "Survey of concurrency"
  case collections = "Safe collections"
  case operations = "Questions about operations"
  case practice = "GCD best practice"
  case notes = "Notes on threads"

  /// What is in it.
  public var content: String {
    switch self {
    case .survey: "threads, locks, GCD and operations on iOS, in full, with listings of the library's source"
    case .collections: "arrays and dictionaries that several threads may use, and scenes of deadlocks"
    case .operations: "questions and answers on operations and their queues"
    case .practice: "how a program should use queues, groups and semaphores"
    case .notes: "what each of iOS's ways to threads offers, in short"
    }
  }
}

/// Scenarios that answer one question of a reader.
public struct Subject: Sendable {
  /// The heading.
  public let title: String
  /// The page of the documentation site that tells the whole of it, by its path there.
  public let page: String
  /// In the order of the listing.
  public let scenarios: [Scenario]

  init(_ title: String, page: String, _ scenarios: [Scenario]) {
    (self.title, self.page, self.scenarios) = (title, "documentation/" + page, scenarios)
  }
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
