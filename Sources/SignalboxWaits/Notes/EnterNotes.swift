// EnterNotes.swift: where groups were entered while the stall detector is on, until as many have left.
//
// A leave does not say which enter it balances, so the notes are of all enters since, as far as is known, no member
// was inside, and of how many have left. Taken only behind the instruments byte.
import SignalboxSystem

/// Notes of the enters of groups, by address.
///
/// Thread safety: any thread. In the child of a fork nothing is noted: the table may have been in another thread's
/// hands.
package enum EnterNotes {
  /// Enters from one place.
  package struct Site: Sendable, Equatable {
    /// Return addresses from the enter outward.
    package var stack: [UInt]
    /// How often.
    package var count = 1
  }
  /// What is known of one group.
  package struct Note: Sendable, Equatable {
    package var sites: [Site] = []
    package var entered: UInt64 = 0
    package var left: UInt64 = 0
    /// Return addresses from the last enter outward.
    package var last: [UInt] = []
  }
  /// Enters from further places are counted, not placed.
  package static let mostSites = 32
  /// Further groups are not noted.
  package static let mostGroups = 100_000

  private static let lock = InnerLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var notes: [UInt: Note] = [:]

  package static func entered(_ group: UInt, _ site: CallSite) {
    site.withAddresses { addresses in
      lock.withLock {
        guard notes.count < mostGroups || notes[group] != nil else { return }
        notes[group, default: Note()].add(addresses)
      }
    }
  }

  package static func left(_ group: UInt, _ members: UInt64) {
    lock.withLock {
      guard var note = notes[group] else { return }
      note.left += members
      // No member is left inside of which anything is noted: only which came last, for code that leaves once too often.
      notes[group] = note.left < note.entered ? note : Note(last: note.last)
    }
  }

  /// The group is no more.
  package static func forget(_ group: UInt) {
    lock.withLock { notes[group] = nil }
  }

  /// What is known of the group at `address`; nil if it has not been entered while the stall detector was on.
  package static func note(of group: UInt) -> Note? { lock.withLock { notes[group] } }

  /// The stall detector goes off: new entries are not noted, so the old notes mean nothing any more.
  package static func clear() { lock.withLock { notes = [:] } }
}

extension EnterNotes.Note {
  fileprivate mutating func add(_ addresses: UnsafeBufferPointer<UInt>) {
    entered += 1
    if !last.elementsEqual(addresses) { last = Array(addresses) }
    if let place = sites.firstIndex(where: { $0.stack.elementsEqual(addresses) }) {
      sites[place].count += 1
    } else if sites.count < EnterNotes.mostSites {
      sites.append(EnterNotes.Site(stack: Array(addresses)))
    }
  }
}
