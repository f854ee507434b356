// NameFilterTests.swift: parts of names, globs, alternatives, and several filters together.
import BenchSupport
import Testing

@Suite("Filters by name") struct NameFilterTests {
  @Test(
    "A filter chooses the names that it describes",
    arguments: [
      ("sync", "sync-serial"), ("sync", "async-serial"), ("SERIAL", "sync-serial"), ("", "anything"), ("sync-*", "sync-serial"),
      ("*serial", "sync-serial"), ("*-*-threads", "sync-serial-16-threads"), ("sync-serial-?-threads", "sync-serial-4-threads"),
      ("*", "wake"), ("a*b*c", "abxbxbc"), ("w?k?", "wake"), ("wake*", "wake"), ("**", ""),
      ("wake|sync", "sync-serial"), ("wake|sync-*", "sync-serial"), ("thread-*|Wake", "wake"), ("|wake|", "wake"), ("|", "any"),
    ])
  func matches(pattern: String, name: String) {
    #expect(NameFilter(pattern).matches(name))
  }

  @Test(
    "A filter does not choose other names",
    arguments: [
      ("serail", "sync-serial"), ("sync-serial-long", "sync-serial"), ("sync-*", "async-serial"), ("*sync", "sync-serial"),
      ("sync-serial-?-threads", "sync-serial-16-threads"), ("?", ""), ("a*b*c", "abxbxb"), ("wake?", "wake"),
      ("thread-*|runloop", "lock-nslock-2-threads"), ("wake|time", "sync-serial"), ("|wake", "sync-serial"),
    ])
  func doesNotMatch(pattern: String, name: String) {
    #expect(!NameFilter(pattern).matches(name))
  }

  @Test("One of several filters is enough to choose a name, and no filter means all")
  func oneOfSeveralIsEnoughAndNoneMeansAll() {
    let filters = [NameFilter("wake"), NameFilter("sync-*")]
    #expect(filters.select("wake-after-idle"))
    #expect(filters.select("sync-serial"))
    #expect(!filters.select("async-serial"))
    #expect([NameFilter]().select("anything"))
  }
}
