// ChannelRole.swift: a descriptor with its channels in a play: policies, suspension, barriers, closing, letting go. What is read
// or written is the kinds' (subclasses).
import Glibc
import Signalbox

class ChannelRole: Role {
  /// One channel, and what its user did with it.
  final class Handle {
    var channel: DispatchIO?
    var marks = Marks()
    var suspensions = 0
    var isOpen = true
    let cleanups = Tally()
    let isOver = Flag()
  }

  let facts: ChannelFacts
  let type: DispatchIO.StreamType
  private(set) final var handles: [Handle] = []
  private(set) final var operations: [Operation] = []
  private(set) final var barriers: [Flag] = []
  /// Whether several have the descriptor: then nobody is suspended, so that the order stays that of submission.
  private let isShared: Bool
  private var resumptions = 0
  /// What closes the channels that are open in the end.
  private let lastClose: DispatchIO.CloseFlags
  /// Whether all channels have one descriptor; those of one path have one each.
  var hasOneDescriptor: Bool { true }

  init(_ name: String, _ type: DispatchIO.StreamType, _ stage: Stage, _ script: inout Script) {
    facts = ChannelFacts(stage, name)
    self.type = type
    isShared = script.once(in: 3)
    lastClose = script.once(in: 3) ? .stop : []
  }

  final var stage: Stage { facts.stage }

  // MARK: what a kind says

  /// A read or a write by the channel, or something at the other end.
  func act(_ handle: Handle, _ script: inout Script) {}
  /// Lets operations come to their end.
  func feed() {}
  /// Everything has ended: compares what was read and written.
  func judgeBytes() {}
  var detail: String { "" }

  // MARK: channels

  final func open(_ script: inout Script, _ make: (DispatchQueue, @escaping (Int32) -> Void) -> DispatchIO) {
    let handle = Handle()
    let token = Token(stage.living)
    handle.channel = make(script.pick(stage.queues)) { [facts, cleanups = handle.cleanups, isOver = handle.isOver] error in
      withExtendedLifetime(token) {
        facts.check(cleanups.add() == 0, "the cleanup handler comes twice")
        facts.check(error == 0, "the cleanup handler is given \(error)")
        facts.check(facts.pending.value == 0, "the cleanup handler comes before \(facts.pending.value) operations have ended")
        isOver.raise()
      }
    }
    handles.append(handle)
    if script.once(in: 2) { setPolicy(handle, handle.channel!, &script) }
  }

  /// Another one on the same descriptor.
  private func openAnother(_ script: inout Script) {
    guard isShared, hasOneDescriptor, handles.count < 3, let first = handles[0].channel, handles[0].isOpen else { return }
    open(&script) { DispatchIO(type: type, io: first, queue: $0, cleanupHandler: $1) }
  }

  final func step(_ script: inout Script) {
    let handle = script.pick(handles)
    guard let channel = handle.channel else { return }
    switch script.pick(16) {
    case 0: setPolicy(handle, channel, &script)
    case 1: if !isShared && handle.suspensions < 2 { suspend(handle) }
    case 2: resume(handle)
    case 3: if handle.isOpen { addBarrier(channel) }
    case 4: if script.once(in: 3) { close(handle, script.once(in: 2) ? .stop : []) }
    case 5: if script.once(in: 6) { letGo(handle) }
    case 6: openAnother(&script)
    case 7: channel.setTarget(queue: script.pick(stage.queues))
    default: act(handle, &script)
    }
  }

  private func setPolicy(_ handle: Handle, _ channel: DispatchIO, _ script: inout Script) {
    switch script.pick(3) {
    case 0:
      let bytes = script.size() + 48  // a report for every byte would take minutes
      channel.setLimit(highWater: bytes)
      handle.marks.setHigh(bytes)
    case 1:
      let bytes = script.size()
      channel.setLimit(lowWater: bytes)
      handle.marks.setLow(bytes)
    default:
      let isStrict = script.once(in: 2)
      channel.setInterval(interval: .milliseconds(1 + script.pick(3)), flags: isStrict ? .strictInterval : [])
      handle.marks.isStrict = isStrict
    }
  }

