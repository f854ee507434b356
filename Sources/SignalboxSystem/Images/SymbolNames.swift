// SymbolNames.swift: what compilers' names mean: in the words of the source, in full or as people say them. Where names come from is
// ImageFunctions.swift, and for files and lines the command `signalbox symbolicate`.
import CSignalbox
import Glibc

/// Names of functions.
///
/// Thread safety: any thread. By the Swift runtime's own functions, without asking the loader; in a program that has none of
/// these, names stay as they are.
public enum SymbolNames {
  /// As people say it: `closure #1 in Store.debit(_:)`, without modules and types.
  public static func short(_ name: String) -> String {
    let name = withoutNumber(name)
    guard isMangled(name), let text = taken(sb_name_for_people(name, name.utf8.count)) else { return name }
    return plain(text)
  }

  /// With modules and types, as the language has it: `closure #1 () -> Swift.Int in bank.Store.debit(Swift.Int) -> Swift.Int`.
  public static func full(_ name: String) -> String {
    let name = withoutNumber(name)
    guard isMangled(name), let text = taken(sb_name_in_full(name, name.utf8.count)) else { return name }
    return withoutDiscriminators(text)
  }

  /// Whether it is the name of a function in Swift.
  public static func isSwift(_ name: String) -> Bool { name.hasPrefix("$s") || name.hasPrefix("$S") }

  /// Whether the compiler made it, to get from one function of the source to another.
  public static func isThunk(_ name: String) -> Bool {
    guard name.hasPrefix("$s") else { return false }
    let name = withoutPart(withoutNumber(name))
    // The runtime does not count specialised ones.
    return sb_is_thunk(name) != 0 || name.firstPlace(of: "TR") != nil && short(name).hasPrefix("thunk for ")
  }

