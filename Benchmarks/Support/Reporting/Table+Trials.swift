// Table+Trials.swift: the lines of trials of how evenly locks serve: a line for each lock that took part.

extension Table {
  /// The head of the trials and of their columns.
  public var trialHeads: String {
    let cells = [
      extended("locks, evenness", to: Self.nameWidth), padded("fewest/most", to: 12), padded("longest wait", to: 14),
      extended(" 90 % interval", to: 18), padded("worst", to: 9), padded("times got", to: 11), " bar",
    ]
    return ink.bold(cells.joined(separator: " "))
  }

  /// One trial.
  public func lines(_ trial: LockTrialResult) -> [String] {
    trial.entrants.enumerated().map { index, entrant in
      let wait = entrant.longestWait
      let cells = [
        "  " + extended(index == 0 ? trial.name : "  \(entrant.name)", to: Self.nameWidth - 2),
        padded(fixedText(entrant.evenness, digits: 2), to: 12), padded(milliseconds(wait.median), to: 14),
        extended(" [\(fixedText(wait.low, digits: 1)), \(fixedText(wait.high, digits: 1))]", to: 18),
        padded(milliseconds(entrant.worstWait), to: 9), padded(fixedText(entrant.total, digits: 0), to: 11),
        index == 0 ? " " + ink.paint("\(trial.verdict.rawValue) (\(trial.barText))", trial.verdict) : "",
      ]
      return cells.joined(separator: " ")
    }
  }

  private func milliseconds(_ value: Double) -> String { "\(fixedText(value, digits: 1)) ms" }
}

extension LockTrialResult {
  /// A few characters for a table.
  public var barText: String { LockTrial.barText(limit) }
}
