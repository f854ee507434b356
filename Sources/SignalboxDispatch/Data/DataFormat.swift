// DataFormat.swift: what the bytes of data stand for, and from which format into which other they can be brought. The codes are
// DataFormat+Base.swift (bytes as letters) and DataFormat+Text.swift (Unicode).

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
