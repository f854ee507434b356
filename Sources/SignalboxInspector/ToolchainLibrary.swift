// ToolchainLibrary.swift: the toolchain's libdispatch in a process that is read: its image, the tables that its objects
// begin with, its layout.
import SignalboxSystem
import SignalboxView

/// One copy of the library: an image of its own, or a part of a program that was linked statically.
struct ToolchainLibrary {
  let image: ReadImages.Image
  /// By the addresses of their tables.
  let kinds: [UInt64: ToolchainKind]
  let layout: ToolchainLayout
  /// Kinds of sources, by the addresses that their registrations name.
  var sources: [UInt64: ToolchainSourceKind] = [:]
  /// Where its words of a thread begin, in its part of that thread's memory; nil: not known.
  var threadWords: UInt64?

  /// How many bytes of memory the image takes; nil: not known.
  var extent: UInt64?

  /// Whether an address lies in its own memory.
  func contains(_ address: UInt64) -> Bool { address >= image.base.bits && address - image.base.bits < extent ?? 0 }

  /// What a process has of it.
  enum Finding {
    case found(ToolchainLibrary)
    /// It is there, and is not known: why, in words.
    case unknown(String)
    case none
  }

  /// Searches the images of a process. Reads files.
  static func find(in process: any ReadProcess) -> Finding {
    let images = process.images.all
    // Mostly a library of its own; the program itself is the first image.
    let likely = images.filter { $0.path.split(separator: "/").last?.hasPrefix("libdispatch.so") == true } + images.prefix(1)
    var unknown: String?
    for image in likely {
      switch read(image, process) {
      case .found(let library): return .found(library)
      case .unknown(let why): unknown = unknown ?? why
      case .none: continue
      }
    }
    return unknown.map { .unknown($0) } ?? .none
  }

  private static func read(_ image: ReadImages.Image, _ process: any ReadProcess) -> Finding {
    let names =
      ToolchainKind.allCases.map(\.symbol) + ToolchainSourceKind.allCases.map(\.symbol)
      + [mainQueue, offsets, threadWords]
    let places = ImageFunctions.places(ofSymbols: Set(names), in: process.file(image.path))
    guard places[mainQueue] != nil, let numbers = places[offsets] else { return .none }
    guard let bytes = process.memory.bytes(image.base + ReadNumber(numbers), 40) else {
      return .unknown("\(image.path) cannot be read")
    }
    let offsets = (0..<20).map { bytes.word16(at: $0 * 2).lowest(UInt16.self) }
    guard let layout = ToolchainLayout(offsets: offsets) else {
      return .unknown(
        "\(image.path) describes its queues in version \(offsets[0]); version \(ToolchainLayout.version) is known")
    }
    func address(_ symbol: String) -> UInt64? { places[symbol].map { (image.base + ReadNumber($0)).bits } }
    let kinds = ToolchainKind.allCases.compactMap { kind in address(kind.symbol).map { ($0, kind) } }
    let sources = ToolchainSourceKind.allCases.compactMap { kind in address(kind.symbol).map { ($0, kind) } }
    guard kinds.contains(where: { $0.1 == .serial }) else {
      return .unknown("\(image.path) was stripped of the symbols by which its objects are known")
    }
    return .found(
      ToolchainLibrary(
        image: image, kinds: Dictionary(kinds, uniquingKeysWith: { $1 }), layout: layout,
        sources: Dictionary(sources, uniquingKeysWith: { $1 }), threadWords: places[threadWords],
        extent: ImageFunctions.extent(of: process.file(image.path))?.bits))
  }

  private static let mainQueue = "_dispatch_main_q", offsets = "dispatch_queue_offsets", threadWords = "__dispatch_tsd"
}
