// FileInstance.swift: the inotify watches of one inotify instance, and who wants to know: one entry per file, shared by all its
// sources. Used under the lock of FileTable.swift.
//
// A folder that is removed while somebody has it open is told to its parent only, so the parent is monitored as well when a removal
// is asked for (`parents`). A file system that is unmounted while files on it are open says nothing to inotify at all: then the
// mount's number is missing in the table of mounts.
import SignalboxSystem

final class FileInstance: @unchecked Sendable {
  // SAFETY of @unchecked: every use but `endEvents`'s last reference is under the table's lock.
  typealias Event = DispatchSource.FileSystemEvent

  /// One file. Adding and removing a observer costs the same however many there are.
  private struct Entry {
    /// As they were at the last check.
    var facts: FileFacts
    private(set) var observers: [ObjectIdentifier: FileObserver] = [:]
    /// How many observers have each mask.
    private var masks: [UInt: Int] = [:]
    var news = FileNews()
    /// The inotify watch of the folder that this folder is in.
    var parent: Int32?
    /// What the kernel is asked for.
    var bits: FileNotices.Bits = []

    init(_ facts: FileFacts) { self.facts = facts }

    mutating func add(_ observer: FileObserver) {
      observers[ObjectIdentifier(observer)] = observer
      masks[observer.mask.rawValue, default: 0] += 1
    }

    mutating func remove(_ observer: FileObserver) {
      observers[ObjectIdentifier(observer)] = nil
      let left = masks[observer.mask.rawValue, default: 1] - 1
      masks[observer.mask.rawValue] = left == 0 ? nil : left
    }

    /// Takes over of newer facts what no notice was asked for until now: of the rest notices may wait.
    mutating func forgetUnwatched(_ newer: FileFacts) {
      let unwatched = FileNews(
        own: FileNotices.Bits([.modified, .attributes]).subtracting(bits), entries: FileNews.entryChanges.subtracting(bits))
      facts = FileEvents.known(unwatched, before: facts, after: newer)
    }

    /// What the observers want of the kernel.
    var wanted: FileNotices.Bits {
      masks.keys.reduce(into: FileNotices.Bits()) {
        $0.formUnion(FileEvents.watched(for: Event(rawValue: $1), facts.kind))
      }
    }
  }

  private static let parentBits: FileNotices.Bits = [.deleted, .movedOut]
  private let notices: FileNotices
  private var noticesWatch: EventSubscription?
  private var mounts: (table: Mounts.Table, watch: EventSubscription)?
  private var mountsChanged: (@Sendable () -> Void)?
  private var entries: [Int32: Entry] = [:]
  /// Monitored parents, and the inotify watches of the folders in them.
  private var parents: [Int32: Set<Int32>] = [:]

  init() throws(SystemError) { notices = try FileNotices() }

