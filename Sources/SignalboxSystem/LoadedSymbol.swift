// LoadedSymbol.swift: what an address of this process belongs to: an image and a name, from the loader; or an image alone, from the
// kernel, which asks for no lock.
import CSignalbox
import Glibc

/// What the loader knows of an address.
///
/// - Note: The loader answers under its lock. A thread of a deadlock may hold that for ever: a report asks from a thread that it
///   need not wait for.
public struct LoadedSymbol: Sendable, Equatable {
  /// The image's file, as the loader was given it.
  public let image: String
  /// How far into the image the address lies.
  public let offset: UInt
  /// The nearest exported name before the address, as the compiler wrote it; nil if there is none.
  public let name: String?
  /// How far behind that name's start the address lies.
  public let distance: UInt

  /// Asks the loader; nil if no image is there.
  public init?(at address: UInt) {
    var found = sb_symbol()
    guard sb_symbol_at(address, &found) != 0, let image = found.image else { return nil }
    self.image = String(cString: image)
    offset = address - UInt(bitPattern: found.base)
    name = found.name.map { String(cString: $0) }
    distance = found.start.map { address - UInt(bitPattern: $0) } ?? 0
  }

  /// The name as source code has it, by the Swift runtime's own demangler; the name itself if it is no Swift name.
  public static func demangled(_ name: String) -> String {
    typealias Demangle =
      @convention(c) (UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32) ->
      UnsafeMutablePointer<CChar>?
    guard let function = sb_find_symbol("swift_demangle") else { return name }
    // SAFETY: the runtime's documented entry point has this type; the string it returns is malloc's and ours.
    guard let text = unsafeBitCast(function, to: Demangle.self)(name, name.utf8.count, nil, nil, 0) else { return name }
    defer { free(text) }
    return withoutDiscriminators(String(cString: text))
  }

  /// Private names come as `(name in _0123…)`, with a hash of their file: the name alone is left.
  static func withoutDiscriminators(_ text: String) -> String {
    var parts = text.split(separator: " in _", omittingEmptySubsequences: false)
    for index in parts.indices.dropFirst() {
      let digits = parts[index].prefix { $0.isHexDigit }
      guard digits.count == 32, parts[index].dropFirst(32).first == ")", let open = parts[index - 1].lastIndex(of: "(") else {
        parts[index] = " in _" + parts[index]
        continue
      }
      parts[index - 1].remove(at: open)
      parts[index] = parts[index].dropFirst(33)
    }
    return parts.joined()
  }
}

/// The files mapped for execution, from /proc/thread-self/maps: what addresses belong to, without asking the loader.
public struct MappedImages: Sendable {
  private struct Image {
    let range: Range<UInt>
    let base: UInt
    let path: String
  }
  private var images: [Image] = []

  /// Reads the kernel's list; empty where /proc is not there.
  public init() {
    guard let file = fopen("/proc/thread-self/maps", "re") else { return }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    var base: UInt = 0, path = ""
    while getline(&line, &room, file) > 0, let text = line {
      guard let found = Self.parse(String(cString: text)) else { continue }
      // An image's parts lie in a row, the one with the file's beginning first.
      if found.path != path || found.isBeginning { (base, path) = (found.range.lowerBound, found.path) }
      images.append(Image(range: found.range, base: base, path: path))
    }
  }

  /// The image at `address`, and how far into it that lies.
  public func place(of address: UInt) -> (image: String, offset: UInt)? {
    images.first { $0.range.contains(address) }.map { ($0.path, address - $0.base) }
  }

  /// Whether the file at `path` is mapped.
  public func contains(_ path: String) -> Bool { images.contains { $0.path == path } }

  /// `low-high rights offset device inode   path`; nil for what is no file's.
  static func parse(_ line: String) -> (range: Range<UInt>, isBeginning: Bool, path: String)? {
    let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
    guard words.count == 6 else { return nil }
    let path = words[5].drop { $0 == " " }.prefix { $0 != "\n" }
    let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    guard path.hasPrefix("/"), ends.count == 2, ends[0] < ends[1], let offset = UInt(words[2], radix: 16) else { return nil }
    return (ends[0]..<ends[1], offset == 0, String(path))
  }
}
