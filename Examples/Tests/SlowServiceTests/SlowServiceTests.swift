// SlowServiceTests.swift: the documentation's worked case: a service with three planted faults, each of which summary, timeline and inspection
// show at the top, as the article "A slow service, found in three ways" says.
import SignalboxCommandLine
import SignalboxSystem
import Testing

@Suite("A slow service", .serialized) struct SlowServiceTests {
  @Test("Each of three planted faults is found by inspect, summary and view", arguments: Form.allCases)
  func found(form: Form) throws {
    let service = try RunningService(form)
    var said = ""
    try mainQueue(service, &said)
    try pool(service, &said)
    try urgent(service, &said)
    #expect(try service.line() == "the journal has 19870 in all")
    let ending = service.child.wait()
    #expect(ending == .exited(0), "\(String(decoding: service.child.errorOutput, as: UTF8.self))")

    let tables = try #require(JSON(try RunningService.signalbox("summary", service.recording, "--json")))
    summary(tables, try RunningService.signalbox("summary", service.recording), &said)
    let page = service.folder + "/slow.html"
    _ = try RunningService.signalbox("view", service.recording, "-o", page)
    try view(ServicePage(#require(Files.text(RawString(page)))), tables)
    // What it quotes comes from the one that links Signalbox.
    if form == .linked { try article(said) }
  }

  // MARK: inspect, while each fault lasts

  private func mainQueue(_ service: RunningService, _ said: inout String) throws {
    #expect(try service.line() == "begun: main queue")
    let found = try service.inspected { $0.main["waits"]["seconds"].double >= 0.2 }
    let finding = found.findings.first ?? ""
    #expect(
      finding.hasPrefix("the main thread is kept in \"com.apple.main-thread\": ") && finding.contains("Display"), "\(finding)")
    #expect(finding.contains(" for serial queue \"journal\", at Journal.total() at Journal.swift:"), "\(finding)")
    #expect(finding.contains(" on queue \"journal\" has it"), "\(finding)")
    let holder = found.threads.first { $0["thread"].integer == found.main["waits"]["for"].values.first?.integer } ?? .null
    #expect(found.main["waits"]["because"].string == "held" && holder["call"].string == "read", "\(found.main.text)")
    #expect(found.queue("journal")["owner"].integer == holder["thread"].integer && holder["thread"].integer != nil)
    #expect(found.names.contains { $0.contains("Journal.flush") }, "\(found.names)")
    said += try top(service, finding)
    try service.goOn()
    #expect(try service.line().hasPrefix("the display took "))
  }

  private func pool(_ service: RunningService, _ said: inout String) throws {
    #expect(try service.line() == "begun: pool")
    let found = try service.inspected { found in
      found.threads.filter { $0["waits"]["kind"].string == "semaphore" && $0["waits"]["seconds"].double >= 0.2 }.count == 8
    }
    let finding = found.findings.first ?? ""
    #expect(finding.hasPrefix("the pool default is exhausted: all 8 threads wait, 8 of them for semaphore "), "\(finding)")
    #expect(finding.contains(" at Exchange.swift:"), "\(finding)")
    // Four questions that have no thread, and the answers to the other eight.
    #expect(finding.hasSuffix(", and there may be no more; items lie in \"requests\" (12)"), "\(finding)")
    let pool = found.pools.first { $0["threads"].integer ?? 0 > 0 } ?? .null
    #expect(
      pool["threads"].integer == 8 && pool["limit"].integer == 8 && pool["running"].integer == 0 && pool["idle"].integer == 0)
    said += try top(service, finding)
    try service.goOn()
    #expect(try service.line().hasPrefix("the rates took "))
  }

