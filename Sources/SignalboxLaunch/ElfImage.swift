// ElfImage.swift: what the headers of a program or library tell before the loader is asked. Pure: bytes come from a closure.
// The loader's own answer is LoaderListing.swift.
import SignalboxSystem

/// The parts of an ELF file that decide whether its libdispatch can be exchanged.
public struct ElfImage: Sendable, Equatable {
  /// Reads at most `count` bytes from an offset on; fewer at the file's end.
  public typealias Source = (_ offset: UInt64, _ count: Int) -> [UInt8]

  /// The processor and the width of its addresses.
  public struct Machine: Sendable, Equatable {
    /// The number that the ELF header has for the processor.
    public var number: UInt16
    /// 32 or 64.
    public var bits: Int
  }

  /// For which machine it is made.
  public private(set) var machine: Machine
  /// The loader that the kernel starts for it; nil if it is linked statically, or a library.
  public private(set) var interpreter: RawString?
  /// The libraries it names itself.
  public private(set) var needed: [RawString] = []
  /// Where the loader searches before LD_LIBRARY_PATH (DT_RPATH, if there is no DT_RUNPATH).
  public private(set) var pathInFront: RawString?
  /// Where the loader searches after LD_LIBRARY_PATH (DT_RUNPATH).
  public private(set) var pathBehind: RawString?
  /// The build ID, in hexadecimal digits.
  public private(set) var buildID: String?
  /// Whether code of Swift is inside: sections of the name `swift5_…`.
  public private(set) var holdsSwift = false
  /// The commit of the Swift project's clang that compiled parts of it, as that notes it in `.comment`; nil if it does not.
  public private(set) var compiler: String?

  private static let neededTag: ReadNumber = 1, stringTable: ReadNumber = 5, rPathTag: ReadNumber = 15,
    runPathTag: ReadNumber = 29
  /// No program names more libraries.
  private static let mostNeeded = 4_096

  /// Reads an ELF file's headers; nil if the bytes are none, or are damaged.
  public init?(_ source: @escaping Source) {
    guard let reader = ELFReader(source) else { return nil }
    machine = Machine(number: reader.machine, bits: reader.is64 ? 64 : 32)
    let segments = reader.segments
    if let segment = segments.first(where: { $0.type == ELFReader.interpreterSegment }) {
      interpreter = RawString(reader.bytes(segment.offset, segment.size))
    }
    buildID = reader.buildID.map { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
    if let dynamic = segments.first(where: { $0.type == ELFReader.dynamicSegment }) { read(dynamic, segments, reader) }
    holdsSwift = reader.sectionNames.contains { $0.starts(with: "swift5_".utf8) }
    compiler = Self.compiler(in: reader.section(named: ".comment"))
  }

  /// Of lines such as `clang version 21.0.0 (https://github.com/swiftlang/llvm-project.git 11673e…)` the commit.
  static func compiler(in comment: [UInt8]) -> String? {
    for line in comment.split(separator: 0) where line.starts(with: "clang version ".utf8) {
      let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      guard words.count >= 2, let commit = words.last?.dropLast(), words[words.count - 2].hasSuffix("llvm-project.git") else {
        continue
      }
      if commit.count >= 12, commit.allSatisfy(\.isHexDigit) { return String(commit) }
    }
    return nil
  }

  private mutating func read(_ dynamic: ELFReader.Segment, _ segments: [ELFReader.Segment], _ reader: ELFReader) {
    let entries = reader.dynamicEntries(dynamic)
    guard let address = entries.first(where: { $0.tag == Self.stringTable })?.value,
      let strings = reader.fileOffset(of: address, in: segments)
    else { return }
    func string(_ entry: ELFReader.DynamicEntry) -> RawString { RawString(reader.string(strings + entry.value)) }
    needed = entries.lazy.filter { $0.tag == Self.neededTag }.prefix(Self.mostNeeded).map(string)
    pathBehind = entries.first { $0.tag == Self.runPathTag }.map(string)
    if pathBehind == nil { pathInFront = entries.first { $0.tag == Self.rPathTag }.map(string) }
  }
}
