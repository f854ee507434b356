// DataFormat.swift: what the bytes of data stand for, and from which format into which other they can be brought. The codes are
// DataFormat+Base.swift (bytes as letters) and DataFormat+Text.swift (Unicode).

/// A format that data is in, or is to be brought into: C's `dispatch_data_format_type_t`. For the C face, and for the event plays,
/// which are a package of their own.
@_spi(Formats)
public enum DataFormat: Int, CaseIterable, Sendable {
  /// Bytes as they are.
  case none = 0
  /// Bytes as letters, by RFC 4648.
  case base32, base32hex, base64
  /// Text.
  case utf8, utf16le, utf16be
  /// Text whose beginning says in which form; input only.
  case utfAny

  /// The same data, or text, in another format; nil if the bytes are not in the format `source`, or if no way leads to `target`:
  /// text is never brought into a format of bytes, or back.
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
