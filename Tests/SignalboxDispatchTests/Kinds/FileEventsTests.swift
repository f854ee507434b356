// FileEventsTests.swift: what notices and facts mean, as a table: no files.
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

@Suite("The meaning of file notices") struct FileEventsTests {
  typealias Event = DispatchSource.FileSystemEvent
  typealias Bits = FileNotices.Bits

  static func facts(
    _ kind: FileFacts.Kind = .file, links: UInt64 = 1, size: Int64 = 10, mode: UInt32 = 0o644, modified: Int64 = 1,
    changed: Int64 = 1
  ) -> FileFacts {
    FileFacts(
      kind: kind, identity: .init(device: 1, number: 2), links: links, size: size, mode: mode, modified: modified,
      changed: changed)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let news: FileNews
    let before: FileFacts
    let after: FileFacts
    let expected: Event
    init(_ name: String, own: Bits = [], entries: Bits = [], _ before: FileFacts, _ after: FileFacts, _ expected: Event) {
      testDescription = name
      news = FileNews(own: own, entries: entries)
      (self.before, self.after, self.expected) = (before, after, expected)
    }
  }

  static let ofFiles = [
    Case("overwritten", own: .modified, facts(), facts(), .write),
    Case("grown", own: .modified, facts(), facts(size: 11), [.write, .extend]),
    Case("shrunk", own: .modified, facts(), facts(size: 9), .write),
    Case("permissions", own: .attributes, facts(), facts(mode: 0o600), .attrib),
    Case("times", own: .attributes, facts(), facts(changed: 2), .attrib),
    Case("another name", own: .attributes, facts(), facts(links: 2), .link),
    Case("a name less", own: .attributes, facts(links: 2), facts(), .link),
    Case("the last name", own: .attributes, facts(), facts(links: 0), [.link, .delete]),
    Case("a name and permissions", own: .attributes, facts(), facts(links: 2, mode: 0o600), [.link, .attrib]),
    Case("renamed", own: .selfMoved, facts(), facts(), .rename),
    Case("renamed and written", own: [.selfMoved, .modified], facts(), facts(size: 11), [.rename, .write, .extend]),
    Case("unmounted", own: [.unmounted, .ended], facts(), facts(), .revoke),
    Case("gone", own: [.selfDeleted, .ended], facts(), facts(links: 0), .delete),
    Case("gone after its names", own: [.selfDeleted, .ended], facts(links: 0), facts(links: 0), []),
    Case("nothing", facts(), facts(size: 99), []),
  ]

  static let ofFolders = [
    Case("new entry", entries: .created, facts(.folder, links: 2), facts(.folder, links: 2), .write),
    Case("entry gone", entries: .deleted, facts(.folder, links: 2), facts(.folder, links: 2), .write),
    Case("entry in", entries: .movedIn, facts(.folder, links: 2), facts(.folder, links: 2), .write),
    Case("grown", entries: .created, facts(.folder, links: 2), facts(.folder, links: 2, size: 20), [.write, .extend]),
    Case("new folder", entries: [.created, .isFolder], facts(.folder, links: 2), facts(.folder, links: 3), [.write, .link]),
    Case("folder gone", entries: [.deleted, .isFolder], facts(.folder, links: 3), facts(.folder, links: 2), [.write, .link]),
    Case(
      "folder renamed", entries: [.movedIn, .movedOut, .isFolder], facts(.folder, links: 3), facts(.folder, links: 3), .write),
    Case("uncounted", entries: [.created, .isFolder], facts(.folder, links: 1), facts(.folder, links: 1), [.write, .link]),
    Case("uncounted file", entries: .created, facts(.folder, links: 1), facts(.folder, links: 1), .write),
    Case("removed", facts(.folder, links: 2), facts(.folder, links: 0), .delete),
    Case(
      "permissions", own: [.attributes, .isFolder], facts(.folder, links: 2), facts(.folder, links: 2, mode: 0o700), .attrib),
    Case("moved", own: .selfMoved, facts(.folder, links: 2), facts(.folder, links: 2), .rename),
  ]

  @Test("Notices are turned into what happened to a file or a folder", arguments: ofFiles + ofFolders)
  func events(_ given: Case) {
    #expect(FileEvents.events(given.news, before: given.before, after: given.after) == given.expected)
  }

  /// What a program does between the kernel's notice and our check of the file.
  static let early = [
    Case("grown after new permissions", own: .attributes, facts(), facts(size: 11, mode: 0o600), .attrib),
    Case("another name after a write", own: .modified, facts(), facts(links: 2), .write),
    Case("the last name after a write", own: .modified, facts(), facts(links: 0), .write),
    Case("permissions after a write", own: .modified, facts(), facts(mode: 0o600), .write),
    Case("a folder in it after permissions", own: .attributes, facts(.folder, links: 2), facts(.folder, links: 3), .attrib),
  ]

  @Test("A change seen before its notice arrives is delivered once, with the notice", arguments: early)
  func factsBeforeNotices(_ given: Case) {
    #expect(FileEvents.events(given.news, before: given.before, after: given.after) == given.expected)
    let known = FileEvents.known(given.news, before: given.before, after: given.after)
    let rest = FileNews(own: [.modified, .attributes], entries: given.before.kind == .folder ? [.created, .isFolder] : [])
    let all = FileEvents.events(rest, before: given.before, after: given.after)
    // Permissions that were reported are no news beside a name.
    #expect(FileEvents.events(rest, before: known, after: given.after).union(given.expected) == all.union(given.expected))
    let last = FileEvents.known(rest, before: known, after: given.after)
    #expect(last == given.after)
  }

  @Test("After lost notices, what the facts show is delivered")
  func lost() {
    func difference(_ after: FileFacts, isRenamed: Bool = false) -> Event {
      FileEvents.difference(before: Self.facts(), after: after, isRenamed: isRenamed)
    }
    #expect(difference(Self.facts()) == [])
    #expect(difference(Self.facts(modified: 2, changed: 2)) == .write)
    #expect(difference(Self.facts(size: 11, modified: 2, changed: 2)) == [.write, .extend])
    #expect(difference(Self.facts(mode: 0o600, changed: 2)) == .attrib)
    #expect(difference(Self.facts(links: 2, changed: 2)) == .link)
    #expect(difference(Self.facts(links: 0, changed: 2)).contains(.delete))
    #expect(difference(Self.facts(changed: 2), isRenamed: true) == .rename)
  }

  @Test("A notice of an entry is no notice of the folder", arguments: [Bits.attributes, .modified])
  func entries(_ bits: Bits) {
    var news = FileNews()
    news.add(.init(watch: 1, bits: bits.union(.isFolder), isOfEntry: true))
    #expect(news == FileNews())
  }

  @Test("Every event that Linux can notice is asked for", arguments: [FileFacts.Kind.file, .folder])
  func monitored(_ kind: FileFacts.Kind) {
    let least = FileEvents.watched(for: [], kind)
    #expect(least == [.unmounted, .selfDeleted], "the end is always asked for")
    for event in [Event.write, .extend, .attrib, .link, .rename] where !(kind == .folder && event == .link) {
      #expect(FileEvents.watched(for: event, kind) != least, "\(event)")
    }
    #expect(FileEvents.watched(for: .funlock, kind) == least)
    #expect(FileEvents.watched(for: .attrib, .folder).isDisjoint(with: .modified), "entries are written without end")
  }
}
