// FileInstance.swift: the kernel's watches of one inotify instance, and who wants to know: one entry per file, shared by all its
// sources. Used under the lock of FileTable.swift.
//
// A folder that is removed while somebody has it open is told to its parent only, so the parent is watched as well when a removal
// is asked for (`parents`). A file system that is unmounted while files on it are open says nothing to inotify at all: then the
// mount's number is missing in the table of mounts.
import SignalboxSystem

final class FileInstance: @unchecked Sendable {
  // SAFETY of @unchecked: every use but `endEvents`'s last reference is under the table's lock.
  typealias Event = DispatchSource.FileSystemEvent

  private struct Entry {
    /// As they were at the last look.
    var facts: FileFacts
    var watchers: [FileWatcher]
    var news = FileNews()
    /// The watch of the folder that this folder is in.
    var parent: Int32?
    /// What the kernel is asked for.
    var bits: FileNotices.Bits
  }

  private static let parentBits: FileNotices.Bits = [.deleted, .movedOut]
  private let notices: FileNotices
  private var noticesWatch: EventWatch?
  private var mounts: (table: Mounts.Table, watch: EventWatch)?
  private var mountsChanged: (@Sendable () -> Void)?
  private var entries: [Int32: Entry] = [:]
  /// Watched parents, and the watches of the folders in them.
  private var parents: [Int32: Set<Int32>] = [:]

  init() throws(SystemError) { notices = try FileNotices() }

  /// Has the event thread call when notices wait, and when mounts have changed.
  func beginEvents(notices look: @escaping @Sendable () -> Void, mounts: @escaping @Sendable () -> Void) throws(SystemError) {
    noticesWatch = try EventThread.shared.watch(notices.descriptor, for: .readable) { _ in look() }
    mountsChanged = mounts
  }

  /// The descriptors stay open until the event thread is done with them; what it calls holds this instance until then.
  func endEvents() {
    let (noticesWatch, mounts) = (noticesWatch, mounts)
    (self.noticesWatch, self.mounts, mountsChanged) = (nil, nil, nil)
    noticesWatch?.cancel { withExtendedLifetime(self) {} }
    mounts?.watch.cancel { withExtendedLifetime(mounts?.table) {} }
  }

  var isUnused: Bool { entries.isEmpty }
  var watchCount: Int { Set(entries.keys).union(parents.keys).count }

  // MARK: who watches

  func add(_ watcher: FileWatcher) throws(SystemError) {
    guard let facts = watcher.current else { throw SystemError(call: "fstat", code: ErrorNumber.badDescriptor) }
    if watcher.mask.contains(.revoke) { try watchMounts() }
    let bits = FileEvents.watched(for: watcher.mask, facts.kind)
    let watch = try notices.add(watcher.descriptor, bits, others: .kept)
    watcher.watch = watch
    watcher.name = FileFacts.name(of: watcher.descriptor)
    watcher.mount = watcher.mask.contains(.revoke) ? Mounts.number(of: watcher.descriptor) : nil
    var entry = entries[watch] ?? Entry(facts: facts, watchers: [], bits: [])
    entry.facts = facts  // what waited has been collected: this is the state that later notices are compared with
    entry.watchers.append(watcher)
    entry.bits.formUnion(bits)
    entries[watch] = entry
    updateParent(of: watch)
  }

  func remove(_ watcher: FileWatcher) {
    guard let watch = watcher.watch, var entry = entries[watch] else { return }
    watcher.watch = nil
    entry.watchers.removeAll { $0 === watcher }
    entries[watch] = entry.watchers.isEmpty ? nil : entry
    if let parent = entry.parent, entry.watchers.isEmpty { leaveParent(parent, watch) }
    if entry.watchers.isEmpty {
      if parents[watch] == nil { notices.remove(watch) }
    } else {
      narrow(watch)
    }
  }

  /// Asks the kernel for no more than those who are left want.
  private func narrow(_ watch: Int32) {
    guard let entry = entries[watch], let watcher = entry.watchers.first(where: { $0.current != nil }) else { return }
    var bits = entry.watchers.reduce(into: FileNotices.Bits()) {
      $0.formUnion(FileEvents.watched(for: $1.mask, entry.facts.kind))
    }
    guard bits != entry.bits else { return }
    entries[watch]!.bits = bits
    if parents[watch] != nil { bits.formUnion(FileInstance.parentBits) }
    // Refused, or the descriptor was closed in this moment and names a stranger: the wider watch stays.
    if let stranger = try? notices.add(watcher.descriptor, bits, others: .replaced), entries[stranger] == nil {
      notices.remove(stranger)
    }
  }

