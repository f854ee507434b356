// LockPanels.swift: what the chart of locks shows: a panel for each load, in it a group for each lock. Drawing is LockChart.swift.

/// One load: this many threads, a section of such a length.
struct LockPanel {
  private let contest: LockContest
  private(set) var rows: [RowResult]

  /// The panels of some rows, in the order in which their loads come first.
  static func panels(of rows: [RowResult]) -> [LockPanel] {
    var panels: [LockPanel] = []
    for row in rows {
      guard let contest = row.contest else { continue }
      if let index = panels.firstIndex(where: { $0.hasLoad(of: contest) }) {
        panels[index].rows.append(row)
      } else {
        panels.append(LockPanel(contest: contest, rows: [row]))
      }
    }
    return panels
  }

  private func hasLoad(of other: LockContest) -> Bool {
    other.threads == contest.threads && other.section == contest.section
  }

  /// The load, in words.
  var title: String {
    let load = contest.threads == 1 ? "uncontended" : "\(contest.threads) threads at once"
    return load + (contest.section == .long ? ", held for about 1.5 us" : ", short section")
  }

  /// What the bare work takes.
  var floor: Double { median(of: rows.map(\.floor.nanoseconds)) }

  /// The locks that belong to neither library, then the rows' locks, the quickest first.
  var groups: [LockGroup] {
    let peers = rows.first { !$0.peers.isEmpty }?.peers ?? []
    return peers.map(LockGroup.init) + rows.sorted { Self.rank($0) < Self.rank($1) }.map(LockGroup.init)
  }
}

extension LockPanel {
  /// What was not measured comes last.
  private static func rank(_ row: RowResult) -> Double {
    row.signalbox.isMeasured ? row.signalbox.nanoseconds : .infinity
  }
}

/// One lock, and what stands beside it.
struct LockGroup {
  /// Whose lock a bar is.
  enum Side: String {
    case ours, theirs, peer
  }

  struct Bar {
    let side: Side
    /// What the reader learns beside the time.
    let note: String
    let lane: LaneResult
  }

  let label: String
  let bars: [Bar]

  init(_ row: RowResult) {
    let opponent = row.contest?.opponent ?? ""
    label = row.contest?.lock ?? row.name
    bars = [
      Bar(side: .ours, note: row.verdict == .missed ? "(bar missed)" : "", lane: row.signalbox),
      Bar(side: .theirs, note: opponent, lane: row.toolchain),
    ]
  }

  init(_ peer: PeerResult) {
    label = peer.name
    bars = [Bar(side: .peer, note: "", lane: peer.lane)]
  }
}
