// DataFormat.swift: what the bytes of data stand for, and from which format into which other they can be brought. Here
// is text in the forms of Unicode, with the mark at its beginning that tells the form. Bytes as letters are
// DataFormat+Base.swift.

/// A format to convert data from or to: C's `dispatch_data_format_type_t`. Used by the C interface and by the random tests,
/// which are in a package of their own.
@_spi(Formats)
public enum DataFormat: Int, CaseIterable, Sendable {
  /// Bytes, unchanged.
  case none = 0
  /// Bytes encoded as ASCII characters, as RFC 4648 defines.
  case base32, base32hex, base64
  /// Text.
  case utf8, utf16le, utf16be
  /// Text whose byte order mark says which UTF it is in; only valid as the source format.
  case utfAny

  /// Converts `data` from one format to another. Returns nil if the bytes are not valid in the format `source`, or if the
  /// conversion does not exist: text cannot be converted to a binary format, or back.
  public static func transform(_ data: DispatchData, from source: DataFormat, to target: DataFormat) -> DispatchData? {
    if let source = TextForm(source, data), let target = TextForm(target) {
      return TextForm.transform(data, from: source, to: target)
    }
    guard source.isBytes, target.isBytes else { return nil }
    guard let bytes = BaseCode(source).map({ $0.decode(data) }) ?? data else { return nil }
    return BaseCode(target)?.encode(bytes) ?? bytes
  }

  private var isBytes: Bool { rawValue <= DataFormat.base64.rawValue }
}

// MARK: text

/// The form of a text.
enum TextForm {
  case utf8, utf16le, utf16be

  /// A form to write; nil for a format that is none, or that does not say which.
  init?(_ format: DataFormat) {
    switch format {
    case .utf8: self = .utf8
    case .utf16le: self = .utf16le
    case .utf16be: self = .utf16be
    default: return nil
    }
  }

  /// The form of `data`; nil for a format that is none of text, and where the beginning is to tell and is missing.
  init?(_ format: DataFormat, _ data: DispatchData) {
    guard format == .utfAny else {
      self.init(format)
      return
    }
    guard data.count >= 2 else { return nil }
    switch (data[0], data[1]) {
    case (0xFF, 0xFE): self = .utf16le
    case (0xFE, 0xFF): self = .utf16be
    default: self = .utf8
    }
  }

  /// U+FEFF, which begins a text to tell its form, and belongs to the text anywhere else.
  private static let mark: UInt32 = 0xFEFF

  /// The text in another form; nil for one that is not well-formed. UTF-16 begins with a mark, UTF-8 with none. UTF-8 that is to
  /// stay so is passed on unread.
  static func transform(_ data: DispatchData, from source: TextForm, to target: TextForm) -> DispatchData? {
    switch source {
    case .utf8:
      let text = data.withoutPrefix([0xEF, 0xBB, 0xBF])
      if target == .utf8 { return text }
      return data.isEmpty ? data : transform(bytes: text, to: target)
    case .utf16le: return transform(units: data, isBig: false, to: target)
    case .utf16be: return transform(units: data, isBig: true, to: target)
    }
  }

  private static func transform(units data: DispatchData, isBig: Bool, to target: TextForm) -> DispatchData? {
    let marks: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF]]
    guard data.count % 2 == 0, !data.begins(marks[isBig ? 0 : 1]) else { return nil }
    let text = data.withoutPrefix(marks[isBig ? 1 : 0])
    if text.isEmpty { return text }
    // The text goes by way of UTF-8, whose mark is not written: a second one is dropped as well.
    var units = Units(bytes: text.withoutPrefix(marks[isBig ? 1 : 0]).makeIterator(), isBig: isBig)
    return write(to: target, capacity: text.count / 2 * 3) { units.nextScalar() }
  }

  private static func transform(bytes text: DispatchData, to target: TextForm) -> DispatchData? {
    var bytes = text.makeIterator(), codec = UTF8()
    return write(to: target, capacity: 2 * text.count) {
      switch codec.decode(&bytes) {
      case .scalarValue(let scalar): .scalar(scalar.value)
      case .emptyInput: .end
      case .error: .corrupt
      }
    }
  }

  /// What comes next in a text.
  private enum Step { case scalar(UInt32), end, corrupt }

  /// Units of 16 bits from an even number of bytes.
  private struct Units {
    var bytes: DispatchDataIterator
    let isBig: Bool

    private mutating func next() -> UInt32? {
      guard let first = bytes.next(), let second = bytes.next() else { return nil }
      return isBig ? UInt32(first) << 8 | UInt32(second) : UInt32(second) << 8 | UInt32(first)
    }

    @inline(__always)
    mutating func nextScalar() -> Step {
      guard let unit = next() else { return .end }
      if _fastPath(unit & 0xF800 != 0xD800) { return .scalar(unit) }
      // The first half of a pair, then the second.
      guard unit < 0xDC00, let low = next(), low & 0xFC00 == 0xDC00 else { return .corrupt }
      return .scalar(0x10000 + ((unit & 0x3FF) << 10 | (low & 0x3FF)))
    }
  }

  /// Writes what `next` gives; `capacity` is the most bytes that it may become, the mark apart.
  @inline(__always)
  private static func write(to target: TextForm, capacity: Int, _ next: () -> Step) -> DispatchData? {
    DataNode.allocate(upTo: capacity + 2) { memory in
      var writer = Writer(form: target, output: memory)
      if target != .utf8 { writer.write(unit: UInt16(mark)) }
      while true {
        switch next() {
        case .scalar(let scalar): writer.write(scalar)
        case .end: return writer.output - memory
        case .corrupt: return nil
        }
      }
    }
  }

  /// Writes one scalar after another.
  private struct Writer {
    let form: TextForm
    var output: UnsafeMutablePointer<UInt8>

    mutating func write(_ scalar: UInt32) {
      switch form {
      case .utf8: writeBytes(scalar)
      case .utf16le, .utf16be:
        guard scalar > 0xFFFF else { return write(unit: UInt16(scalar)) }
        write(unit: UInt16(0xD7C0 + scalar >> 10))
        write(unit: UInt16(0xDC00 | scalar & 0x3FF))
      }
    }

    mutating func write(unit: UInt16) {
      let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
      (output[0], output[1]) = form == .utf16be ? (high, low) : (low, high)
      output += 2
    }

    private mutating func writeBytes(_ scalar: UInt32) {
      switch scalar {
      case ..<0x80: put(UInt8(scalar))
      case ..<0x800: put(UInt8(0xC0 | scalar >> 6), following: scalar, 1)
      case ..<0x10000: put(UInt8(0xE0 | scalar >> 12), following: scalar, 2)
      default: put(UInt8(0xF0 | scalar >> 18), following: scalar, 3)
      }
    }

    private mutating func put(_ first: UInt8, following scalar: UInt32 = 0, _ count: Int = 0) {
      output[0] = first
      for place in 0..<count { output[place + 1] = UInt8(0x80 | scalar >> UInt32(6 * (count - 1 - place)) & 0x3F) }
      output += count + 1
    }
  }
}

extension DispatchData {
  fileprivate func begins(_ prefix: [UInt8]) -> Bool { starts(with: prefix) }
  fileprivate func withoutPrefix(_ prefix: [UInt8]) -> DispatchData {
    begins(prefix) ? subdata(in: prefix.count..<count) : self
  }
}
