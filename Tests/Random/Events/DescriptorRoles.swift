// DescriptorRoles.swift: read and write sources in a play: each byte once and in order, the end once, the number free again when
// the cancel handler comes.
import Signalbox

/// A source for reading; the play writes.
final class ReadRole: SourceRole {
  private let ends: Ends
  private let salt: Int
  private var written = 0
  private let received = Tally(), sawEnd = Tally()

  init(_ stage: Stage, _ number: Int, _ script: inout Script) {
    ends = Ends(isSocket: script.once(in: 2))
    salt = number
    super.init("\(number) read", stage)
    let chunk = script.size() + 500  // few events for many bytes
    let source = DispatchSource.makeReadSource(fileDescriptor: ends.output, queue: script.pick(stage.queues))
    adopt(source, &script) { [unowned witness, ends, salt, received, sawEnd] data in
      witness.check(sawEnd.value == 0, "an event after the end was reported")
      witness.check(Ends.available(ends.output) >= Int(data), "\(data) bytes told, fewer there")
      guard let bytes = Ends.take(ends.output, chunk) else { return witness.fault("told \(data) bytes, and nothing was there") }
      witness.check(data == 0 || !bytes.isEmpty, "\(data) bytes told, and it was the end")
      if bytes.isEmpty { sawEnd.set(1) }
      let position = received.add(bytes.count)
      witness.check(bytes == pattern(position..<position + bytes.count, salt), "other bytes than were written")
    }
    source.setCancelHandler { [witness, ends] in
      ends.closeOutput()
      witness.heardEnd()
    }
  }

  override func act(_ script: inout Script) {
    if script.once(in: 8) { return ends.closeInput() }
    if ends.inputIsClosed.value != 0 { return }
    written += Ends.put(ends.input, written, script.size(), salt) ?? 0
  }

  override func hasToldAll() -> Bool { received.value == written && (ends.inputIsClosed.value == 0 || sawEnd.value != 0) }
  override func judgeEvents() {
    witness.check(received.value <= written, "\(received.value) bytes received, \(written) written")
  }
  override func cleanUp() {
    ends.closeInput()
    ends.closeOutput()
  }
  override var detail: String {
    "written \(written), received \(received.value), closed \(ends.inputIsClosed.value), end told \(sawEnd.value)"
  }
}

/// A source for writing, which cancels itself when everything is written; the play reads.
final class WriteRole: SourceRole {
  private let ends: Ends
  private let salt: Int
  private let sent = Tally(), isBroken = Tally()
  private var received = 0

  init(_ stage: Stage, _ number: Int, _ script: inout Script) {
    ends = Ends(isSocket: script.once(in: 2))
    salt = number
    super.init("\(number) write", stage)
    let goal = script.size() + script.size()
    let chunk = script.size() + goal / 100
    let source = DispatchSource.makeWriteSource(fileDescriptor: ends.input, queue: script.pick(stage.queues))
    adopt(source, &script) { [unowned witness, ends, salt, sent, isBroken] data in
      witness.check(data != 0 || ends.outputIsClosed.value != 0, "no room told, and the reader is there")
      let position = sent.value
      if let count = Ends.put(ends.input, position, min(chunk, goal - position), salt) {
        sent.add(count)
      } else {
        witness.check(ends.outputIsClosed.value != 0, "writing fails, and the reader is there")
        isBroken.set(1)
      }
      if sent.value == goal || isBroken.value != 0 { witness.cancelFromHandler() }
    }
    source.setCancelHandler { [witness, ends] in
      ends.closeInput()
      witness.heardEnd()
    }
  }

  override func act(_ script: inout Script) {
    if script.once(in: 12) { return ends.closeOutput() }
    drain(script.size())
  }

  /// nil from `take`: nothing yet.
  private func drain(_ count: Int) {
    guard ends.outputIsClosed.value == 0, let bytes = Ends.take(ends.output, count) else { return }
    witness.check(bytes == pattern(received..<received + bytes.count, salt), "other bytes come out than were written")
    received += bytes.count
  }

  /// It cancels itself.
  override func hasToldAll() -> Bool {
    drain(65_536)
    return false
  }

  override func judgeEvents() {
    guard ends.outputIsClosed.value == 0 else { return }
    ends.closeInput()
    while received < sent.value, let bytes = Ends.take(ends.output, 65_536), !bytes.isEmpty { received += bytes.count }
    witness.check(received == sent.value, "\(received) bytes come out, \(sent.value) were written")
  }
  override func cleanUp() {
    ends.closeInput()
    ends.closeOutput()
  }
  override var detail: String { "sent \(sent.value), received \(received), broken \(isBroken.value)" }
}