  /// Has the event thread call when notices wait, and when mounts have changed.
  func beginEvents(notices tell: @escaping @Sendable () -> Void, mounts: @escaping @Sendable () -> Void) throws(SystemError) {
    noticesWatch = try EventThread.shared.watch(notices.descriptor, for: .readable) { _ in tell() }
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

  // MARK: who is interested

  func add(_ observer: FileObserver) throws(SystemError) {
    guard let facts = observer.current else { throw SystemError(call: "fstat", code: ErrorNumber.badDescriptor) }
    if observer.mask.contains(.revoke) { try watchMounts() }
    let bits = FileEvents.watched(for: observer.mask, facts.kind)
    let watch = try notices.add(observer.descriptor, bits, others: .kept)
    guard observer.current != nil else {
      // Closed in this moment: what was monitored may be another file.
      _ = forgetStranger(watch)
      throw SystemError(call: "fstat", code: ErrorNumber.badDescriptor)
    }
    observer.watch = watch
    observer.name = FileFacts.name(of: observer.descriptor)
    observer.mount = observer.mask.contains(.revoke) ? Mounts.number(of: observer.descriptor) : nil
    if entries[watch] == nil { entries[watch] = Entry(facts) }
    change(watch) { entry in
      entry.forgetUnwatched(facts)
      entry.add(observer)
      entry.bits.formUnion(bits)
    }
    updateParent(of: watch)
  }

  /// Changes an entry, if there is one, where it lies: a copy would cost as much as there are observers.
  @discardableResult private func change<R>(_ watch: Int32, _ body: (inout Entry) -> R) -> R? {
    entries.index(forKey: watch).map { body(&entries.values[$0]) }
  }

  func remove(_ observer: FileObserver) {
    let left = observer.watch.flatMap { watch in
      change(watch) { entry in
        entry.remove(observer)
        return (watch: watch, isEmpty: entry.observers.isEmpty)
      }
    }
    guard let (watch, isEmpty) = left else { return }
    observer.watch = nil
    guard isEmpty else { return narrow(watch) }
    if let parent = entries.removeValue(forKey: watch)?.parent { leaveParent(parent, watch) }
    if parents[watch] == nil { notices.remove(watch) }
  }

  /// Asks the kernel for no more than those who are left want.
  private func narrow(_ watch: Int32) {
    guard let entry = entries[watch], entry.wanted != entry.bits,
      let observer = entry.observers.values.first(where: { $0.current != nil })
    else { return }
    change(watch) { $0.bits = $0.wanted }
    let bits = wanted(watch)
    // Refused: the wider inotify watch stays.
    guard let seen = try? notices.add(observer.descriptor, bits, others: .replaced), seen != watch else { return }
    // The descriptor was closed in this moment, and its number names another file: what was asked of that one is put right.
    if !forgetStranger(seen) { _ = try? notices.add(observer.descriptor, wanted(seen), others: .kept) }
  }

  /// Ends an inotify watch that nobody wants; false if somebody does.
  private func forgetStranger(_ watch: Int32) -> Bool {
    guard entries[watch] == nil, parents[watch] == nil else { return false }
    notices.remove(watch)
    return true
  }

  /// What the kernel is to be asked of a file for its sources and for the folders in it.
  private func wanted(_ watch: Int32) -> FileNotices.Bits {
    (entries[watch]?.bits ?? []).union(parents[watch] == nil ? [] : FileInstance.parentBits)
  }

  private func updateParent(of watch: Int32) {
    guard let entry = entries[watch], entry.facts.kind == .folder,
      let observer = entry.observers.values.first(where: { $0.mask.contains(.delete) && $0.current != nil })
    else { return }
    // Refused (EACCES, no inotify watch left): a removal is then reported when the last descriptor of the folder is closed.
    let parent = try? notices.addParent(observer.descriptor, FileInstance.parentBits)
    guard parent != entry.parent else { return }
    if let old = entry.parent { leaveParent(old, watch) }
    if let parent, parent != watch { parents[parent, default: []].insert(watch) }  // the root is its own parent
    change(watch) { $0.parent = parent == watch ? nil : parent }
  }

  private func leaveParent(_ parent: Int32, _ child: Int32) {
    parents[parent]?.remove(child)
    guard parents[parent]?.isEmpty == true else { return }
    parents[parent] = nil
    if entries[parent] == nil { notices.remove(parent) }
  }

  // MARK: what happened

  /// Takes the notices that wait, and returns who is to get what.
  func collect(isOverflowing: Bool = false) -> [FileTable.Delivery] {
    var touched: Set<Int32> = []
    var isOverflowing = isOverflowing
    notices.read { notice in
      if notice.bits.contains(.overflow) { isOverflowing = true }
      if change(notice.watch, { $0.news.add(notice) }) != nil { touched.insert(notice.watch) }
      if notice.isOfEntry, notice.bits.contains(.isFolder), let children = parents[notice.watch] { touched.formUnion(children) }
    }
    if isOverflowing { touched.formUnion(entries.keys) }
    return touched.flatMap { examine($0, isOverflowing) }
  }

  private func examine(_ watch: Int32, _ isOverflowing: Bool) -> [FileTable.Delivery] {
    guard let entry = entries[watch] else { return [] }
    let observers = Array(entry.observers.values)
    let facts = observers.map(\.current)
    var after = facts.lazy.compactMap { $0 }.first ?? entry.facts
    if entry.news.own.contains(.selfDeleted) { after.links = 0 }
    let common = FileEvents.events(entry.news, before: entry.facts, after: after)
    var deliveries: [FileTable.Delivery] = []
    for (observer, own) in zip(observers, facts) {
      var events = common
      if own == nil {
        observer.reportClosed()
        events.formIntersection(entry.news.own.isDisjoint(with: [.selfDeleted, .unmounted]) ? [] : [.delete, .revoke])
      } else {
        events.formUnion(named(observer, entry, after, isOverflowing))
      }
      events.formIntersection(observer.mask)
      if !events.isEmpty { deliveries.append((observer, events)) }
    }
    conclude(watch, isOverflowing ? after : FileEvents.known(entry.news, before: entry.facts, after: after))
    return deliveries
  }

  /// What depends on the name that this descriptor was opened by: another of the file's names may be gone, or none.
  private func named(_ observer: FileObserver, _ entry: Entry, _ after: FileFacts, _ isOverflowing: Bool) -> Event {
    let hasFewerNames = after.kind != .folder && after.links < entry.facts.links
    guard hasFewerNames || isOverflowing || entry.news.own.contains(.selfMoved) else { return [] }
    let old = observer.name
    observer.name = FileFacts.name(of: observer.descriptor)
    let isGone = observer.name.isMarkedDeleted && !old.isMarkedDeleted
    var events: Event = isGone ? .delete : []
    if isOverflowing {
      let isRenamed = !isGone && observer.name != old && after.changed != entry.facts.changed
      events.formUnion(FileEvents.difference(before: entry.facts, after: after, isRenamed: isRenamed))
    }
    return events
  }

  private func conclude(_ watch: Int32, _ after: FileFacts) {
    let told = change(watch) { entry in
      defer { (entry.news, entry.facts) = (FileNews(), after) }
      return entry.news.own
    }
    guard let news = told else { return }
    if news.contains(.ended), let entry = entries.removeValue(forKey: watch) {
      // The kernel has dropped the inotify watch with the file.
      if let parent = entry.parent { leaveParent(parent, watch) }
      for observer in entry.observers.values { observer.watch = nil }
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

  /// Mounts have changed: who monitors a file on one that is gone?
  func collectRevoked() -> [FileTable.Delivery] {
    guard let present = Mounts.numbers() else { return [] }
    let lost = entries.values.flatMap(\.observers.values).filter { observer in
      observer.mount.map { !present.contains($0) } ?? false
    }
    for observer in lost { observer.mount = nil }
    return lost.map { ($0, .revoke) }
  }
}

extension RawString {
  /// The system's mark behind the name of a descriptor whose name is gone.
  fileprivate var isMarkedDeleted: Bool { bytes.suffix(10).elementsEqual(" (deleted)".utf8) }
}