  private func updateParent(of watch: Int32) {
    guard let entry = entries[watch], entry.facts.kind == .folder,
      let watcher = entry.watchers.first(where: { $0.mask.contains(.delete) && $0.current != nil })
    else { return }
    // Refused (EACCES, no watch left): a removal is then told when the last descriptor of the folder is closed.
    let parent = try? notices.addParent(watcher.descriptor, FileInstance.parentBits)
    guard parent != entry.parent else { return }
    if let old = entry.parent { leaveParent(old, watch) }
    if let parent, parent != watch { parents[parent, default: []].insert(watch) }  // the root is its own parent
    entries[watch]!.parent = parent == watch ? nil : parent
  }

  private func leaveParent(_ parent: Int32, _ child: Int32) {
    parents[parent]?.remove(child)
    guard parents[parent]?.isEmpty == true else { return }
    parents[parent] = nil
    if entries[parent] == nil { notices.remove(parent) }
  }

  // MARK: what happened

  /// Takes the notices that wait, and says who is to be told what.
  func collect(isOverflowing: Bool = false) -> [FileTable.Delivery] {
    var touched: Set<Int32> = []
    var isOverflowing = isOverflowing
    notices.read { notice in
      if notice.bits.contains(.overflow) { isOverflowing = true }
      if entries[notice.watch] != nil {
        entries[notice.watch]!.news.add(notice)
        touched.insert(notice.watch)
      }
      if notice.isOfEntry, notice.bits.contains(.isFolder), let children = parents[notice.watch] { touched.formUnion(children) }
    }
    if isOverflowing { touched.formUnion(entries.keys) }
    return touched.flatMap { examine($0, isOverflowing) }
  }

  private func examine(_ watch: Int32, _ isOverflowing: Bool) -> [FileTable.Delivery] {
    guard let entry = entries[watch] else { return [] }
    let facts = entry.watchers.map(\.current)
    var after = facts.lazy.compactMap { $0 }.first ?? entry.facts
    if entry.news.own.contains(.selfDeleted) { after.links = 0 }
    let common = FileEvents.events(entry.news, before: entry.facts, after: after)
    var deliveries: [FileTable.Delivery] = []
    for (watcher, own) in zip(entry.watchers, facts) {
      var events = common
      if own == nil {
        watcher.reportClosed()
        events.formIntersection(entry.news.own.isDisjoint(with: [.selfDeleted, .unmounted]) ? [] : [.delete, .revoke])
      } else {
        events.formUnion(named(watcher, entry, after, isOverflowing))
      }
      events.formIntersection(watcher.mask)
      if !events.isEmpty { deliveries.append((watcher, events)) }
    }
    conclude(watch, after)
    return deliveries
  }

  /// What depends on the name that this descriptor was opened by: another of the file's names may be gone, or none.
  private func named(_ watcher: FileWatcher, _ entry: Entry, _ after: FileFacts, _ isOverflowing: Bool) -> Event {
    let hasFewerNames = after.kind != .folder && after.links < entry.facts.links
    guard hasFewerNames || isOverflowing || entry.news.own.contains(.selfMoved) else { return [] }
    let old = watcher.name
    watcher.name = FileFacts.name(of: watcher.descriptor)
    let isGone = watcher.name.isMarkedDeleted && !old.isMarkedDeleted
    var events: Event = isGone ? .delete : []
    if isOverflowing {
      let isRenamed = !isGone && watcher.name != old && after.changed != entry.facts.changed
      events.formUnion(FileEvents.difference(before: entry.facts, after: after, isRenamed: isRenamed))
    }
    return events
  }

  private func conclude(_ watch: Int32, _ after: FileFacts) {
    let news = entries[watch]!.news.own
    entries[watch]!.news = FileNews()
    entries[watch]!.facts = after
    if news.contains(.ended) {
      // The kernel has dropped the watch with the file.
      if let parent = entries[watch]!.parent { leaveParent(parent, watch) }
      for watcher in entries.removeValue(forKey: watch)!.watchers { watcher.watch = nil }
    } else if news.contains(.selfMoved) {
      updateParent(of: watch)
    }
  }

  // MARK: mounts

  private func watchMounts() throws(SystemError) {
    guard mounts == nil, let mountsChanged else { return }
    let table = try Mounts.Table()
    mounts = (table, try EventThread.shared.watch(table.descriptor, for: .urgent) { _ in mountsChanged() })
  }

  /// Mounts have changed: who watches a file on one that is gone?
  func collectRevoked() -> [FileTable.Delivery] {
    guard let present = Mounts.numbers() else { return [] }
    let lost = entries.values.flatMap(\.watchers).filter { watcher in watcher.mount.map { !present.contains($0) } ?? false }
    for watcher in lost { watcher.mount = nil }
    return lost.map { ($0, .revoke) }
  }
}

extension RawString {
  /// The system's mark behind the name of a descriptor whose name is gone.
  fileprivate var isMarkedDeleted: Bool { bytes.suffix(10).elementsEqual(" (deleted)".utf8) }
}
