// MappedImages.swift: which file an address of this process belongs to, from the kernel, without asking the loader. Names of functions
// are ImageFunctions.swift.
import Glibc

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
    guard let file = fopen("/proc/thread-self/maps", "re") else {
      self.init(lines: [] as [String]) { _ in nil }
      return
    }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    var lines: [String] = []
    while getline(&line, &room, file) > 0, let text = line { lines.append(String(cString: text)) }
    self.init(lines: lines) { ImageFunctions.extent(of: $0).map { UInt($0.bits) } }
  }

  /// The images in lines of the kernel's list; `extent` says how many bytes of memory the image of a file takes.
  init(lines: some Sequence<String>, extent: (_ path: String) -> UInt?) {
    var base: UInt = 0, path = "", size: UInt?
    for line in lines {
      guard let found = Self.parse(line) else { continue }
      // An image's parts lie in a row, the one with the file's beginning first. The page of that beginning may hold other parts too, and
      // is mapped again for each: they lie where the file says, within the image.
      if found.path != path {
        (base, path, size) = (found.range.lowerBound, found.path, nil)
      } else if found.isBeginning {
        let known = size ?? extent(path) ?? 0
        size = known
        if found.range.lowerBound - base >= known { base = found.range.lowerBound }
      }
      images.append(Image(range: found.range, base: base, path: path))
    }
  }

  /// Whether two addresses lie in one image, or both in none. Reads the kernel's list.
  public static func areInOne(_ one: UInt, _ other: UInt) -> Bool {
    let images = MappedImages()
    return images.place(of: one)?.image == images.place(of: other)?.image
  }

  /// The image at `address`, and how far into it that lies.
  public func place(of address: UInt) -> (image: String, offset: UInt)? {
    images.first { $0.range.contains(address) }.map { ($0.path, address - $0.base) }
  }

  /// Calls `body` with each part: its addresses, where its image begins, and the image's file.
  public func forEach(_ body: (_ range: Range<UInt>, _ base: UInt, _ path: String) -> Void) {
    for image in images { body(image.range, image.base, image.path) }
  }

  /// Whether the file at `path` is mapped.
  public func contains(_ path: String) -> Bool { images.contains { $0.path == path } }

  /// `low-high rights offset device inode   path`; nil for what belongs to no file.
  static func parse(_ line: String) -> (range: Range<UInt>, isBeginning: Bool, path: String)? {
    let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
    guard words.count == 6 else { return nil }
    let path = words[5].drop { $0 == " " }.prefix { $0 != "\n" }
    let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    guard path.hasPrefix("/"), ends.count == 2, ends[0] < ends[1], let offset = UInt(words[2], radix: 16) else { return nil }
    return (ends[0]..<ends[1], offset == 0, String(path))
  }
}
