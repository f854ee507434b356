// ObjectRoles.swift: sources of signals, processes, files and ports in a play.
import Glibc
import Signalbox

/// A source of SIGUSR1 or SIGUSR2, which the play raises.
final class SignalRole: SourceRole {
  private static let signals = [SIGUSR1, SIGUSR2]
  private let index: Int
  private let told = Tally()
  private var isRaised = false

  init(_ stage: Stage, _ number: Int, _ script: inout Script) {
    index = script.pick(2)
    super.init("\(number) signal \(index)", stage)
    let source = DispatchSource.makeSignalSource(signal: Self.signals[index], queue: script.pick(stage.queues))
    adopt(source, &script) { [unowned witness, told] data in
      witness.check(data != 0, "an event of no signals")
      told.add(Int(data))
    }
  }

  private var raised: Tally { stage.raised[index] }
  /// Whether this thread takes no signal that is sent to it alone, as the workers of some libraries.
  private var isBlocked: Bool {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return sigismember(&mask, Self.signals[index]) == 1
  }
  override func act(_ script: inout Script) {
    if script.once(in: 4) { signal(Self.signals[index], SIG_IGN) }
    for _ in 0...script.pick(3) {
      raised.add()
      if script.once(in: 3) && !isBlocked { raise(Self.signals[index]) } else { kill(getpid(), Self.signals[index]) }
    }
    if isActive { isRaised = true }
  }

  override func hasToldAll() -> Bool { !isRaised || told.value > 0 }
  override func judgeEvents() {
    // Signals that were raised before this source was made may be delivered after it began: the thread that takes them had no processor.
    let raised = raised.value
    witness.check(told.value <= raised, "\(told.value) signals told, \(raised) raised in the whole play")
  }
  override var detail: String { "told \(told.value) signals" }
}

/// A source for the end of a child.
final class ProcessRole: SourceRole {
  private let child: pid_t
  private var mayEnd = false

  init(_ stage: Stage, _ number: Int, _ script: inout Script) {
    let isShort = script.once(in: 2)
    child = Self.spawn(isShort ? ["/bin/true"] : ["/bin/sleep", "100"])
    super.init("\(number) process", stage)
    mayEnd = isShort
    let source = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit, queue: script.pick(stage.queues))
    adopt(source, &script) { [unowned witness] data in
      witness.check(data == DispatchSource.ProcessEvent.exit.rawValue, "\(data) reported for a process that ends")
    }
  }

  private static func spawn(_ words: [String]) -> pid_t {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    precondition(posix_spawn(&child, words[0], nil, nil, &arguments, environ) == 0, "no child for a play")
    return child
  }

  private func end() {
    if !mayEnd { kill(child, SIGKILL) }
    mayEnd = true
  }
  override func act(_ script: inout Script) { end() }

  override func hasToldAll() -> Bool {
    end()
    return witness.events.value > 0
  }
  override func judgeEvents() { witness.check(witness.events.value <= 1, "a process ends \(witness.events.value) times") }
  override func cleanUp() {
    end()
    while waitpid(child, nil, 0) < 0 && errno == EINTR {}
  }
}

/// A source for what happens to a file.
final class FileRole: SourceRole {
  typealias Event = DispatchSource.FileSystemEvent
  private var path: String
  private var mode: mode_t = 0o600
  private let descriptor: Int32
  private let told = Tally()
  /// What was done since it was activated, and ever.
  private var expected: Event = []
  private var possible: Event = [.attrib]

  init(_ stage: Stage, _ number: Int, _ script: inout Script) {
    (descriptor, path) = makeFile()
    super.init("\(number) file", stage)
    let source = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: descriptor, eventMask: .all, queue: script.pick(stage.queues))
    adopt(source, &script) { [unowned witness, told] data in
      witness.check(data != 0, "an event of nothing")
      told.unite(data)
    }
  }

  override func act(_ script: inout Script) {
    guard !possible.contains(.delete) else { return }
    switch script.pick(5) {
    case 0, 1:
      _ = write(descriptor, "bytes", 5)
      note([.write, .extend])
    case 2:
      // Always another mode: of two changes between two checks that cancel each other out nothing can be reported.
      mode = 0o600 | (mode + 1) & 0o77
      chmod(path, mode)
      note(.attrib)
    case 3:
      rename(path, path + "+")
      path += "+"
      note(.rename)
    default:
      if script.byte() & 3 != 0 { return }
      unlink(path)
      note(.delete)
    }
  }

  private func note(_ events: Event) {
    possible.formUnion(events)
    if isActive { expected.formUnion(events) }
  }

  override func hasToldAll() -> Bool { Event(rawValue: UInt(told.value)).isSuperset(of: expected) }
  override func judgeEvents() {
    let strange = Event(rawValue: UInt(told.value)).subtracting(possible)
    witness.check(strange.isEmpty || strange == .link, "\(strange) told, and only \(possible) done")
  }
  override func cleanUp() {
    unlink(path)
    close(descriptor)
  }
  override var detail: String { "told \(told.value), expects \(expected.rawValue)" }
}

/// A source at one end of a port: messages that wait, or the receiver's end.
final class PortRole: SourceRole {
  private var receiver: SignalboxPort?
  private var sender: SignalboxPort?
  private let isReceiving: Bool
  private var sent = 0
  private let received = Tally()

  init(_ stage: Stage, _ number: Int, _ script: inout Script) {
    isReceiving = script.once(in: 2)
    super.init("\(number) port \(isReceiving ? "receive" : "send")", stage)
    let pair = try! SignalboxPort.makePair()
    (receiver, sender) = (pair.receive, pair.send)
    if isReceiving { watchReceiver(pair.receive, &script) } else { watchSender(pair.send, &script) }
  }

  private func watchReceiver(_ port: SignalboxPort, _ script: inout Script) {
    let source = DispatchSource.makeMachReceiveSource(port: port.name, queue: script.pick(stage.queues))
    adopt(source, &script) { [unowned witness, received] _ in
      guard case .message(let bytes)? = try? port.receive() else { return witness.fault("no message waits") }
      witness.check(bytes == [UInt8(truncatingIfNeeded: received.add())], "messages out of order")
    }
  }

  private func watchSender(_ port: SignalboxPort, _ script: inout Script) {
    let source = DispatchSource.makeMachSendSource(port: port.name, eventMask: .dead, queue: script.pick(stage.queues))
    adopt(source, &script) { [unowned witness] data in
      witness.check(data == DispatchSource.MachSendEvent.dead.rawValue, "\(data) reported for a port")
    }
  }

  override func act(_ script: inout Script) {
    if !isReceiving && script.once(in: 4) { receiver = nil }
    if (try? sender?.send([UInt8(truncatingIfNeeded: sent)])) == .sent { sent += 1 }
  }

  override func hasToldAll() -> Bool {
    isReceiving ? received.value == sent : receiver != nil || witness.events.value == 1
  }
  override func judgeEvents() {
    if isReceiving { return witness.check(received.value <= sent, "\(received.value) received, \(sent) sent") }
    witness.check(witness.events.value == 0 || receiver == nil, "reported the end of a receiver that is there")
    witness.check(witness.events.value <= 1, "reported a receiver's end \(witness.events.value) times")
  }
  override func cleanUp() { (receiver, sender) = (nil, nil) }
  override var detail: String { "sent \(sent), received \(received.value)" }
}
