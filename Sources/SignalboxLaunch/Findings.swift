// Findings.swift: what was found out about a program before it is started, and what is printed about it. Pure.
import SignalboxSystem

/// What is known of a program and of the loader's answer.
struct Findings {
  /// How the program comes to its libraries.
  enum Program {
    /// The loader's answer for a program that has one.
    case listed(ElfImage, LoaderListing)
    /// A program without a loader.
    case linkedStatically(ElfImage)
    /// A program that its loader will not start.
    case refused(String)
    /// No answer: unreadable, or its loader said nothing.
    case unknown
    /// Neither a program of the machine nor a script: the kernel may know what to do with it, or refuses it.
    case foreign
  }

  /// The libdispatch that the loader takes, compared with Signalbox's.
  enum Dispatch: Equatable {
    case ours
    case none
    case other(RawString)
  }

  /// The Swift runtime that the program gets, compared with the one that our library finds by itself.
  enum Runtime: Equatable {
    case same
    /// Of another release; `release` is what the library's calls itself, if it does.
    case other(programs: RawString, librarys: RawString, release: String?)
    case notCompared
  }

  /// The name that was typed, found.
  var named: RawString
  /// The file that the kernel loads for it: another one for a script.
  var loaded: RawString
  var program: Program
  var dispatch: Dispatch
  var runtime: Runtime
  var libraryMachine: ElfImage.Machine

  private var isScript: Bool { named != loaded }

  /// One line each, without the command's name; nothing if all is as it should be.
  var warnings: [String] {
    if case .foreign = program { return [] }
    if isScript, dispatch != .ours {
      return [
        "\(named) is a script, and \(loaded), which runs it, does not use Signalbox's library itself: "
          + "what the programs do that it starts is not known; they inherit the setting"
      ]
    }
    switch program {
    case .unknown:
      return ["what \(loaded) loads cannot be found out: whether it runs on Signalbox's library is not known"]
    case .foreign: return []
    case .refused(let words):
      return ["the loader will not start \(loaded) with Signalbox's library: \(words). Install what is missing"]
    case .linkedStatically(let image): return [staticWarning(image)]
    case .listed(let image, let listing): return warnings(image, listing)
    }
  }

  private func staticWarning(_ image: ElfImage) -> String {
    image.holdsSwift
      ? Self.staticSwift(loaded)
      : "\(loaded) is linked statically: it cannot be switched and runs as it is. Link it dynamically to switch it"
  }

  private static func staticSwift(_ program: RawString) -> String {
    "\(program) holds Swift's libraries itself (-static-stdlib): it cannot be switched and runs as it is. "
      + "Build it without -static-stdlib to switch it"
  }

  private func warnings(_ image: ElfImage, _ listing: LoaderListing) -> [String] {
    if image.machine != libraryMachine {
      return ["\(loaded) is for another processor than Signalbox's library: it cannot be switched and runs as it is"]
    }
    switch dispatch {
    case .none where image.holdsSwift && listing[runtimeName] == nil: return [Self.staticSwift(loaded)]
    case .none:
      return ["\(loaded) needs no libdispatch, nor does any library it loads at its start: there is nothing to switch"]
    case .other(let file):
      let why = image.pathInFront.map { "its DT_RPATH (\($0)) comes before LD_LIBRARY_PATH" }
      return [
        "\(loaded) gets \(file) as its libdispatch, not Signalbox's: \(why ?? "LD_PRELOAD or a library it loads names that one by path or DT_RPATH")"
      ]
    case .ours: return []
    }
  }

  /// Why the program must not be started on the library; nil if it may. A library of Swift's runs on the runtime of its own release only.
  var refusal: Refusal? {
    guard case .other(let programs, let librarys, let release) = runtime else { return nil }
    return Refusal(
      .programNotRunnable,
      "\(loaded) runs on another Swift runtime (\(programs)) than Signalbox's library was built with "
        + "(\(release.map { $0 + ", " } ?? "")\(librarys)); build IDs and compilers differ: "
        + "take the package that was made with the program's release of Swift, or build both with one toolchain")
  }

  /// Why no library can be put in front of those that the program loads, in words; nil if one can.
  var preloadObstacle: String? {
    if isScript { return "\(named) is a script: name the program that it runs" }
    switch program {
    case .linkedStatically: return "\(loaded) is linked statically: no library can be put in front of its own functions"
    case .foreign: return "\(loaded) is no program of this machine"
    case .unknown: return "what \(loaded) loads cannot be found out"
    case .refused(let words): return "the loader will not start \(loaded): \(words)"
    case .listed(let image, _):
      return image.machine == libraryMachine ? nil : "\(loaded) is for another processor than Signalbox's library"
    }
  }

  /// For `--verbose`: what the loader takes, in one line.
  func verboseLine(library: RawString) -> String {
    switch dispatch {
    case .ours:
      let note = runtime == .notCompared ? " (no Swift runtime to compare)" : ""
      return "\(loaded) runs on \(library): the loader says so\(note)"
    case .other(let file): return "\(loaded) runs on \(file), not on \(library): the loader says so"
    case .none:
      guard case .listed = program else {
        return "\(loaded): its loader does not say which library it takes; \(library) stands ready"
      }
      return "\(loaded) loads no libdispatch at its start; \(library) is available for later loads"
    }
  }
}

/// The Swift runtime's name.
let runtimeName = "libswiftCore.so"
