// WaitPicture.swift: what waits for what, as a picture: threads and things, an arrow from a waiter to what it waits
// for, and from there to the holders. What no thread can leave is a cycle, in red. As a table it is
// InspectionTables.swift.
import SignalboxCommandLine

/// The picture of one inspection: SVG that needs nothing besides.
public struct WaitPicture {
  private struct Node {
    var title: String
    var note: String
    var isThread: Bool
    var isRed: Bool
    var x = 0.0
    var y = 0.0
  }
  private struct Edge: Hashable {
    var from: String
    var to: String
    var note: String
    var isRed: Bool
  }

  private static let width = 290.0, height = 54.0, gap = 44.0, margin = 24.0
  /// No more threads are drawn: those of cycles, then those that wait longest.
  private static let most = 200

  private let title: String
  private var nodes: [String: Node] = [:]
  private var order: [String] = []
  private var edges: [Edge] = []
  /// By where they begin.
  private var leaving: [String: [Edge]] = [:]
  private var left = 0

  /// - Parameter process: what the process is called.
  public init(_ inspections: [Inspection], process: String) {
    title = "Which thread waits for which in process \(process)"
    for (number, inspection) in inspections.enumerated() { add(inspection, number) }
    place()
  }

  // MARK: what is in it

  private mutating func add(_ inspection: Inspection, _ copy: Int) {
    let names = InspectionNames(inspection, PlaceNames(wantsLines: false))
    let red = Set(inspection.cycles.flatMap(\.threads))
    let waiting = inspection.threads.filter { $0.wait != nil }.sorted { first, second in
      let (one, other) = (red.contains(first.id), red.contains(second.id))
      return one != other ? one : (first.wait?.seconds ?? .infinity) > (second.wait?.seconds ?? .infinity)
    }
    left += max(0, waiting.count - Self.most)
    for thread in waiting.prefix(Self.most) {
      guard let wait = thread.wait else { continue }
      let isRed = red.contains(thread.id)
      let from = self.thread(thread.id, names, red), to = "\(copy) \(wait.object) \(wait.kind)"
      add(to, Node(title: names.object(wait), note: note(wait, names), isThread: false, isRed: isRed))
      let time = wait.seconds.map { "waits \(InspectionNames.time($0))" } ?? "waits"
      join(from, to, time + (wait.isLimited ? ", with a limit" : ""), isRed)
      left += max(0, wait.holders.count - Self.most)
      for holder in wait.holders.prefix(Self.most) {
        join(
          to, self.thread(holder, names, red), wait.because == "held" ? "held by" : wait.because, isRed && red.contains(holder))
      }
    }
  }

  private func note(_ wait: Inspection.Wait, _ names: InspectionNames) -> String {
    switch wait.because {
    case "anyone": "any thread may end it"
    case "stopped": "suspended or not active"
    case "no thread": "no thread has it"
    case "over": "granted"
    case "pool": "waits for a thread of the pool"
    // Its name may be its address.
    default: names.object(wait).contains(wait.object) ? "" : wait.object
    }
  }

  private mutating func thread(_ id: Int, _ names: InspectionNames, _ red: Set<Int>) -> String {
    let key = "thread \(id)"
    add(key, Node(title: names.thread(id), note: "", isThread: true, isRed: red.contains(id)))
    return key
  }

  private mutating func add(_ key: String, _ node: Node) {
    if nodes[key] == nil { order.append(key) }
    // What one of a cycle waits for is red whichever other threads wait for it.
    let wasRed = nodes[key]?.isRed == true
    nodes[key] = nodes[key] ?? node
    nodes[key]?.isRed = wasRed || node.isRed
  }

  private mutating func join(_ from: String, _ to: String, _ note: String, _ isRed: Bool) {
    guard leaving[from]?.contains(where: { $0.to == to }) != true else { return }
    let edge = Edge(from: from, to: to, note: note, isRed: isRed)
    edges.append(edge)
    leaving[from, default: []].append(edge)
  }

  // MARK: where it lies

  /// Cycles on the left, down one side and up the other; below them, in rows, the waiter, what it waits for, and the
  /// holder.
  private mutating func place() {
    var top = Self.margin
    let red = ring()
    if !red.isEmpty {
      let half = (red.count + 1) / 2, step = Self.height + Self.gap
      for (number, key) in red.enumerated() {
        let isDown = number < half
        nodes[key]?.x = Self.margin + (isDown ? 0 : Self.width + 2 * Self.gap + 60)
        nodes[key]?.y = top + Double(isDown ? number : red.count - 1 - number) * step
      }
      top += Double(half) * step + Self.gap
    }
    var placed = Set(red)
    for key in order where nodes[key]?.isThread == true && !placed.contains(key) {
      guard let first = leaving[key]?.first else { continue }
      var column = 0, next: String? = key
      while let here = next, placed.insert(here).inserted {
        nodes[here]?.x = Self.margin + Double(column) * (Self.width + 2 * Self.gap + 60)
        nodes[here]?.y = top
        column += 1
        next = column == 1 ? first.to : leaving[here]?.first?.to
      }
      top += Self.height + Self.gap
    }
    for key in order where !placed.contains(key) {
      nodes[key]?.x = Self.margin
      nodes[key]?.y = top
      top += Self.height + Self.gap
    }
  }