  private func urgent(_ service: RunningService, _ said: inout String) throws {
    #expect(try service.line() == "begun: urgent")
    let found = try service.inspected { $0.queue("account 3")["pending"].integer == 4 }
    let queue = found.queue("account 3"), finding = found.findings.first ?? ""
    #expect(queue["urgent"]["class"].string == "userInteractive" && queue["urgent"]["behind"].integer == 3, "\(queue.text)")
    #expect(
      finding.hasPrefix(
        "an urgent item (userInteractive) lies in serial queue \"account 3\" behind 3 less urgent ones; thread "),
      "\(finding)")
    #expect(
      finding.contains("has the queue, and runs \"account 3\": ") && finding.contains("Account.requestStatement"), "\(finding)")
    said += try top(service, finding)
    for _ in 0..<3 {
      try service.goOn()
      #expect(try service.line() == "begun: urgent")
    }
    try service.goOn()
    #expect(try service.line().hasPrefix("a payment took "))
  }

  /// The table for people has such a sentence, before all other tables.
  private func top(_ service: RunningService, _ finding: String) throws -> String {
    let text = try RunningService.signalbox("inspect", "\(service.child.id)")
    let lines = text.split(separator: "\n")
    #expect(lines.count > 3 && lines[1] == "what stands out", "\(text)")
    // Times have passed since.
    #expect(lines.count > 2 && lines[2].hasPrefix("  " + finding.prefix(35)), "\(text)")
    return text + finding
  }

  // MARK: summary

  private func summary(_ tables: JSON, _ text: String, _ said: inout String) {
    said += text + tables.text
    #expect(tables["complete"].boolean == true && tables["lostEvents"].integer == 0 && tables["lostNames"].integer == 0)
    let worst = tables["worst"].values.map { $0["what"].string ?? "" }
    #expect(
      worst.contains {
        $0.hasPrefix("the main thread was kept by ") && $0.contains("Display.refresh")
          && $0.contains("; it waited for queue \"journal\", had by ")
      }, "\(worst)")
    #expect(
      worst.contains {
        $0.hasPrefix("all 8 workers waited, and items with them; most of them for semaphore ") && $0.contains("Exchange.rush")
      }, "\(worst)")
    #expect(
      worst.contains {
        $0.contains("Account.pay") && $0.contains(", which is user-interactive, waited in \"account 3\" behind ")
          && $0.contains("Account.requestStatement") && $0.hasSuffix(" and 3 more, which are background")
      }, "\(worst)")
    let held = tables["mainThread"].values.first ?? .null
    #expect(held["took"].double >= 2e8 && held["place"].string?.contains("Display.swift:") == true, "\(held.text)")
    let wait = tables.row("waits") { $0["name"].string == "queue \"journal\"" }
    #expect(wait["times"]["longest"].double >= 2e8 && wait["holderAtLongest"].string?.isEmpty == false, "\(wait.text)")
    let journal = tables.row("queues") { $0["name"].string == "journal" }
    #expect(journal["items"].integer == 202 && journal["slowest"].string?.contains("Journal.flush") == true, "\(journal.text)")
    #expect(journal["place"].string?.contains("Journal.swift:") == true, "\(journal.text)")
    let stall = tables["stalls"].values.first ?? .null
    #expect(stall["took"].double >= 2e8 && stall["workers"].integer == 8, "\(stall.text)")
    #expect(stall["place"].string?.contains("Exchange.swift:") == true, "\(stall.text)")
    let urgent = tables["urgent"].values.first ?? .null
    #expect(urgent["queue"].string == "account 3" && urgent["class"].string == "user-interactive", "\(urgent.text)")
    #expect(urgent["behindClass"].string == "background" && urgent["behindItems"].integer == 4, "\(urgent.text)")
    #expect(urgent["place"].string?.contains("Account.swift:") == true, "\(urgent.text)")
    // The page says it first.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count > 20 && lines[2] == "The worst moments")
    for what in worst.prefix(5) { #expect(lines[4..<9].contains { $0.contains(what) }, "\(text)") }
  }

  // MARK: view

  private func view(_ page: ServicePage, _ tables: JSON) throws {
    #expect(page.header["summary"].text == tables.text)
    let threads = page.header["threads"].values
    let main = try #require(threads.firstIndex { $0["isMain"].boolean == true })
    // The main thread's wait, and what the thread that had the queue did meanwhile.
    let wait = try #require(page.slices.first { $0.thread == main && $0.kind == .wait && $0.end - $0.begin >= 200_000_000 })
    let holder = try #require(wait.holder), middle = wait.begin + (wait.end - wait.begin) / 2
    #expect(wait.what == "queue \"journal\"" && holder != main)
    #expect(
      page.slices.contains {
        $0.thread == main && $0.kind == .item && $0.what.contains("Display.refresh") && $0.contains(middle)
      })
    let item = page.slices.first { $0.thread == holder && $0.kind == .item && $0.contains(middle) }
    #expect(item?.queue == "journal" && item?.what.contains("Journal.flush") == true)
    // In the midst of the stall each worker waits in a question.
    let stall = tables["stalls"].values.first ?? .null, moment = UInt64(stall["at"].double + stall["took"].double / 2)
    let workers = threads.indices.filter { threads[$0]["isWorker"].boolean == true }
    let waiting = workers.filter { worker in
      page.slices.contains { $0.thread == worker && $0.kind == .wait && $0.contains(moment) }
    }
    let asking = workers.filter { worker in
      page.slices.contains {
        $0.thread == worker && $0.kind == .item && $0.what.contains("Exchange.rush") && $0.contains(moment)
      }
    }
    #expect(waiting.count == 8 && asking == waiting)
    // In the account's lane the statements lie one behind the other, and behind them the payment.
    let items = page.slices.filter { $0.kind == .item && $0.queue == "account 3" }.suffix(5)
    #expect(items.dropLast().allSatisfy { $0.what.contains("Account.requestStatement") }, "\(items.map(\.what))")
    #expect(items.last?.what.contains("Account.pay") == true)
  }

  // MARK: the article

  /// Places that the article quotes are those that the tools name.
  private func article(_ said: String) throws {
    let source = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let text = try #require(Files.text(RawString("/\(source)/Sources/Signalbox/Signalbox.docc/ASlowService.md")))
    let places = Set(text.matches(of: #/\w+\.swift:\d+/#).map { String($0.output) })
    #expect(places.count >= 5, "\(places)")
    for place in places { #expect(said.contains(place), "the article quotes \(place), and no tool names it") }
  }
}
