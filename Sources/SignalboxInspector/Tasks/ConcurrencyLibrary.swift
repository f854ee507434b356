// ConcurrencyLibrary.swift: the runtime of Swift's tasks in a process that is read: its image, and what its debugging
// symbols say.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// The runtime: a library of its own, or a part of a program that was linked statically.
struct ConcurrencyLibrary {
  let image: ReadImages.Image
  let runtime: TaskRuntime
  /// Where in the image's part of a thread's memory the word lies that names the thread's task; nil: the symbol was
  /// stripped.
  let threadWord: UInt64?
  /// And the word that leads to what the thread's executor is; nil: the symbol was stripped.
  let executorWord: UInt64?

  /// What a process has of it.
  enum Finding {
    case found(ConcurrencyLibrary)
    /// It is there, and is not known: why, in words.
    case unknown(String)
    case none
  }

  private static let kind = "_swift_concurrency_debug_asyncTaskMetadata", size = "_swift_concurrency_debug_asyncTaskSize"
  private static let version = "_swift_concurrency_debug_internal_layout_version"
  private static let starters = ["future_adapter", "non_future_adapter"].map { "_swift_concurrency_debug_" + $0 }
  private static let resumers = ["task_wait_throwing_resume_adapter", "task_future_wait_resume_adapter"].map {
    "_swift_concurrency_debug_" + $0
  }
  private static let threadWord = "_ZN12_GLOBAL__N_110ActiveTask5ValueE"
  private static let executorWord = "_ZN12_GLOBAL__N_120ExecutorTrackingInfo18ActiveInfoInThreadE"

  /// Searches the images of a process. Reads files.
  static func find(in process: any ReadProcess) -> Finding {
    let images = process.images.all
    let own = images.filter { $0.path.split(separator: "/").last?.hasPrefix("libswift_Concurrency.so") == true }
    for image in own + images.prefix(1) {
      let names = [kind, size, version, threadWord, executorWord] + starters + resumers
      let places = ImageFunctions.places(ofSymbols: Set(names), in: process.file(image.path))
      guard let kindPlace = places[kind] else { continue }
      func word(_ place: UInt64) -> UInt64? { process.memory.word64(image.base + ReadNumber(place))?.bits }
      func values(_ names: [String]) -> Set<UInt64> { Set(names.compactMap { places[$0].flatMap(word) }) }
      let found = places[version].flatMap { process.memory.word32(image.base + ReadNumber($0))?.lowest(UInt32.self) }
      guard let found, found == TaskLayout.version else {
        return .unknown(
          "the runtime in \(image.path) lays tasks out in version \(found ?? 0); version \(TaskLayout.version) is known")
      }
      guard places[size].flatMap(word) == TaskLayout.size else {
        return .unknown("the runtime in \(image.path) has tasks of another size than those that are known")
      }
      // A dump may be without what the loader has written there.
      guard let kind = word(kindPlace), kind != 0 else {
        return .unknown("the word by which tasks are known, in \(image.path), is not there")
      }
      return .found(
        ConcurrencyLibrary(
          image: image, runtime: TaskRuntime(kind: kind, starters: values(starters), resumers: values(resumers)),
          threadWord: places[threadWord], executorWord: places[executorWord]))
    }
    guard own.isEmpty else { return .unknown("\(own[0].path) lacks the symbols by which tasks are known") }
    // A program of Swift's that brings its own runtime, and may have one for tasks as well.
    if let program = images.first, process.image(named: "libswiftCore.so") == nil,
      ImageFunctions.section(swiftSection, in: process.file(program.path)) != nil
    {
      return .unknown("\(program.path) was linked statically, and stripped of the symbols by which tasks are known")
    }
    return .none
  }

  /// A part that the compiler writes into each program in Swift.
  private static let swiftSection = "swift5_reflstr"
}
