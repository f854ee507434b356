// DamagedAnswerTests.swift: answers in which anything stands: what makes sense is shown in each form, and the rest is
// counted.
import SignalboxCommandLine
import SignalboxSystem
import Testing

@testable import SignalboxInspector

@Suite("Damaged answers") struct DamagedAnswerTests {
  /// An answer with each field that there is.
  private static let whole = JSON(
    "{\"version\":1,\"circles\":[{\"certainty\":\"certain\",\"threads\":[1,2]}],"
      + """
      "process":7,"copy":"/bin/probe","source":"",
      "threads":[{"thread":1,"name":"a","state":"sleeps","main":true,"inside":[{"queue":"0x10","as":"item"}],
      "runs":{"kind":"async","function":["0+0x20"],"seconds":12.5},
      "waits":{"kind":"mutex","object":"0xa","name":"m","seconds":3.5,"limited":false,"because":"held","for":[2]},
      "call":"read","stack":["0+0x20","0x30"],"unread":false},
      {"thread":2,"name":"b","state":"sleeps","waits":{"kind":"queue","object":"0x10","seconds":9,"limited":true,
      "because":"held","for":[1]}}],
      "queues":[{"queue":"0x10","label":"q","kind":"serial","class":"default","pending":4,"done":9,"owner":1,"running":1,
      "limit":2,"suspended":1,"inactive":true,"target":"0x20","urgent":{"class":"userInteractive","behind":3},
      "next":[{"kind":"async","function":["0+0x40"]}],"p50":0.5,"p95":1.5}],
      "pools":[{"name":"default","threads":2,"running":0,"idle":0,"limit":2,"workers":[{"thread":1,"state":"waits"}]}],
      "timers":3,"armed":[{"kind":"asyncAfter","due":-1.5,"queue":"0x10","function":["0+0x50"]}],
      "monitored":[{"descriptor":5,"for":"readable","label":"s"}],"events":2,"unread":["the moon"],"images":["/bin/probe"]}
      """)

  private static let wild: [JSON] = [
    .null, .boolean(true), .string("-1"), .string("99999999999999999999+0xffffffffffffffffffff"), .array([.null]), .object([]),
    .number(-1), .number(0.5), .number(1e300), .number(-1e300), .number(9_007_199_254_740_994), .number(9.3e18),
    .number(.infinity),
  ]

  /// The same value with the leaf, array or object of that number exchanged; the numbers count down to 0.
  private static func changed(_ json: JSON, _ number: inout Int, _ other: JSON) -> JSON {
    defer { number -= 1 }
    if number == 0 { return other }
    switch json {
    case .object(let members):
      return .object(
        members.map { member in
          number -= 1
          return (member.name, changed(member.value, &number, other))
        })
    case .array(let values):
      return .array(
        values.map { value in
          number -= 1
          return changed(value, &number, other)
        })
    default: return json
    }
  }

  @Test("The answer is read, and nothing of it is missing")
  func nothing() throws {
    let json = try #require(Self.whole), inspection = try #require(Inspection(json))
    #expect(inspection.lost == 0 && inspection.unread == ["the moon"] && Inspection.loss([inspection]) == nil)
    #expect(Shown.everything([inspection]).contains("deadlock: 2 threads"))
  }

  @Test("Each value in turn is another: the answer is refused, or shown in each form")
  func eachValue() throws {
    let whole = try #require(Self.whole)
    for other in Self.wild {
      var place = 0
      while true {
        var number = place
        let json = Self.changed(whole, &number, other)
        if number >= 0 { break }
        if let inspection = Inspection(json) { #expect(!Shown.everything([inspection]).isEmpty) }
        place += 1
      }
      #expect(place > 100)
    }
  }

  @Test("Several values at random are others", arguments: 1...3)
  func random(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let whole = try #require(Self.whole)
    for _ in 0..<150 {
      var json = whole
      for _ in 0..<Int.random(in: 2...5, using: &dice) {
        var number = Int.random(in: 1...200, using: &dice)
        json = Self.changed(json, &number, Self.wild.randomElement(using: &dice)!)
      }
      if let inspection = Inspection(json) { #expect(!Shown.everything([inspection]).isEmpty) }
    }
  }

  @Test(
    "A piece that makes no sense is left out and counted, and the others are shown",
    arguments: [
      ("\"thread\":2,", "\"thread\":-2,", 1), ("\"thread\":2,", "\"thread\":1e30,", 1),
      ("\"queue\":\"0x10\",\"l", "\"q\":1,\"l", 1),
      ("\"pending\":4", "\"pending\":-4", 1), ("\"done\":9", "\"done\":0.5", 1), ("\"p50\":0.5", "\"p50\":1e300", 1),
      ("[2]", "[2,-7,\"x\"]", 2), ("\"due\":-1.5", "\"due\":-1e13", 1), ("\"descriptor\":5", "\"descriptor\":5e10", 1),
      ("\"monitored\":[", "\"other\":[", 0), ("\"timers\":3", "\"timers\":\"many\"", 1), ("0+0x20", "7+0x20", 2),
      ("\"behind\":3", "\"behind\":1e17", 1), ("\"workers\":[", "\"workers\":7,\"other\":[", 1),
    ])
  func counted(old: String, new: String, lost: Int) throws {
    let text = try #require(Self.whole).text
    #expect(text.firstPlace(of: old) != nil)
    let inspection = try #require(JSON(text.pieces(between: old).joined(separator: new)).flatMap { Inspection($0) })
    #expect(inspection.lost == lost, "\(new): \(inspection.lost)")
    let shown = Shown.everything([inspection])
    #expect(shown.contains("not read: the moon") && shown.contains("pieces of the answer, which make no sense") == (lost > 0))
    let pieces = lost == 1 ? "1 piece that makes no sense" : "\(lost) pieces that make no sense"
    #expect(Inspection.loss([inspection]) == (lost == 0 ? nil : "what is whole was shown; missing: \(pieces)"))
  }

  @Test("The first line of an answer has the answer's length, from 0 up to what an answer may have")
  func head() {
    func count(_ line: String) -> Int? { InspectedProcess.head(Array(line.utf8))?.count }
    #expect(count("signalbox-inspect 1 12\n{}") == 12 && count("signalbox-inspect 1 0\n") == 0)
    for line in [
      "signalbox-inspect 1 -5\n", "signalbox-inspect 1 \(Int.max)\n", "signalbox-inspect 1 99999999999999999999\n", "\n",
      "signalbox-inspect 2 12\n", "signalbox-inspect 1\n", "signalbox-inspect 1 " + String(repeating: "0", count: 100) + "1\n",
    ] { #expect(count(line) == nil, "\(line)") }
  }

  @Test("Labels of any length and holders without end are drawn, up to a bound")
  func long() throws {
    let holders = (1...2_000).map { "\($0)" }.joined(separator: ","), label = String(repeating: "l", count: 100_000)
    let threads = (1...50).map {
      "{\"thread\":\($0),\"name\":\"\(label.prefix($0 == 1 ? 100_000 : 1))\",\"waits\":{\"kind\":\"mutex\",\"object\":\"0x\($0)\",\"for\":[\(holders)]}}"
    }
    let json = "{\"version\":1,\"process\":7,\"threads\":[\(threads.joined(separator: ","))]}"
    let inspection = try #require(JSON(json).flatMap { Inspection($0) })
    let svg = WaitPicture([inspection], process: "7").svg
    #expect(svg.contains("that wait less long are left out"))
    #expect(
      InspectionTables([inspection], process: "7", InspectOptions(), PlaceNames(wantsLines: false)).text.utf8.count < 2_000_000)
  }
}
