// CodeMarks.swift: which code in this image is Signalbox's. Its C code lies in a section of its own. Each of its Swift
// modules leaves the address of one of its functions in a section of the image (OwnCode.swift); the function's name in
// the symbol table says what the module is called.
import CSignalbox

/// Signalbox's part of the image that contains it.
public enum CodeMarks {
  /// The modules whose Swift functions are Signalbox's; none if the image's file has no symbols. The first use reads that file.
  public static let modules: Set<String> = {
    var count = 0
    guard let marks = sb_code_marks(&count), count > 0 else { return [] }
    let images = MappedImages(), places = (0..<count).compactMap { images.place(of: marks[$0]) }
    guard let image = places.first?.image else { return [] }
    let functions = ImageFunctions.at(places.map { UInt64($0.offset) }, in: image)
    return Set(functions.compactMap { $0.flatMap { SymbolNames.module($0.name) } })
  }()

  /// The same of the image of the file at `path`, which may be another process's: by the marks' own names.
  public static func modules(in path: String) -> Set<String> {
    Set(ImageFunctions.names(holding: "7ownCode33_", in: path).compactMap(SymbolNames.module))
  }

  /// Whether the address lies in Signalbox's C code, in this image.
  public static func containsC(_ address: UInt) -> Bool { sb_is_own_code(address) != 0 }

  /// Where Signalbox's C code lies in the image of the file at `path`, from the image's beginning on; nil if the file has
  /// none.
  public static func codeOfC(in path: String) -> Range<UInt64>? { ImageFunctions.section("signalbox_text", in: path) }
}