  /// The red ones, each beside those that it waits for, as far as one cycle goes; then the next cycle.
  private func ring() -> [String] {
    var found: [String] = [], seen: Set<String> = []
    for key in order where nodes[key]?.isRed == true {
      var next: String? = key
      while let here = next, seen.insert(here).inserted {
        found.append(here)
        next = leaving[here]?.first { $0.isRed && !seen.contains($0.to) }?.to
      }
    }
    return found
  }

  // MARK: the text

  /// The picture.
  public var svg: String {
    let width = (nodes.values.map(\.x).max() ?? 0) + Self.width + Self.margin
    let height = (nodes.values.map(\.y).max() ?? 0) + Self.height + Self.margin + 40
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Int(width))\" height=\"\(Int(height))\" viewBox=\"0 -40 \(Int(width)) \(Int(height))\" "
        + "font-family=\"system-ui, sans-serif\" font-size=\"13\">",
      "<title>\(Self.escaped(title))</title>",
      "<defs>\(Self.arrow("plain", "#667"))\(Self.arrow("red", "#c22"))</defs>",
      "<rect y=\"-40\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
      "<text x=\"\(Int(Self.margin))\" y=\"-14\" font-weight=\"bold\">\(Self.escaped(caption))</text>",
    ]
    lines += edges.map(text) + order.compactMap { nodes[$0] }.map(text)
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private var caption: String {
    if nodes.isEmpty { return title + ": no thread waits" }
    return title + (left > 0 ? "; \(left) that wait less long are left out" : "")
  }

  private static func arrow(_ name: String, _ colour: String) -> String {
    "<marker id=\"\(name)\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto-start-reverse\">"
      + "<path d=\"M0 0L10 5L0 10z\" fill=\"\(colour)\"/></marker>"
  }

  private func text(_ node: Node) -> String {
    let colour = node.isRed ? "#c22" : "#667", fill = node.isRed ? "#fdeaea" : node.isThread ? "#eef3fb" : "#f6f6f2"
    let shape =
      "<rect x=\"\(Int(node.x))\" y=\"\(Int(node.y))\" width=\"\(Int(Self.width))\" height=\"\(Int(Self.height))\" "
      + "rx=\"\(node.isThread ? 4 : 26)\" fill=\"\(fill)\" stroke=\"\(colour)\" stroke-width=\"\(node.isRed ? 2.5 : 1)\"/>"
    let middle = node.x + Self.width / 2, line = node.y + (node.note.isEmpty ? 32 : 24)
    let title =
      "<text x=\"\(Int(middle))\" y=\"\(Int(line))\" text-anchor=\"middle\">\(Self.escaped(Self.cut(node.title)))</text>"
    let note =
      node.note.isEmpty
      ? ""
      : "<text x=\"\(Int(middle))\" y=\"\(Int(node.y + 42))\" text-anchor=\"middle\" fill=\"#667\" font-size=\"11\">"
        + "\(Self.escaped(Self.cut(node.note)))</text>"
    return
      "<g class=\"\(node.isThread ? "thread" : "thing")\(node.isRed ? " cycle" : "")\"><title>\(Self.escaped(node.title))</title>"
      + shape + title + note + "</g>"
  }

  private func text(_ edge: Edge) -> String {
    guard let from = nodes[edge.from], let to = nodes[edge.to] else { return "" }
    let start = Self.border(of: from, towards: to), end = Self.border(of: to, towards: from)
    let name = edge.isRed ? "red" : "plain", colour = edge.isRed ? "#c22" : "#667"
    let line =
      "<line x1=\"\(Int(start.x))\" y1=\"\(Int(start.y))\" x2=\"\(Int(end.x))\" y2=\"\(Int(end.y))\" stroke=\"\(colour)\" "
      + "stroke-width=\"\(edge.isRed ? 2.5 : 1)\" marker-end=\"url(#\(name))\"/>"
    return "<g class=\"edge\(edge.isRed ? " cycle" : "")\">" + line
      + "<text x=\"\(Int((start.x + end.x) / 2 + 6))\" y=\"\(Int((start.y + end.y) / 2 - 4))\" fill=\"\(colour)\" font-size=\"11\">"
      + "\(Self.escaped(edge.note))</text></g>"
  }

  /// Where the line between the middles of two nodes leaves the first.
  private static func border(of node: Node, towards other: Node) -> (x: Double, y: Double) {
    let (dx, dy) = (other.x - node.x, other.y - node.y)
    let scale = max(abs(dx) / (width / 2), abs(dy) / (height / 2))
    let part = scale == 0 ? 0 : 1 / scale
    return (node.x + width / 2 + dx * part, node.y + height / 2 + dy * part)
  }

  private static func cut(_ text: String) -> String { text.count > 40 ? text.prefix(39) + "…" : text }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in TextTable.plain(text) {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
    return result
  }
}
