// StreamRoles.swift: streams in a play: channels at one end of a pipe or a pair of sockets, the play at the other.
import Glibc
import Signalbox

/// Channels read; the play writes.
final class StreamReadRole: ChannelRole {
  private let ends: Ends
  private let salt: Int
  private var written = 0

  init(_ stage: Stage, _ number: Int, _ script: inout Script) {
    ends = Ends(isSocket: script.once(in: 2), isBlocking: true)
    salt = number
    super.init("\(number) stream read", .stream, stage, &script)
    ends.setNonblocking(ends.input)
    open(&script) { [ends] in DispatchIO(type: .stream, fileDescriptor: ends.output, queue: $0, cleanupHandler: $1) }
  }

  override func act(_ handle: Handle, _ script: inout Script) {
    switch script.pick(8) {
    case 0, 1, 2: _ = read(handle, 0, script.once(in: 8) ? Int.max : script.size(), script.pick(stage.queues))
    case 3: readOnce(ends.output, script.size(), script.pick(stage.queues))
    case 4: if script.once(in: 4) { cut() }
    default: put(script.size())
    }
  }

  private func put(_ count: Int) {
    guard ends.inputIsClosed.value == 0 else { return }
    written += Ends.put(ends.input, written, count, salt) ?? 0
  }

  private func cut() {
    facts.isCut.set(1)
    ends.closeInput()
  }

  override func feed() { cut() }

  override func judgeBytes() {
    var all = operations.flatMap(\.bytes)
    facts.check(!isNonblocking(ends.output), "O_NONBLOCK stays behind")
    while let more = Ends.take(ends.output, 65_536), !more.isEmpty { all += more }
    facts.check(all == pattern(0..<written, salt), "\(all.count) bytes read of \(written), or others")
    ends.closeOutput()
  }

  private func isNonblocking(_ end: Int32) -> Bool { fcntl(end, F_GETFL) & O_NONBLOCK != 0 }
  override var detail: String { "written \(written), cut \(facts.isCut.value)" }
}

/// Channels write; the play reads.
final class StreamWriteRole: ChannelRole {
  private let ends: Ends
  private let salt: Int
  private var submitted = 0
  private var received: [UInt8] = []

  init(_ stage: Stage, _ number: Int, _ script: inout Script) {
    ends = Ends(isSocket: script.once(in: 2), isBlocking: true)
    salt = number
    super.init("\(number) stream write", .stream, stage, &script)
    ends.setNonblocking(ends.output)
    open(&script) { [ends] in DispatchIO(type: .stream, fileDescriptor: ends.input, queue: $0, cleanupHandler: $1) }
  }

  override func act(_ handle: Handle, _ script: inout Script) {
    switch script.pick(6) {
    case 0, 1, 2:
      let count = script.size()
      _ = write(handle, 0, pattern(submitted..<submitted + count, salt), script.pick(stage.queues))
      submitted += count
    case 3: if script.once(in: 8) { cut() }
    default: drain(script.size())
    }
  }

  private func cut() {
    facts.isCut.set(1)
    ends.closeOutput()
  }

  private func drain(_ count: Int) {
    guard ends.outputIsClosed.value == 0, let bytes = Ends.take(ends.output, count) else { return }
    received += bytes
  }

  override func feed() { drain(65_536) }

  override func judgeBytes() {
    ends.closeInput()
    guard ends.outputIsClosed.value == 0 else { return }
    while let bytes = Ends.take(ends.output, 65_536), !bytes.isEmpty { received += bytes }
    let written = operations.flatMap { Array($0.written) }
    facts.check(received == written, "\(received.count) bytes come out, \(written.count) count as written, or others")
    ends.closeOutput()
  }

  override var detail: String { "submitted \(submitted), received \(received.count), cut \(facts.isCut.value)" }
}
