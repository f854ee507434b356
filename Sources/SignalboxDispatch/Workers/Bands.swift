// Bands.swift: which classes share threads, and how the kernel serves those. The threads themselves are Pool.swift.
//
// Without a right for it a thread that was given more niceness never gets it back: so a thread stays in its band, and
// work moves.
import SignalboxSystem
import SignalboxWords

enum Band: Int, CaseIterable {
  /// The three more urgent classes. Which of their items is next is the pool's choice.
  case normal
  case utility
  case background

  /// Whether there is more than the normal one. A bound on all threads and threads for some classes alone do not go
  /// together: where the environment sets the bound, the normal band serves every class.
  static let areSeveral = PoolEnvironment.bound == nil
  /// Those that there are.
  static var used: [Band] { areSeveral ? allCases : [.normal] }

  /// Those that it serves.
  var classes: ServiceClasses {
    switch self {
    case .normal: ServiceClasses(.interactive, through: Self.areSeveral ? .standard : .background)
    case .utility: ServiceClasses(.utility, through: .utility)
    case .background: ServiceClasses(.background, through: .background)
    }
  }

  /// The classes in a word.
  var name: String { PoolBand.names[rawValue] }

  /// How its threads stand among others; nil: as the process's do. Of a processor that it shares with a thread of the
  /// normal band, a thread gets a third at niceness 3, a quarter at 5, a tenth at 10. Where niceness is never given
  /// back the threads have less of it, because little helps whoever waits for their items. Their turns are the shortest
  /// that the kernel has, so that they come more often: beside two computing threads on two processors (Linux 6.18, 250
  /// Hz) two background threads at niceness 10 waited 2 ms (median) for their next turn; with the kernel's turn length
  /// 12.
  var rank: ThreadRank? {
    switch self {
    case .normal: nil
    case .utility: ThreadRank(niceness: 5, lastingNiceness: 3, isBatch: true, slice: ThreadRank.shortSlice)
    case .background: ThreadRank(niceness: 10, lastingNiceness: 5, isBatch: true, slice: ThreadRank.shortSlice)
    }
  }

  /// The niceness of its threads, as the kernel counts it. Once a thread was lowered.
  var niceness: Int { rank?.absoluteNiceness ?? ThreadRank.commonNiceness }
}

extension ServiceClass {
  /// The band that it belongs to.
  var band: Band { self <= .standard || !Band.areSeveral ? .normal : self == .utility ? .utility : .background }
}