  private func suspend(_ handle: Handle) {
    handle.suspensions += 1
    handle.channel?.suspend()
  }
  private func resume(_ handle: Handle) {
    guard handle.suspensions > 0, let channel = handle.channel else { return }
    handle.suspensions -= 1
    resumptions += 1
    // By turns here and beside the play: what is scheduled meanwhile goes behind what was held back all the same.
    if resumptions % 2 == 0 { stage.elsewhere { channel.resume() } } else { channel.resume() }
  }

  private func addBarrier(_ channel: DispatchIO) {
    let (flag, token) = (Flag(), Token(stage.living))
    barriers.append(flag)
    facts.pending.add()
    channel.barrier { [facts] in
      withExtendedLifetime(token) {
        facts.check(!flag.isUp, "a barrier runs twice")
        facts.pending.add(-1)
        flag.raise()
      }
    }
  }

  final func close(_ handle: Handle, _ flags: DispatchIO.CloseFlags) {
    facts.isClosed.set(1)
    handle.isOpen = false
    handle.channel?.close(flags: flags)
  }

  private func letGo(_ handle: Handle) {
    while handle.suspensions > 0 { resume(handle) }
    facts.isClosed.set(1)
    handle.isOpen = false
    handle.channel = nil
  }

  // MARK: operations

  final func read(_ handle: Handle, _ offset: Int, _ length: Int, _ queue: DispatchQueue) -> Operation {
    let operation = Operation(read: length, facts, handle.marks, isOpen: handle.isOpen, behind: barriers)
    operations.append(operation)
    handle.channel?.read(offset: off_t(offset), length: length, queue: queue) { operation.hear($0, $1, $2) }
    return operation
  }

  final func write(_ handle: Handle, _ offset: Int, _ bytes: [UInt8], _ queue: DispatchQueue) -> Operation {
    let operation = Operation(write: bytes, facts, handle.marks, isOpen: handle.isOpen, behind: barriers)
    operations.append(operation)
    handle.channel?.write(offset: off_t(offset), data: operation.data, queue: queue) { operation.hear($0, $1, $2) }
    return operation
  }

  /// Without a channel; only where nobody is suspended.
  final func readOnce(_ descriptor: Int32, _ length: Int, _ queue: DispatchQueue) {
    guard isShared, handles.contains(where: { $0.isOpen }) else { return }
    let operation = Operation(read: length, facts, Marks(), isOpen: false, isSingle: true)
    operations.append(operation)
    DispatchIO.read(fromFileDescriptor: descriptor, maxLength: length, runningHandlerOn: queue) {
      operation.hear(true, $1 == 0 ? $0 : nil, $1)
    }
  }

  // MARK: the end

  final func finish() {
    for handle in handles {
      while handle.suspensions > 0 { resume(handle) }
      close(handle, lastClose)
    }
  }

  final func isSettled() -> Bool {
    feed()
    return operations.allSatisfy(\.isDone) && barriers.allSatisfy(\.isUp) && handles.allSatisfy(\.isOver.isUp)
  }

  final func judge() {
    for handle in handles { facts.check(handle.cleanups.value == 1, "\(handle.cleanups.value) cleanup handlers") }
    judgeBytes()
    for handle in handles { handle.channel = nil }
  }

  final var summary: String {
    let channels = handles.map { "(open \($0.isOpen), suspended \($0.suspensions), over \($0.isOver.isUp), \($0.marks))" }
    let open = operations.filter { !$0.isDone }.map(\.summary)
    return "\(facts.name): \(channels.joined()); \(operations.count) operations, not done: \(open); "
      + "\(barriers.count { !$0.isUp }) barriers wait; \(detail)"
  }

  final var objects: [AnyObject] { operations + handles.flatMap { [$0.channel as AnyObject?].compactMap { $0 } } }
}
