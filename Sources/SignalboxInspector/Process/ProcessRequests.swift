// ProcessRequests.swift: a connection to a process that answers: bytes of the memory of which its description speaks,
// and the stack of a thread. The other side is InspectionRequests.swift (SignalboxDiagnosis), the lines are described
// there.
import SignalboxSystem
import SignalboxView

/// What a process answers; each answer may take `patience`.
package final class ProcessRequests: ProcessMemory, @unchecked Sendable {
  // SAFETY of @unchecked: each is used by the one thread that inspects, which makes it.
  private let channel: any ByteChannel
  private let patience: UInt64
  private var bytes: [UInt8] = []
  /// Where the process has its description.
  private(set) var table: ReadNumber = 0
  /// What has gone wrong; everything that is asked for afterwards is missing.
  private(set) var failure: Failure?

  enum Failure: Equatable {
    /// It has another version of Signalbox, says nothing in time, or has broken the connection.
    case otherVersion, silence, end
  }

  /// No line of an answer is longer: 128 addresses, and a reason.
  private static let longestLine = 8192

  /// Connects, and greets.
  package init(_ channel: any ByteChannel, patience: UInt64) {
    (self.channel, self.patience) = (channel, patience)
    let words = ask("\(InspectionProtocol.name) \(InspectionProtocol.version)")
    if failure != nil { return }
    guard words.count == 3, words[0] == Substring(InspectionProtocol.name), words[1] == "\(InspectionProtocol.version)",
      let place = Self.address(words[2])
    else {
      failure = .otherVersion
      return
    }
    table = place
  }

  package func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    guard count > 0 else { return [] }
    guard let said = ask("bytes \(address.hexadecimal) \(count)").first.flatMap({ Int($0) }), said == count else { return nil }
    return take { count <= bytes.count ? count : nil }
  }

  /// The stack of a thread, and why it is missing or ends early; nil: no answer.
  package func stack(of thread: Int32) -> (addresses: [ReadNumber], gap: String?)? {
    let words = ask("stack \(thread)")
    guard let count = words.first.flatMap({ Int($0) }), count >= 0, count < words.count else { return nil }
    let addresses = words.dropFirst().prefix(count).compactMap { Self.address($0) }
    let gap = words.dropFirst(count + 1).joined(separator: " ")
    return addresses.count == count ? (addresses, gap.isEmpty ? nil : gap) : nil
  }

  private static func address(_ text: Substring) -> ReadNumber? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16).map { ReadNumber($0) } : nil
  }

  /// The words of the line that answers; none if there is no answer.
  private func ask(_ line: String) -> [Substring] {
    guard failure == nil else { return [] }
    guard channel.write(Array("\(line)\n".utf8), until: Clock.uptime() &+ patience) else {
      failure = .end
      return []
    }
    let found = take {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) { return end + 1 }
      if bytes.count > Self.longestLine { failure = .otherVersion }
      return nil
    }
    return String(decoding: (found ?? []).dropLast(), as: UTF8.self).split(separator: " ")
  }

  /// The first bytes of what comes, as many as `count` says once it does.
  private func take(_ count: () -> Int?) -> [UInt8]? {
    let deadline = Clock.uptime() &+ patience
    while failure == nil {
      if let count = count() {
        defer { bytes.removeFirst(count) }
        return Array(bytes[..<count])
      }
      if failure != nil { break }
      do throws(SystemError) {
        guard let more = try channel.read(until: deadline) else {
          failure = .silence
          break
        }
        if more.isEmpty { failure = .end }
        bytes += more
      } catch { failure = .end }
    }
    return nil
  }
}
