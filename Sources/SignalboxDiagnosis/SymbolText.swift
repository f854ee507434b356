// SymbolText.swift: return addresses as lines of a report: by the helper, else by the loader's names, else by image and offset.
//
// A thread of the deadlock may hold the loader's lock for ever. So images come from the kernel, and everything that may ask the
// loader, starting a process included, is done by a thread that the report does not wait for longer than it wants.
import SignalboxSystem

/// Names for addresses.
public enum SymbolText {
  /// How long `lines` takes at most, about: the helper's patience and some for the loader.
  static let patience: UInt64 = Symbolicator.patience + 500_000_000

  /// One line for each return address, of the call before it: `function at file:line`, or `function + 24 in image`, or
  /// `image+0x1f2a0`, or `0x7f…` for what is no image's.
  ///
  /// - Note: Takes up to two and a half seconds, and starts a process (`signalbox symbolicate`). Thread safety: any thread. Takes
  ///   no lock of the loader on the calling thread. Allocates.
  public static func lines(_ addresses: [UInt]) -> [String] {
    guard !addresses.isEmpty else { return [] }
    let images = MappedImages()
    let work = Work(addresses.map { Place(returnAddress: $0, images) })
    // No thread to be had: what is known without one.
    guard (try? Threads.spawn(name: "signalbox.names") { work.run() }) != nil else { return work.plain }
    return work.lines(until: Clock.uptime() &+ patience)
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

    private var imageName: String? { image.map { $0.split(separator: "/").last.map(String.init) ?? $0 } }

    /// Without any name. The offset is the return address's.
    var plain: String {
      imageName.map { "\($0)+0x\(String(offset &+ 1, radix: 16))" } ?? "0x\(String(address, radix: 16))"
    }

    /// By the loader's names; asks the loader.
    var loaded: String {
      guard let symbol = LoadedSymbol(at: address &- 1), let name = symbol.name else { return plain }
      return "\(LoadedSymbol.demangled(name)) + \(symbol.distance &+ 1)" + (imageName.map { " in \($0)" } ?? "")
    }
  }

  /// One report's addresses, on their way to names.
  private final class Work: @unchecked Sendable {
    // SAFETY of @unchecked: `loaded` and `named` are each written once, before `stage` says so, and read after it has.
    private let places: [Place]
    private let stage = Atomic32(Stage.begun)
    private var loaded: [String] = []
    private var named: [String] = []

    private enum Stage {
      static let begun: UInt32 = 0, loaded: UInt32 = 1, named: UInt32 = 2
    }

    init(_ places: [Place]) { self.places = places }

    var plain: [String] { places.map(\.plain) }

    func run() {
      loaded = places.map(\.loaded)
      reach(Stage.loaded)
      named = loaded
      let asked = places.indices.filter { places[$0].question != nil }
      if !asked.isEmpty, let answers = Symbolicator()?.answers(to: asked.compactMap { places[$0].question }) {
        for (index, answer) in zip(asked, answers) { if let answer { named[index] = answer } }
      }
      reach(Stage.named)
    }

    private func reach(_ value: UInt32) {
      // release N1: publishes the lines to N2.
      stage.storeRelease(value)
      withUnsafePointer(to: stage) { _ = Parking.wake($0) }
    }

    func lines(until end: UInt64) -> [String] {
      var outcome = ParkOutcome.woken
      while true {
        // acquire N2: pairs with N1.
        let reached = stage.loadAcquire()
        if reached == Stage.named { return named }
        if outcome == .timedOut { return reached == Stage.loaded ? loaded : plain }
        outcome = withUnsafePointer(to: stage) { Parking.park($0, expected: reached, deadline: .uptime(end)) }
      }
    }
  }
}
