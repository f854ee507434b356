// TimerDescription.swift: timers in the table that describes the process to all that read its memory
// (ProcessDescription.swift). Who reads them is TimersView.swift (SignalboxView): no lock of a clock keeps that reader,
// so its lists change while they are read.
import SignalboxSystem
import SignalboxWords

enum TimerDescription {
  /// A clock's timers were made, and nothing is armed yet.
  static func write(_ clock: RawTime.Clock, at address: UnsafeMutableRawPointer, _ places: TimerWheel.Places?) {
    let word: DescribedWord =
      switch clock {
      case .uptime: .uptimeTimers
      case .continuous: .continuousTimers
      case .wall: .wallTimers
      }
    guard let places, learnEntries(address) else { return ProcessDescription.write(word, UInt(1)) }
    ProcessDescription.write(.timerHeads, places.heads)
    ProcessDescription.write(.timerBase, places.base)
    ProcessDescription.write(.timerCount, places.count)
    ProcessDescription.write(.timerMoves, places.moves)
    // Last: it leads to the others.
    ProcessDescription.write(word, UInt(bitPattern: address))
  }

  /// What an entry is like; false: not as readers know it. Two clocks that are made at once write the same.
  private static func learnEntries(_ object: UnsafeMutableRawPointer) -> Bool {
    guard MemoryLayout<TimerLink>.offset(of: \.next) == 0, MemoryLayout<TimerEntry>.offset(of: \.byLatest) == 0,
      let previous = MemoryLayout<TimerLink>.offset(of: \.previous), let key = MemoryLayout<TimerLink>.offset(of: \.key),
      let deadline = MemoryLayout<TimerEntry>.offset(of: \.byDeadline), let task = MemoryLayout<TimerEntry>.offset(of: \.task)
    else { return false }
    ProcessDescription.write(.timerHeadSize, UInt(MemoryLayout<TimerLink>.stride))
    ProcessDescription.write(.timerPrevious, UInt(previous))
    ProcessDescription.write(.timerDeadline, UInt(deadline + key))
    ProcessDescription.write(.timerLatest, UInt(key))
    if let tags = tags(with: object) {
      ProcessDescription.write(.timerTask, UInt(task))
      ProcessDescription.write(.timerTag, UInt(task + wordsOfTask * 8))
      ProcessDescription.write(.timerTags, tags)
    }
    return true
  }

  /// What a task carries with it; behind that its tag lies.
  private static let wordsOfTask = 3

  /// The tags of a task with an item and of one with a receiver, the first's lowest: of an enum's layout the language
  /// says nothing, so it is tried with all three cases. nil: it is another.
  private static func tags(with object: UnsafeMutableRawPointer) -> UInt64? {
    // SAFETY: it is not a queue, and is not referred to.
    let item = parts(.item(Unmanaged.fromOpaque(object), Slot(0x5151_5151_5151_5151, 0x7272_7272_7272_7272)))
    let tell = parts(.tell(TimerReceiver(object: object, isDue: { _ in }, fire: { _ in }))), none = parts(TimerTask.none)
    let address = UInt64(UInt(bitPattern: object))
    guard let item, let tell, let none, Set([item.tag, tell.tag, none.tag]).count == 3,
      item.words == [address, 0x5151_5151_5151_5151, 0x7272_7272_7272_7272], tell.words[0] == address
    else { return nil }
    // One of them is not 0, so this is not.
    return UInt64(item.tag) | UInt64(tell.tag) << 8
  }

  private static func parts(_ task: TimerTask) -> (words: [UInt64], tag: UInt8)? {
    // SAFETY: the bytes that the task has are read, and not kept.
    withUnsafeBytes(of: task) { bytes in
      guard bytes.count == wordsOfTask * 8 + 1 else { return nil }
      return ((0..<wordsOfTask).map { bytes.load(fromByteOffset: $0 * 8, as: UInt64.self) }, bytes[wordsOfTask * 8])
    }
  }
}