  /// The name of an async function without what says which part of it is meant, between two of its waits.
  package static func withoutPart(_ name: String) -> String {
    guard name.hasSuffix("_"), let mark = name.lastIndex(of: "T") else { return name }
    let part = name[name.index(after: mark)...].dropLast()
    guard let kind = part.first, kind == "Q" || kind == "Y", part.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
      return name
    }
    return String(name[..<mark])
  }

  /// Whether it is the name of an async function, or of a part of one between two of its waits. Of a getter the name
  /// alone does not tell.
  public static func isAsync(_ name: String) -> Bool {
    guard isSwift(name) else { return false }
    let whole = withoutNumber(name)
    return withoutPart(whole) != whole || isAsyncType(full(whole))
  }

  /// Whether the first type of a function in the text, at the outer level, is an async one's.
  static func isAsyncType(_ text: String) -> Bool {
    var depth = 0, rest = text[...]
    while let character = rest.first {
      if depth == 0, rest.hasPrefix(" async ") || rest.hasPrefix("@async ") { return true }
      if depth == 0, rest.hasPrefix(" -> ") { return false }
      let isArrow = rest.hasPrefix("->")
      if "(<[".contains(character) { depth += 1 }
      if ")>]".contains(character) { depth -= 1 }
      rest = rest.dropFirst(isArrow ? 2 : 1)
    }
    return false
  }

  /// Whether several functions of the source whose code is the same share this one: its name is that of any of them.
  public static func isShared(_ name: String) -> Bool { name.hasPrefix("$s") && withoutNumber(name).hasSuffix("Tm") }

  /// What a thunk and the function that it leads to have in common: of a closure its whole text, else the last part of its path.
  public static func deed(_ name: String) -> String {
    let text = short(name)
    if text.hasPrefix("closure ") { return text }
    let whole = text.firstPlace(of: " in conformance ").map { text[..<$0.lowerBound] } ?? text[...]
    let path = whole.prefix { $0 != "(" && $0 != "<" }
    let last = path.lastIndex(of: ".").map { whole[whole.index(after: $0)...] } ?? whole
    return last.hasPrefix("__allocating_init") ? String(last.dropFirst("__allocating_".count)) : String(last)
  }

  /// Copies of a function have numbers behind its name.
  private static func withoutNumber(_ name: String) -> String {
    guard name.hasPrefix("$s"), let dot = name.lastIndex(of: "."), name.index(after: dot) < name.endIndex,
      name[name.index(after: dot)...].allSatisfy({ $0.isASCII && $0.isNumber })
    else { return name }
    return String(name[..<dot])
  }

  /// The module in which a Swift function was written; nil for other names, and for those of no module.
  public static func module(_ name: String) -> String? {
    guard name.hasPrefix("$s"), let first = firstModule(name.dropFirst(2)) else { return nil }
    // A method that one module adds to another's type begins with the type's.
    let whole = full(name)
    guard let extended = whole.firstPlace(of: "(extension in ") else { return first }
    return String(whole[extended.upperBound...].prefix { $0 != ")" })
  }

  /// A name begins with its module: a number and as many letters; `s`, or `S` with a type's letter, is the standard library.
  private static func firstModule(_ name: Substring) -> String? {
    if name.hasPrefix("s") || name.hasPrefix("S") && !name.hasPrefix("So") { return "Swift" }
    let digits = name.prefix { $0.isASCII && $0.isNumber }
    guard let count = Int(digits), count > 0, name.count - digits.count >= count else { return nil }
    return String(name.dropFirst(digits.count).prefix(count))
  }

  /// The class that a Swift function belongs to, without its module; nil for other names, for functions of no class, and where the
  /// name does not tell. Actors are classes.
  public static func className(of name: String) -> String? {
    guard name.hasPrefix("$s") else { return nil }
    // A closure's text ends with the function that it stands in.
    let text = short(name)
    let function = text.lastPlace(of: " in ").map { text[$0.upperBound...] } ?? text[...]
    var path = function.prefix { $0 != "(" && $0 != "<" }.split(separator: ".")
    if let last = path.last, ["getter", "setter", "modify", "read"].contains(last) { path.removeLast() }
    guard let type = path.dropLast().last else { return nil }
    return isClass(type, in: name) ? path.dropLast().joined(separator: ".") : nil
  }

  /// Behind a type's name stands its kind; of a private one, behind a hash of its file. A name that repeats words of another is
  /// shortened, and not found.
  private static func isClass(_ type: Substring, in name: String) -> Bool {
    guard let place = name.firstPlace(of: "\(type.utf8.count)\(type)") else { return false }
    var rest = name[place.upperBound...]
    if rest.hasPrefix("33_") { rest = rest.dropFirst(35).drop { $0 == "L" } }
    return rest.first == "C"
  }

  private static func isMangled(_ name: String) -> Bool { name.hasPrefix("$s") || name.hasPrefix("_Z") || name.hasPrefix("$S") }

  // SAFETY: the runtime returns memory of malloc's, which is ours.
  private static func taken(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// Without what says how the compiler made the function from the source's.
  static func plain(_ text: String) -> String {
    var text = text[...]
    var isDone = false
    while !isDone {
      isDone = true
      for word in ["partial apply for ", "protocol witness for ", "specialized ", "merged "] where text.hasPrefix(word) {
        text = text.dropFirst(word.count)
        isDone = false
      }
      // What is left of an async function behind one of its waits: `(2) await resume partial function for `.
      if text.hasPrefix("("), let part = text.firstPlace(of: " resume partial function for "),
        text[..<part.lowerBound].split(separator: " ").count == 2
      {
        text = text[part.upperBound...]
        isDone = false
      }
    }
    // Code outside of any function has no name.
    return text.hasSuffix(" in ") ? text + "top-level code" : String(text)
  }

  /// Private names come as `(name in _0123…)`, with a hash of their file: the name alone is left.
  static func withoutDiscriminators(_ text: String) -> String {
    var parts = text.pieces(between: " in _")
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
