// MadeInspection.swift: inspections that tests write down as JSON, in the form in which the command prints them.
import SignalboxCommandLine
import SignalboxSystem
import Testing

@testable import SignalboxInspector

extension Inspection {
  /// What is left out in the text is not known.
  init?(_ json: JSON) {
    guard json["version"].integer == 1, let process = json["process"].integer else { return nil }
    let images = json["images"].values.map { $0.string ?? "" }
    self.init(
      process: Int32(process), copy: json["copy"].string ?? "", threads: json["threads"].values.map { Thread($0, images) },
      queues: json["queues"].values.map { Queue($0, images) }, pools: json["pools"].values.map { Pool($0) },
      timers: json["timers"].integer, armed: json["armed"].values.map { Timer($0, images) },
      monitored: json["monitored"].values.map {
        Descriptor(number: $0["descriptor"].integer ?? 0, direction: $0["for"].string ?? "", label: $0["label"].string ?? "")
      },
      events: json["events"].integer,
      cycles: json["circles"].values.map {
        Cycle(isCertain: $0["certainty"].string == "certain", threads: $0["threads"].values.compactMap(\.integer))
      },
      unread: json["unread"].values.compactMap(\.string), source: json["source"].string ?? "memory",
      lost: json["lost"].integer ?? 0)
  }
}

extension JSON {
  fileprivate var seconds: Double? { if case .number(let number) = self { number } else { nil } }
  fileprivate func places(_ images: [String]) -> [Inspection.Place] {
    values.compactMap { $0.string.flatMap { Inspection.Place($0, images) } }
  }
}

extension Inspection.Thread {
  fileprivate init(_ json: JSON, _ images: [String]) {
    let runs = json["runs"]
    self.init(
      id: json["thread"].integer ?? 0, name: json["name"].string ?? "", state: json["state"].string ?? "",
      isMain: json["main"].boolean == true, isOwn: json["own"].boolean == true,
      inside: json["inside"].values.map { ($0["queue"].string ?? "", $0["as"].string == "item") },
      runs: runs["kind"].string.map { ($0, runs["function"].places(images), runs["seconds"].seconds) },
      wait: Inspection.Wait(json["waits"]), call: json["call"].string, stack: json["stack"].places(images),
      stackEnd: json["stackEnds"].string, isUnread: json["unread"].boolean == true)
  }
}

extension Inspection.Wait {
  fileprivate init?(_ json: JSON) {
    guard let kind = json["kind"].string else { return nil }
    self.init(
      kind: kind, object: json["object"].string ?? "", name: json["name"].string, seconds: json["seconds"].seconds,
      isLimited: json["limited"].boolean == true, because: json["because"].string ?? "",
      holders: json["for"].values.compactMap(\.integer))
  }
}

extension Inspection.Place {
  /// `image's number+0xdistance`, or an address.
  fileprivate init?(_ text: String, _ images: [String]) {
    let parts = text.split(separator: "+"), hasImage = parts.count == 2
    guard let last = parts.last, last.hasPrefix("0x"), let offset = UInt64(last.dropFirst(2), radix: 16) else { return nil }
    self.init(image: hasImage ? Int(parts[0]).map { images[$0] } : nil, offset: ReadNumber(offset))
  }
}

extension Inspection.Timer {
  fileprivate init(_ json: JSON, _ images: [String]) {
    self.init(
      kind: json["kind"].string ?? "", due: json["due"].seconds, queue: json["queue"].string ?? "",
      function: json["function"].places(images))
  }
}

extension Inspection.Queue {
  fileprivate init(_ json: JSON, _ images: [String]) {
    let pending = json["pending"].integer, done = json["done"].integer, urgent = json["urgent"]
    self.init(
      address: json["queue"].string ?? "", label: json["label"].string ?? "", kind: json["kind"].string ?? "",
      qos: json["class"].string ?? "", pending: pending ?? 0, isCounted: pending != nil, done: done ?? 0,
      knowsDone: done != nil,
      owner: json["owner"].integer, running: json["running"].integer ?? 0, limit: json["limit"].integer ?? 0,
      suspended: json["suspended"].integer ?? 0, isInactive: json["inactive"].boolean == true,
      target: json["target"].string, urgent: urgent["class"].string.map { ($0, urgent["behind"].integer ?? 0) },
      next: json["next"].values.map { ($0["kind"].string ?? "", $0["function"].places(images)) },
      p50: json["p50"].seconds, p95: json["p95"].seconds, oldest: json["oldest"].seconds)
  }
}

extension Inspection.Pool {
  fileprivate init(_ json: JSON) {
    let workers = json["workers"].values.map { ($0["thread"].integer ?? 0, $0["state"].string ?? "") }
    self.init(
      name: json["name"].string ?? "", threads: json["threads"].integer ?? 0, running: json["running"].integer ?? 0,
      idle: json["idle"].integer ?? 0, limit: json["limit"].integer ?? 0,
      workers: Dictionary(workers.filter { $0.0 != 0 }, uniquingKeysWith: { $1 }),
      beginning: workers.filter { $0.0 == 0 }.count)
  }
}

@Suite("The JSON of an inspection") struct InspectionJSONTests {
  /// With each field that there is.
  static let whole = """
    {"lost":2,"version":1,"process":7,"copy":"/bin/probe","source":"core",
    "circles":[{"certainty":"certain","threads":[1,2]},{"certainty":"suspected","threads":[2]}],
    "threads":[{"thread":1,"name":"a","state":"sleeps","main":true,"inside":[{"queue":"0x10","as":"item"},{"queue":"0x20","as":"sync"}],
    "runs":{"kind":"async","function":["0+0x20"],"seconds":12.5},
    "waits":{"kind":"mutex","object":"0xa","name":"m","seconds":3.5,"limited":false,"because":"held","for":[2]},
    "call":"read","unread":true,"stack":["0+0x20","1+0x30","0x40"],"stackEnds":"the sea"},
    {"thread":2,"name":"b","state":"runs","own":true,"waits":{"kind":"queue","object":"0x10","limited":true,
    "because":"held","for":[]}}],
    "queues":[{"queue":"0x10","label":"q","kind":"serial","class":"default","pending":4,"done":9,"owner":1,"running":1,
    "limit":2,"suspended":1,"inactive":true,"target":"0x20","urgent":{"class":"userInteractive","behind":3},
    "next":[{"kind":"async","function":["1+0x40"]}],"p50":0.5,"p95":1.5,"oldest":2.5},
    {"queue":"0x20","label":"","kind":"global","class":"utility"}],
    "pools":[{"name":"default","threads":2,"running":1,"idle":0,"limit":2,
    "workers":[{"thread":1,"state":"waits"},{"thread":0,"state":"begins"}]}],
    "timers":3,"armed":[{"kind":"asyncAfter","due":-1.5,"queue":"0x10","function":["0+0x50"]},{"kind":"timer"}],
    "monitored":[{"descriptor":5,"for":"readable","label":"s"},{"descriptor":6,"for":"writable"}],"events":2,
    "unread":["the moon"],"images":["/bin/probe","/lib/other"]}
    """

  @Test("Each field is written, and what is not known or does not hold is left out")
  func whole() throws {
    let json = try #require(JSON(Self.whole)), inspection = try #require(Inspection(json))
    // The files are numbered as places name them: of threads, then of queues and timers.
    #expect(inspection.json.text == json.text)
    #expect(Shown.everything([inspection]).contains("deadlock: 2 threads"))
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
