// SymbolText.swift: from return addresses to functions: by the helper, else by the symbol tables of the images, else none. Where an
// address lies says the kernel.
//
// A thread of the deadlock may hold the loader's lock forever. So nothing here asks the loader but for starting the helper, which is
// done by a thread that the report does not wait for longer than it wants.
import SignalboxSystem
import SignalboxWaits

/// Names for addresses.
public enum SymbolText {
  /// Nanoseconds that naming may take in any case: the helper's, and some for the loader.
  static let patience: UInt64 = Symbolicator.patience + 500_000_000

  /// One line for each return address, of the call before it: `function at file:line`, or `function + 24 in image`, or
  /// `image+0x1f2a0`, or `0x7f…` for what is no image's.
  ///
  /// - Note: Takes up to two and a half seconds, and up to ten times that while the names are worked on (`NamingTime`). Starts a
  ///   process, `signalbox symbolicate`. Thread safety: any thread. Takes no lock of the loader on the calling thread. Allocates.
  public static func lines(_ addresses: [UInt]) -> [String] {
    // The last is the function itself; before it come those that the compiler put into it.
    frames(addresses).frames.map { $0[$0.count - 1].text(folder: "") }
  }

  /// What naming came to.
  struct Answer: Sendable {
    /// For each address the functions that were under way there, at least one: innermost first.
    var frames: [[SymbolFrame]]
    /// How there can be files and lines, where no helper could be asked; nil if one was, or was not to be.
    var hint: String?
  }

  /// - Parameter withLines: whether the helper is asked for files and lines.
  static func frames(_ addresses: [UInt], _ images: MappedImages = MappedImages(), withLines: Bool = true) -> Answer {
    guard !addresses.isEmpty else { return Answer(frames: []) }
    let work = Work(addresses.map { Place(returnAddress: $0, images) }, withLines: withLines)
    // The tables of names are larger than all that a report needs besides.
    if MemoryReserve.isScarce {
      return Answer(frames: work.plain.frames, hint: "functions are not named: the program has no memory left for their tables")
    }
    // No thread to be had: what is known without one.
    guard (try? Threads.spawn(name: "signalbox.names") { work.run() }) != nil else { return work.plain }
    return work.answer(NamingTime(least: patience))
  }

  /// Where one address lies.
  struct Place: Sendable {
    let address: UInt
    let image: String?
    let offset: UInt

    init(returnAddress: UInt, _ images: MappedImages) {
      address = returnAddress
      // The call lies before the address it returns to, which may be another function's already.
      let place = images.place(of: returnAddress &- 1)
      (image, offset) = (place?.image, place?.offset ?? 0)
    }

    /// The helper's question; nil for an image whose path is no line's part.
    var question: String? {
      guard let image, !image.contains(where: \.isNewline) else { return nil }
      return "\(image) 0x\(String(offset, radix: 16))"
    }

    /// Whether it lies in Signalbox's C code.
    var isOwnC: Bool { CodeMarks.containsC(address &- 1) }

    private var imageName: String? { image.map { $0.split(separator: "/").last.map(String.init) ?? $0 } }

    /// Behind a name, which image has it.
    var ending: String { imageName.map { " in \($0)" } ?? "" }

    /// Without any name. The offset is the return address's.
    var plain: String {
      imageName.map { "\($0)+0x\(String(offset &+ 1, radix: 16))" } ?? "0x\(String(address, radix: 16))"
    }
  }

  /// One report's addresses, on their way to names.
  private final class Work: @unchecked Sendable {
    // SAFETY of @unchecked: `tables` and `named` are each written once, before `stage` says so, and read after it has.
    private let places: [Place]
    private let stage = Atomic32(Stage.begun)
    /// The kernel's number of the thread that searches for the names; 0 while it has not begun.
    private let thread = Atomic32(0)
    private var tables = Answer(frames: [])
    private var named = Answer(frames: [])

    private enum Stage {
      static let begun: UInt32 = 0, tables: UInt32 = 1, asked: UInt32 = 2, named: UInt32 = 3
    }

    private let withLines: Bool

    init(_ places: [Place], withLines: Bool) { (self.places, self.withLines) = (places, withLines) }

    var plain: Answer { Answer(frames: places.map { [SymbolFrame(nil, $0)] }) }

    func run() {
      // relaxed: a number alone; a reader that finds 0 takes the thread for one that is about to run.
      thread.storeRelaxed(UInt32(bitPattern: ThreadSlot.kernelID()))
      tables = Answer(frames: byTables())
      reach(Stage.tables)
      named = tables
      if !withLines { return reach(Stage.named) }
      switch Symbolicator.search() {
      case .found(let helper): ask(helper)
      case .switchedOff: break
      case .none(let hint): named.hint = hint
      }
      reach(Stage.named)
    }

    private func byTables() -> [[SymbolFrame]] {
      var found: [ImageFunctions.Found?] = places.map { _ in nil }
      for (image, indices) in Dictionary(grouping: places.indices, by: { places[$0].image }) {
        guard let image else { continue }
        let functions = ImageFunctions.at(indices.map { UInt64(places[$0].offset) }, in: image)
        for (index, function) in zip(indices, functions) { found[index] = function }
      }
      return zip(found, places).map { [SymbolFrame($0, $1)] }
    }

    private func ask(_ helper: Symbolicator) {
      let asked = places.indices.filter { places[$0].question != nil }
      guard !asked.isEmpty else { return }
      let questions = asked.compactMap { places[$0].question }
      for (index, answer) in zip(asked, helper.answers(to: questions, onStart: { reach(Stage.asked) })) {
        guard let answer else { continue }
        let frames = answer.split(separator: "\t").map { SymbolFrame(answer: $0, places[index]) }
        // The table's name without a line says less than the table, which knows the distance too.
        let isTables = frames.count == 1 && frames[0].file == nil && frames[0].name == named.frames[index][0].name
        if !isTables { named.frames[index] = frames }
      }
    }

    private func reach(_ value: UInt32) {
      // release N1: publishes the answers so far to N2.
      stage.storeRelease(value)
      stage.wake()
    }

    func answer(_ time: NamingTime) -> Answer {
      var time = time
      while true {
        // acquire N2: pairs with N1.
        let reached = stage.loadAcquire()
        if reached == Stage.named { return named }
        if time.isOver(isWorking: { isWorking(reached) }) { return reached == Stage.begun ? plain : tables }
        _ = stage.park(expected: reached, deadline: .uptime(time.next))
      }
    }

    /// Whether the names are worked on. A helper that runs has a time of its own. Before that the thread computes, or waits for the loader.
    private func isWorking(_ reached: UInt32) -> Bool {
      let id = thread.loadRelaxed()  // relaxed: a number alone, as where it is written
      if reached == Stage.asked || id == 0 { return true }
      return KernelThread.nameAndState(Int32(bitPattern: id)).map { $0.state == "R" || $0.state == "D" } ?? false
    }
  }
}
