// FileEvents.swift: what the kernel's notices of a file mean in the eight events of a file system object. Pure: no descriptors,
// no locks. Whose notices they are is FileTable.swift.
import SignalboxSystem

/// Everything that was reported for one monitored file between two checks.
struct FileNews: Equatable {
  /// What happened to the file itself.
  var own: FileNotices.Bits = []
  /// What happened to the list of entries, if it is a folder.
  var entries: FileNotices.Bits = []

  static let entryChanges: FileNotices.Bits = [.created, .deleted, .movedIn, .movedOut]

  mutating func add(_ notice: FileNotices.Notice) {
    if !notice.isOfEntry {
      own.formUnion(notice.bits)
    } else if !notice.bits.isDisjoint(with: FileNews.entryChanges) {
      entries.formUnion(notice.bits)
    }
  }
}

enum FileEvents {
  typealias Event = DispatchSource.FileSystemEvent

  /// What the kernel is asked for so that the events of `mask` are noticed.
  static func watched(for mask: Event, _ kind: FileFacts.Kind) -> FileNotices.Bits {
    var bits: FileNotices.Bits = [.unmounted, .selfDeleted]
    if kind == .folder {
      if !mask.isDisjoint(with: [.write, .extend, .link]) { bits.formUnion(FileNews.entryChanges) }
      if mask.contains(.attrib) { bits.insert(.attributes) }
    } else {
      if !mask.isDisjoint(with: [.write, .extend]) { bits.insert(.modified) }
      // A name less, or more, is reported as a change of metadata.
      if !mask.isDisjoint(with: [.attrib, .link, .delete]) { bits.insert(.attributes) }
    }
    // A folder that moves has another parent to be monitored for its removal.
    if mask.contains(.rename) || (kind == .folder && mask.contains(.delete)) { bits.insert(.selfMoved) }
    return bits
  }

  /// What has happened to a file, given its facts at the last check and now.
  static func events(_ news: FileNews, before: FileFacts, after: FileFacts) -> Event {
    var events: Event = []
    if news.own.contains(.modified) || !news.entries.isEmpty { events.formUnion(grown(before, after).union(.write)) }
    if news.own.contains(.attributes) { events.formUnion(metadata(before, after)) }
    if before.kind == .folder && hasOtherFolders(news, before, after) { events.insert(.link) }
    if news.own.contains(.selfMoved) { events.insert(.rename) }
    if news.own.contains(.unmounted) { events.insert(.revoke) }
    let isGone = after.links == 0 || news.own.contains(.selfDeleted)
    if before.links > 0 && isGone && tellsOfNames(news, after) { events.insert(.delete) }
    return events
  }

  /// What later notices are to be compared with. The facts are read after the notices, so they may show changes whose notices are
  /// still to come: of what this news is not about, the facts stay as they were, or those notices would find nothing changed.
  static func known(_ news: FileNews, before: FileFacts, after: FileFacts) -> FileFacts {
    var known = after
    if !news.own.contains(.modified) && news.entries.isEmpty { (known.size, known.modified) = (before.size, before.modified) }
    if !news.own.contains(.attributes) { (known.mode, known.owner, known.group) = (before.mode, before.owner, before.group) }
    if !tellsOfNames(news, after) { known.links = before.links }
    return known
  }

  /// A folder's names are its entries; that it is removed itself is its parent's notice.
  private static func tellsOfNames(_ news: FileNews, _ after: FileFacts) -> Bool {
    if after.kind == .folder { return after.links == 0 || !news.entries.isEmpty }
    return !news.own.isDisjoint(with: [.attributes, .selfDeleted])
  }

  /// What may have happened while notices were lost: everything that the facts show.
  static func difference(before: FileFacts, after: FileFacts, isRenamed: Bool) -> Event {
    var events: Event = []
    if before.modified != after.modified || before.size != after.size { events.formUnion(grown(before, after).union(.write)) }
    if before.changed != after.changed, before.modified == after.modified, !isRenamed {
      events.formUnion(metadata(before, after))
    }
    if before.links != after.links { events.insert(after.links == 0 ? .delete : .link) }
    if isRenamed { events.insert(.rename) }
    return events
  }

  private static func grown(_ before: FileFacts, _ after: FileFacts) -> Event { after.size > before.size ? .extend : [] }

  /// One notice stands for both, the number of names and the rest: it is the former if that number has changed, unless more has.
  private static func metadata(_ before: FileFacts, _ after: FileFacts) -> Event {
    guard before.kind != .folder, before.links != after.links else { return .attrib }
    let isMore = (before.mode, before.owner, before.group) != (after.mode, after.owner, after.group)
    return isMore ? [.link, .attrib] : .link
  }

  /// A folder's number of names counts the folders in it; file systems that do not count them say 1.
  private static func hasOtherFolders(_ news: FileNews, _ before: FileFacts, _ after: FileFacts) -> Bool {
    guard after.links != 0 else { return false }
    return after.links == 1 ? news.entries.contains(.isFolder) : before.links != after.links && !news.entries.isEmpty
  }
}
