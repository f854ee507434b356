// IOOperation.swift: one read or write: what it was asked, what it has, and its reports. When it moves bytes is its lane's
// (IOLane.swift); what follows from them is IOProgress's.
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// What is reported about an operation: whether it is over, bytes, an error.
typealias IOHandler = (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void

final class IOOperation: @unchecked Sendable {
  // SAFETY of @unchecked: `progress`, `input`, `output` and `hasBegun` belong to the job of the lane, of which one runs at a time;
  // `reports` is guarded by the lane's lock; `handler` is called by one report at a time and taken out by the last. Unchecked for the same
  // reasons: the exclusivity check finds nothing there, and each turn passes it several times.

  let direction: IOProgress.Direction
  let channel: IOChannel
  /// Where reports run; nil runs the one report of a single shot at once.
  let queue: DispatchQueue?
  /// From where on, if not from the file pointer: relative to the channel's first position.
  private let offset: Int64?
  private let length: Int
  private let policy: IOPolicy
  @exclusivity(unchecked) private var handler: IOHandler?
  private let isSingle: Bool

  @exclusivity(unchecked) private var hasBegun = false
  @exclusivity(unchecked) private var progress: IOProgress
  @exclusivity(unchecked) private var input = IOInput()
  @exclusivity(unchecked) private var output: IOOutput
  /// Of a read: how many of its bytes wait in writes.
  let flow: IOFlow?
  /// How far the user has come with what was reported. Guarded by the lane's lock.
  @exclusivity(unchecked) var reports = IOReports()

  /// Stops the program unless the length is one.
  init(
    _ direction: IOProgress.Direction, _ channel: IOChannel, offset: Int64, length: Int, data: DispatchData? = nil,
    queue: DispatchQueue?, policy: IOPolicy, handler: @escaping IOHandler
  ) {
    self.direction = direction
    self.channel = channel
    self.queue = queue
    self.offset = channel.type == .random ? offset : nil
    self.length = length
    self.policy = policy
    self.handler = handler
    isSingle = queue == nil
    flow = direction == .read ? IOFlow() : nil
    progress = IOProgress(direction, length: length, policy: policy, piece: 1, waits: false)
    output = IOOutput(data ?? .empty)
  }

  // MARK: turns, each on the lane's job

  /// Moves some bytes, or does what else is due. What the lane is to do then.
  func turn(_ lane: IOLane, tick: Bool) -> IOProgress.Next {
    if channel.isStopped { return apply(progress.ended(ErrorNumber.cancelled), lane) }
    if !hasBegun {
      let next = begin(lane)
      guard next == .transfer else { return next }
    }
    if channel.descriptor.isGone { return apply(progress.ended(ErrorNumber.badDescriptor), lane) }
    if tick, progress.ticked(isStrict: policy.isStrict) { report(lane) }
    return apply(transfer(), lane)
  }

  private func begin(_ lane: IOLane) -> IOProgress.Next {
    hasBegun = true
    flow?.set(lane)
    let opened = channel.descriptor.opened()
    if opened.error != 0 {
      channel.failed(opened.error)
      return apply(progress.ended(opened.error), lane)
    }
    let waits = opened.kind == .stream || opened.kind == .socket
    let piece = waits ? IOTuning.streamPiece : IOTuning.filePiece
    progress = IOProgress(direction, length: length, policy: policy, piece: piece, waits: waits, isSingle: isSingle)
    if policy.interval != .max { lane.arm(self, after: policy.interval) }
    return apply(progress.begun(), lane)
  }

  private func transfer() -> IOProgress.Step {
    var position: Int64?
    if let offset {
      guard let start = channel.position(offset, moved: progress.transferred) else {
        return progress.ended(ErrorNumber.invalid)
      }
      position = start
    }
    return direction == .read ? read(position) : write(position)
  }

  private func read(_ position: Int64?) -> IOProgress.Step {
    guard let room = input.room(for: progress.request, flow: flow) else { return progress.ended(ErrorNumber.noMemory) }
    switch Descriptors.read(channel.descriptor.number, room.start, count: room.count, offset: position) {
    case .moved(let count):
      input.filled(count)
      return progress.moved(count, of: room.count)
    case .wouldBlock: return progress.blocked()
    case .end: return progress.ended(0)
    case .failed(let error): return progress.ended(error)
    }
  }

  private func write(_ position: Int64?) -> IOProgress.Step {
    let descriptor = channel.descriptor
    let attempt = output.next(progress.request) { pieces in
      Descriptors.write(descriptor.number, descriptor.kind, pieces, offset: position)
    }
    switch attempt.0 {
    case .moved(let count): return progress.moved(count, of: attempt.asked)
    case .wouldBlock: return progress.blocked()
    case .end: return progress.ended(0)
    case .failed(let error): return progress.ended(error)
    }
  }

  private func apply(_ step: IOProgress.Step, _ lane: IOLane) -> IOProgress.Next {
    if step.reports { report(lane) }
    switch step.next {
    case .transfer: break
    case .wait: input.rest()
    case .finish(let error): finish(error, lane)
    }
    return step.next
  }

  // MARK: reports

  /// What is undelivered, with more to come.
  private func report(_ lane: IOLane) {
    let data = direction == .read ? input.take() : rest
    let bytes = direction == .read ? data?.count ?? 0 : 0
    progress.reported()
    lane.report(self, IOReport(isLast: false, data: data, error: 0, bytes: bytes))
  }

  /// The last report; nothing of the operation is left then but that.
  private func finish(_ error: Int32, _ lane: IOLane?) {
    if Events.areWanted(.transferEnded) { tellEnd(error) }
    let data: DispatchData?
    switch direction {
    case .write: data = rest
    case .read:
      let bytes = input.take()
      data = error != 0 && bytes.count == 0 && !isSingle ? nil : bytes
    }
    flow?.set(nil)
    output.release()
    output = IOOutput(.empty)
    let report = IOReport(isLast: true, data: data, error: error, bytes: 0)
    guard let lane else { return submit(report, nil) }
    lane.report(self, report)
  }

  private var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// It was asked for. The descriptor of a path may be not open yet.
  @inline(never) func tellBeginning() {
    let traits =
      (direction == .write ? TransferTraits.isWrite : 0) | (offset == nil ? 0 : TransferTraits.isRandom)
      | UInt64(UInt32(bitPattern: channel.descriptor.number))
    Events.emit(.transferBegan, address, traits, min(UInt64(max(0, length)), EventCell.addressMask))
  }

  @inline(never) private func tellEnd(_ error: Int32) {
    let descriptor = UInt64(UInt32(bitPattern: channel.descriptor.number))
    Events.emit(
      .transferEnded, address, UInt64(progress.transferred), UInt64(UInt16(truncatingIfNeeded: error)) | descriptor << 16)
  }

  /// Of a write: what is not written yet.
  private var rest: DispatchData? {
    let data = output.data
    guard progress.transferred < data.count else { return nil }
    return data.subdata(in: progress.transferred..<data.count)
  }

  /// Never begins: the channel is closed, or was never open.
  func refuse(_ error: Int32) { finish(error, nil) }

  /// Whether reports may be submitted while an earlier one has not returned: a serial queue keeps them apart by itself.
  var keepsOrder: Bool { queue.map { $0.isSerial || $0.isMain } ?? true }

  /// Has the handler called; the lane hears of its return.
  func submit(_ report: IOReport, _ lane: IOLane?) {
    guard let queue else { return call(report, lane) }
    guard channel.holdsBack else { return queue.async { [self] in call(report, lane) } }
    channel.afterResuming { [self] in queue.async { [self] in call(report, lane) } }
  }

  private func call(_ report: IOReport, _ lane: IOLane?) {
    channel.followInSanitizedOrder(self)
    if report.isLast {
      handler.take()?(true, report.data, report.error)  // what it captured is released here
      lane?.returned(self, report.bytes)
      channel.operationEnded()
    } else {
      handler?(false, report.data, report.error)
      precedeInSanitizedOrder()
      lane?.returned(self, report.bytes)
    }
  }

  /// Whether its first turn may be taken by the thread that asks for it: a write to a socket, which cannot keep that thread.
  var startsAtOnce: Bool { direction == .write && queue != nil && channel.descriptor.isOpenSocket }
}

/// One call of a handler.
struct IOReport: Sendable {
  var isLast: Bool
  var data: DispatchData?
  var error: Int32
  /// Bytes read that it hands over.
  var bytes: Int
}

/// The reports of an operation that the user has not got yet.
struct IOReports {
  /// Submitted, or waiting to be: how many, and their bytes.
  var count = 0, bytes = 0
  /// Those that wait for the one before to return.
  var waiting = Fifo<IOReport>()
  /// Whether the interval has passed since the last turn.
  var tickIsDue = false
  /// Whether one more piece may be read although writes hold many.
  var isExcused = false, isExcuseArmed = false

  /// Whether the user is so far behind that reading on would only fill memory.
  var areMany: Bool { count >= IOTuning.reportLimit || bytes >= IOTuning.reportByteLimit }
}

/// The sizes that decide about speed and memory.
enum IOTuning {
  /// The most bytes of one system call on a file, and on what tells when it is ready.
  static let filePiece = IOBlocks.size
  static let streamPiece = IOBlocks.streamSize
  /// How many reports, and bytes in them, an operation is ahead of its handler.
  static let reportLimit = 16
  static let reportByteLimit = 2 << 20
  /// Turns of one job before others get the worker.
  static let turns = 16
}
