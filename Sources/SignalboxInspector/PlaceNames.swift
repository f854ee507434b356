// PlaceNames.swift: functions, files and lines for the places of an inspection. The images' files are read here, not in the process.
import SignalboxLaunch
import SignalboxSystem

/// Names of places, each asked for once.
package struct PlaceNames {
  private var answers: [Inspection.Place: SymbolAnswer] = [:]
  /// Places in functions that only hand a closure its captures: their answers are the closures'.
  private var forwarders: Set<Inspection.Place> = []
  private var awaitsByPlace: [Inspection.Place: [Await]] = [:]
  private let symbolication: Symbolication
  /// Of each image that may be the program's, which of its modules are Signalbox's.
  private var ownModules: [String: Set<String>] = [:]
  /// And where Signalbox's C code lies in it.
  private var ownC: [String: Range<UInt64>] = [:]

  /// - Parameter wantsLines: files and lines as well, by llvm-symbolizer: that takes a second with some programs.
  package init(wantsLines: Bool) { symbolication = wantsLines ? Symbolication() : .byTables }

  /// Finds the names of what these inspections have.
  mutating func learn(_ inspections: [Inspection]) {
    let places = inspections.flatMap(\.places)
    let asked = Array(Set(places.filter { $0.image != nil && answers[$0] == nil }))
    let questions = asked.map { SymbolQuestion(line: "\($0.image ?? "") \($0.offset.hexadecimal)") }
    var number = 0
    symbolication.answer(questions) { answer in
      answers[asked[number]] = answer
      number += 1
    }
    learnLines(of: asked)
    for image in Set(asked.compactMap(\.image)) where ownModules[image] == nil && !Self.isLibrary(image) {
      ownModules[image] = CodeMarks.modules(in: image)
      ownC[image] = CodeMarks.codeOfC(in: image)
    }
    let chains = Set(inspections.flatMap(\.tasks.all).flatMap(\.awaits))
    for place in chains where awaitsByPlace[place] == nil { awaitsByPlace[place] = makeAwaits(place) }
  }

  /// What hands a closure its captures has no line of its own: the closure's is asked for.
  private mutating func learnLines(of places: [Inspection.Place]) {
    let bare = places.compactMap { place -> (place: Inspection.Place, image: String, name: String)? in
      guard let frames = answers[place]?.frames, frames.allSatisfy({ $0.file == nil }), let image = place.image,
        let closure = frames.last.flatMap({ Self.closure($0.name) })
      else { return nil }
      return (place, image, closure)
    }
    forwarders.formUnion(bare.map(\.place))
    symbolication.answer(functions: bare.map { ($0.image, $0.name) }) { answers[bare[$0].place] = $1 }
  }

  /// The closure to which the function of that name hands what it captures; nil if it is no such function.
  private static func closure(_ name: String) -> String? {
    let name = SymbolNames.withoutPart(name)
    return name.hasSuffix("TA") ? String(name.dropLast(2)) : nil
  }

  /// Whether the name is only the compiler's: that of a closure with what it captures is the closure's own.
  private static func isThunk(_ name: String) -> Bool {
    SymbolNames.isThunk(name) && closure(name).map(SymbolNames.isThunk) ?? true
  }

  /// The function of an item: of those that it may be, the first that the compiler has not made and that is not Signalbox's; else what
  /// stands outermost in the stack of the thread that runs it.
  func function(_ candidates: [Inspection.Place], on stack: [Inspection.Place]) -> String? {
    let named = candidates.filter { answers[$0]?.frames.isEmpty == false }
    return (named.first { isProgram($0) } ?? stack.last { isProgram($0) } ?? named.first).map { text($0) }
  }

  /// What is known of places without names.
  func places(_ places: [Inspection.Place]) -> String { places.first.map(bare) ?? "" }

  /// The innermost function of the program in a stack.
  func place(_ stack: [Inspection.Place]) -> String? { stack.first { isProgram($0) }.map { text($0) } }

  // MARK: chains of waits

  /// A function of the program that awaits another.
  struct Await {
    var function: String, file: String?, line: Int?
    /// It is what hands a closure its captures, and waits for the closure.
    fileprivate var isForwarder: Bool

    var text: String { function + (file.map { " at \($0.split(separator: "/").last ?? ""):\(line ?? 0)" } ?? "") }
  }

  /// The program's functions at a place of a chain, innermost first: many tasks wait at the same places. Only functions
  /// of Swift's await.
  private func makeAwaits(_ place: Inspection.Place) -> [Await] {
    guard isProgram(place) else { return [] }
    return (answers[place]?.frames ?? []).filter { SymbolNames.isSwift($0.name) && !Self.isThunk($0.name) }.map { frame in
      Await(
        function: SymbolNames.short(frame.name), file: frame.file, line: frame.line,
        isForwarder: forwarders.contains(place) || Self.closure(frame.name) != nil)
    }
  }

  /// The program's functions along a chain of waits, innermost first, inlined ones included, as far as they are known.
  func awaits(_ chain: [Inspection.Place]) -> [Await] {
    var found: [Await] = []
    for place in chain {
      for one in awaitsByPlace[place] ?? makeAwaits(place) {
        if one.isForwarder, found.last?.function == one.function { continue }
        found.append(one)
      }
    }
    return found
  }

  /// Whether the innermost function of a chain that is not the runtime's own awaits the next element of a stream: by
  /// the functions of the runtime before it.
  func isInStream(_ chain: [Inspection.Place]) -> Bool {
    for place in chain {
      guard let name = answers[place]?.frames.last?.name else { continue }
      if isProgram(place) { return false }
      // AsyncStream, AsyncThrowingStream.
      if name.hasPrefix("$sScS") || name.hasPrefix("$sScs") { return name.contains("4next") }
    }
    return false
  }

  /// The same in words; places of the program where their names are not known.
  func chain(_ awaits: [Inspection.Place]) -> [String] {
    let known = self.awaits(awaits).map(\.text)
    if !known.isEmpty { return known }
    return awaits.filter { place in
      answers[place]?.frames.isEmpty != false && place.image.map { !Self.isLibrary($0) && !Self.isRuntime($0) } == true
    }.map(bare)
  }

  /// The lines of a stack, inlined functions included: the program's functions, and between them how many of Signalbox and the system
  /// there are. A stack without any of the program's is shown as it is.
  func lines(_ stack: [Inspection.Place]) -> [String] {
    let isWhole = !stack.contains { isProgram($0) }
    var lines: [String] = [], left = 0
    func close() {
      if left > 0 { lines.append("(\(left) frame\(left == 1 ? "" : "s") of Signalbox and the system)") }
      left = 0
    }
    var number = 0
    for place in stack {
      guard isWhole || isProgram(place) else {
        left += 1
        continue
      }
      close()
      for text in texts(place) {
        lines.append("\(number) \(text)")
        number += 1
      }
    }
    close()
    return lines
  }

  private func texts(_ place: Inspection.Place) -> [String] {
    guard let frames = answers[place]?.frames, !frames.isEmpty else { return [bare(place)] }
    return frames.filter { !Self.isThunk($0.name) }.map { SymbolNames.short($0.name) + ending($0) }
  }

  /// The function at a place; nil if it is not known.
  func name(_ place: Inspection.Place) -> String? {
    answers[place]?.frames.last.map { SymbolNames.short($0.name) + ending($0) }
  }

  private func text(_ place: Inspection.Place) -> String { name(place) ?? bare(place) }

  private func ending(_ frame: SymbolAnswer.Frame) -> String {
    frame.file.map { " at \($0.split(separator: "/").last ?? ""):\(frame.line ?? 0)" } ?? ""
  }

  private func bare(_ place: Inspection.Place) -> String {
    let image = place.image.map { "\($0.split(separator: "/").last ?? "")+" } ?? ""
    return image + place.offset.hexadecimal
  }

  /// The system's, and Signalbox's in libdispatch's place.
  private static let libraries = [
    "libc.so", "ld-linux", "libpthread", "libBlocksRuntime.so", "libdispatch.so", "libSignalbox", "libFoundation",
    "lib_Foundation",
  ]
  /// The toolchain's, where they lie in the program.
  private static let modules: Set<String> = [
    "Swift", "_Concurrency", "Dispatch", "Synchronization", "Foundation", "FoundationEssentials",
  ]

  private static func isLibrary(_ image: String) -> Bool {
    let file = image.split(separator: "/").last ?? ""
    return libraries.contains { file.hasPrefix($0) }
  }

  /// Whether it is a part of Swift's runtime.
  static func isRuntime(_ image: String) -> Bool { (image.split(separator: "/").last ?? "").hasPrefix("libswift") }

  private func isProgram(_ place: Inspection.Place) -> Bool {
    guard let image = place.image, let name = answers[place]?.frames.last?.name else { return false }
    if Self.isLibrary(image) || name == "_start" { return false }
    if ownC[image]?.contains(place.offset.bits) == true || Self.isThunk(name) { return false }
    guard let module = SymbolNames.module(name) else { return !Self.isRuntime(image) }
    return ownModules[image]?.contains(module) != true && !Self.modules.contains(module)
  }
}
