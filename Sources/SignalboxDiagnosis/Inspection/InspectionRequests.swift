// InspectionRequests.swift: the two things that a process answers to its readers: bytes of the memory of which its
// description speaks, and the stack of a thread; and this module's words in that description. The lines are described
// in README.md.
import SignalboxSystem
import SignalboxView
import SignalboxWaits

/// The requests that come by one connection, answered one after the other. For one thread.
final class InspectionRequests {
  private let channel: any ByteChannel
  /// What has come and was not answered yet.
  private var bytes: [UInt8] = []
  private var isGreeted = false
  /// When the connection ends at the latest, and when it does unless a request comes.
  private let end: UInt64
  private var patience: UInt64
  /// What the description spoke of when it was last asked for, and until when of uptime that is believed.
  private var ranges: DescribedRanges?, rangesEnd: UInt64 = 0

  /// How long a reader may take for its next request, and for all of them, in nanoseconds.
  private static let pause: UInt64 = 5_000_000_000, longest: UInt64 = 60_000_000_000
  /// A request is one line, shorter than this; and asks for no more bytes.
  private static let longestRequest = 200, mostBytes = 8 << 20
  /// For how long ranges are believed, in nanoseconds; or as long as it took to search for them, if that is more.
  private static let freshness: UInt64 = 100_000_000

  /// nil: the reader may not ask. Root reads every process anyway.
  convenience init?(_ connection: LocalConnection) {
    guard let user = connection.peer?.user, user == ProcessInput.user || user == 0 else { return nil }
    self.init(through: connection)
  }

  init(through channel: any ByteChannel) {
    self.channel = channel
    let now = Clock.uptime()
    (end, patience) = (now &+ Self.longest, now &+ Self.pause)
  }

  /// Answers what comes until `deadline` of uptime. False: the connection is over.
  func answer(until deadline: UInt64) -> Bool {
    while Clock.uptime() < deadline {
      while let line = nextLine() {
        guard let answer = answer(to: line) else { return false }
        guard channel.write(answer, until: Clock.uptime() &+ Self.pause) else { return false }
        patience = Clock.uptime() &+ Self.pause
      }
      guard bytes.count < Self.longestRequest else { return false }
      let last = min(patience, end)
      do throws(SystemError) {
        guard let more = try channel.read(until: min(deadline, last)) else {
          if Clock.uptime() >= last { return false }
          continue
        }
        if more.isEmpty { return false }
        bytes += more
      } catch { return false }
    }
    return true
  }

  private func nextLine() -> [Substring]? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end < Self.longestRequest else { return nil }
    let line = String(decoding: bytes[..<end], as: UTF8.self)
    bytes.removeSubrange(...end)
    return line.split(separator: " ", omittingEmptySubsequences: false)
  }

  /// nil: that is no request, or the process hides its memory from its user; the connection ends.
  private func answer(to line: [Substring]) -> [UInt8]? {
    if ProcessDescription.isHidden { return nil }
    guard isGreeted else { return greet(line) }
    switch line.first {
    case "bytes" where line.count == 3:
      guard let address = Self.address(line[1]), let count = Int(line[2]), (1...Self.mostBytes).contains(count) else {
        return nil
      }
      guard let found = memory(address, count) else { return Self.line("0") }
      return Self.line("\(count)") + found
    case "stack" where line.count == 2:
      guard let thread = Int32(line[1]), thread > 0 else { return nil }
      return Self.line(Self.stack(thread))
    default: return nil
    }
  }

  /// A reader of another version gets this one's greeting, and the connection ends with its next line.
  private func greet(_ line: [Substring]) -> [UInt8]? {
    guard line.first == Substring(InspectionProtocol.name) else { return nil }
    isGreeted = line.count == 2 && line[1] == "\(InspectionProtocol.version)"
    let table = String(ProcessDescription.table, radix: 16)
    return Self.line("\(InspectionProtocol.name) \(InspectionProtocol.version) 0x\(table)")
  }

  /// The bytes, if the description speaks of all of them. What it speaks of changes: objects that are new to it are
  /// searched for, and what was an object of it may be another's memory soon after.
  private func memory(_ address: UInt64, _ count: Int) -> [UInt8]? {
    let begin = Clock.uptime()
    if begin >= rangesEnd || ranges?.contain(address, count) != true {
      ranges = DescribedRanges(ofTable: ProcessDescription.table)
      let end = Clock.uptime()
      rangesEnd = end &+ max(Self.freshness, end &- begin)
    }
    guard ranges?.contain(address, count) == true else { return nil }
    return SafeMemory.bytes(UInt(address), count)
  }

  /// How many addresses there are, these, and why they end early.
  private static func stack(_ thread: Int32) -> String {
    let found = ThreadStack.reading(thread, milliseconds: 20)
    let addresses = found.addresses.map { " 0x" + String($0, radix: 16) }
    return "\(addresses.count)" + addresses.joined() + (found.gap.map { " " + $0.text } ?? "")
  }

  private static func address(_ text: Substring) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
  }
  private static func line(_ text: String) -> [UInt8] { Array("\(text)\n".utf8) }
}

// MARK: this module's words in the description

// The table is ProcessDescription.swift (SignalboxSystem); queues, work items and operations are added by their layers
// when their places are learnt. The loader calls what stands in this section. Addresses alone are written: nothing is
// there yet.
@used @section(".init_array")
private let description: @convention(c) @Sendable () -> Void = {
  ProcessDescription.write(.mainThread, WaitRecord.mainThreadPlace)
  ProcessDescription.write(.ownThreads, OwnThreads.place)
}
