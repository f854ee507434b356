// RecordLayout.swift: where what lies in the file of a recording. Written by Recording.swift and Ring.swift, read by SignalboxTimeline.
// What it means, and what a reader may rely on, is in README.md.
import SignalboxSystem
import SignalboxWords

/// Places and sizes in bytes.
public enum RecordLayout {
  /// The file's first eight bytes: `SBRECORD`.
  public static let magic: UInt64 = 0x4452_4F43_4552_4253
  /// The number of this layout. A reader that does not know a kind of event would take it for the end, so each new kind counts it up.
  public static let version: UInt64 = 4
  /// The oldest layout that is read as this one is: the first, which had no events behind `threadName`. The second had none behind
  /// `loopPhase`, the third none behind `timerCancelled`.
  public static let oldestVersion: UInt64 = 1
  /// The file's head: words of 64 bits by `Head`.
  public static let headSize = 4096
  /// A piece of a ring, or of the list of names; the file is its head and then such pieces.
  public static let chunkSize = 262_144
  /// A piece's own head: words by `Chunk`.
  public static let chunkHeadSize = 64
  /// One event.
  public static let cellSize = 24
  /// Events in a piece.
  public static let cellsInChunk = (chunkSize - chunkHeadSize) / cellSize
  /// One entry of the list of names.
  public static let nameSize = 128
  /// Entries in a piece.
  public static let namesInChunk = (chunkSize - chunkHeadSize) / nameSize
  /// Where an entry's text begins; of one that goes on with the text before, at `moreText`.
  public static let nameText = 32, moreText = 8

  /// Words of the file's head.
  public enum Head: Int, Sendable {
    case magic = 0
    /// The layout's number, and the size of a piece in the upper half.
    case version
    case process
    /// When it began: on the processor's counter, on the uptime clock and on the wall clock.
    case startTicks, startUptime, startWall
    /// How many pieces were asked for, and how many there may be.
    case chunksTaken, chunkLimit
    /// Events of threads that could not get a piece; names for which there was no room.
    case lostEvents, lostNames
    /// 1 it is written, 2 it was stopped in order.
    case state
    /// Which of the two following pairs counts: by the lowest bit.
    case pair
    /// The same moment on the processor's counter and on the uptime clock.
    case ticks0, uptime0, ticks1, uptime1
    /// Of a flight recording: the seconds before its last event that count. 0: all.
    case seconds
    /// How often a piece was refused: the disk is full, or files may not be longer.
    case refusals
    /// How many pieces the file has got: it ends behind that many, or was cut. 0 in recordings that were made before
    /// this was counted.
    case grown
  }

  /// Words of a piece's head.
  public enum Chunk: Int, Sendable {
    /// 0 nothing yet, or being emptied; 1 events; 2 names. Written last.
    case kind = 0
    /// Of that thread: its owner value below bit 24, `isMain` and `isWorker`, and the kernel's number from bit 32 on.
    case thread
    /// The number in this recording of the thread that wrote its first event, from 1 on.
    case number
    /// How many events the ring had got before this piece's first.
    case first
    /// What the times of the events are counted from.
    case base
    /// The thread's name to the kernel.
    case name0, name1
    /// The number of the ring.
    case ring
  }

  /// What a piece holds.
  public static let events: UInt64 = 1, names: UInt64 = 2
  /// The bits of a queue's `extra` that say its kind.
  public static let queueKindMask: UInt64 = 255
  /// How it is copied while it is written: a piece's head changes when the piece is given to other events, and then alone.
  public static let copy = PieceCopy(head: headSize, piece: chunkSize, words: chunkHeadSize)
  /// Bits of `Chunk.thread`.
  public static let ownerMask = OwnerValue.mask, isMain: UInt64 = 1 << 24, isWorker: UInt64 = 1 << 25
}
