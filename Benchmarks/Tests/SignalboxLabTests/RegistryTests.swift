// RegistryTests.swift: what every scenario must have, and that the documents list where the articles err.
import Glibc
import SignalboxLab
import Testing

@Suite("The registry of scenarios") struct RegistryTests {
  @Test("The registry has as many scenarios as the lab promises")
  func thereAreEnough() { #expect(Registry.all.count >= 40) }

  @Test("Every article has scenarios")
  func everySourceHasSome() {
    for source in Source.allCases { #expect(Registry.all.contains { $0.source == source }, "\(source)") }
  }

  @Test("The scenarios' names are unique and in kebab case")
  func namesAreUniqueAndInKebabCase() {
    var seen: Set<String> = []
    for name in Registry.all.map(\.name) {
      #expect(seen.insert(name).inserted, "\(name) twice")
      #expect(name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }, "\(name)")
      #expect(!name.hasPrefix("-") && !name.hasSuffix("-") && !name.contains("--"), "\(name)")
    }
  }

  @Test("Every scenario has its texts", arguments: Registry.all.indices) func textsAreThere(index: Int) {
    let scenario = Registry.all[index]
    for text in [scenario.title, scenario.article, scenario.documents] + [scenario.errs, scenario.scale].compactMap(\.self) {
      #expect(text.count > 10, "\(scenario.name): \"\(text)\"")
      #expect(!text.hasSuffix(".") && text.allSatisfy { !$0.isNewline && $0 != "\t" }, "\(scenario.name): \"\(text)\"")
    }
    let rows = scenario.row.split(separator: ", ")
    #expect(!rows.isEmpty && rows.allSatisfy { "ABCDEFG".contains($0.first!) && Int($0.dropFirst()) != nil }, "\(scenario.row)")
  }

  @Test("Every subject has a heading of its own, scenarios, and a page")
  func subjectsAreWhole() throws {
    #expect(Set(Registry.subjects.map(\.title)).count == Registry.subjects.count)
    for subject in Registry.subjects {
      #expect(!subject.scenarios.isEmpty, "\(subject.title)")
      #expect(subject.page.hasPrefix("documentation/signalbox") && subject.page == subject.page.lowercased(), "\(subject.page)")
    }
  }

  /// The subject of differences that is about articles.
  private static let articles = "Documentation/Differences/articles.json"

  @Test("The articles have the titles and contents that articles.json gives them")
  func articlesAreNamed() throws {
    let text = try contents(of: Self.articles)
    for source in Source.allCases { #expect(text.contains("\"\(source.rawValue)\": \"\(source.content)\""), "\(source)") }
  }

  @Test("A scenario is found by its name")
  func namesAreFound() {
    #expect(Registry.scenario("serial-sync")?.name == "serial-sync")
    #expect(Registry.scenario("serial") == nil)
  }

  @Test("Of the suggestions the nearest name comes first")
  func nearestNamesComeFirst() {
    #expect(Registry.namesNear("serial-snyc").first == "serial-sync")
    #expect(Registry.namesNear("hello").contains("semaphore-hello-world"))
    #expect(Registry.namesNear("barier-order").first == "barrier-order")
    #expect(Registry.namesNear("xyzzyxyzzyxyzzyxyzzy-and-more-of-it-than-any").isEmpty)
    #expect(Registry.namesNear("sync").count <= 3)
  }

  @Test("articles.json lists every scenario in which an article errs")
  func theDocumentsListWhereArticlesErr() throws {
    let words = Set(try contents(of: Self.articles).split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init))
    for scenario in Registry.all where scenario.errs != nil {
      #expect(words.contains(scenario.name), "\(Self.articles) lacks \(scenario.name)")
    }
  }

  private struct Unreadable: Error {}

  private func contents(of file: String, here: String = #filePath) throws -> String {
    let root = here.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    guard let stream = fopen("\(root)/\(file)", "r") else { throw Unreadable() }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer.prefix(count) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
