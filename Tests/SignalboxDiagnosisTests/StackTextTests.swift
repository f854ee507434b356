// StackTextTests.swift: which lines of a stack are shown: the program's functions with numbers, Signalbox's in one line for each part.
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis

@Suite("Which lines of a stack a report shows") struct StackTextTests {
  private static let place = SymbolText.Place(returnAddress: 0x10, MappedImages())

  private static func frame(_ answer: String, image: String? = nil) -> SymbolFrame {
    var frame = SymbolFrame(answer: answer, place)
    frame.image = image
    return frame
  }
  private static func frames(_ answers: String...) -> [SymbolFrame] { answers.map { frame($0) } }

  private static func text(isFull: Bool = false, folder: String = "") -> StackText {
    StackText(FrameOrigins(MappedImages()), isFull: isFull, folder: folder)
  }

  private static let sync = "$s17SignalboxDispatch0B5QueueC4sync7executexxyKXE_tKlF at /s/Sync.swift:9"
  private static let wait = "$s17SignalboxDispatch0B5QueueC9enterSlowyyF at /s/Wait.swift:7"
  private static let debit = "$s4main5StoreC5debityS2iF at /w/main.swift:4"
  private static let closure = "$s4main5StoreC5debityS2iFSiyXEfU_ at /w/main.swift:5"
  private static let thunk = "$s4main5StoreC5debityS2iFSiyXEfU_TA"
  private static let drain = "$s17SignalboxDispatch6WorkerC4bodyyyF at /s/Worker.swift:3"

  @Test("The stack of a wait inside a sync on a worker has the program's functions, and ours in three parts")
  func nested() {
    let stack = Self.frames(
      Self.wait, Self.sync, Self.closure, Self.thunk, Self.sync, Self.debit, Self.drain, "start_thread", "clone3")
    #expect(
      Self.text().lines(stack) == [
        "(2 frames of Signalbox: DispatchQueue.sync<A>(execute:))", "0 closure #1 in Store.debit(_:) at /w/main.swift:5",
        "(2 frames of Signalbox: DispatchQueue.sync<A>(execute:))", "1 Store.debit(_:) at /w/main.swift:4",
        "(1 frame of Signalbox: a worker thread)",
      ])
    #expect(Self.text().calledOutermost(stack) == "Store.debit(_:) at /w/main.swift:4")
    #expect(Self.text().place(stack) == "closure #1 in Store.debit(_:) at /w/main.swift:5")
  }

  @Test("In a full stack every function has its number")
  func full() {
    let stack = Self.frames(Self.wait, Self.thunk, Self.debit, "start_thread")
    #expect(
      Self.text(isFull: true).lines(stack) == [
        "0 DispatchQueue.enterSlow() at /s/Wait.swift:7", "1 closure #1 in Store.debit(_:)",
        "2 Store.debit(_:) at /w/main.swift:4", "3 start_thread",
      ])
  }

  @Test("A stack without any of the program's functions is shown as it is; so is an empty one")
  func nothingOfThePrograms() {
    let stack = Self.frames(Self.wait, Self.drain, "clone3")
    #expect(Self.text().lines(stack).count == 3 && Self.text().lines([]).isEmpty)
    #expect(Self.text().calledOutermost(stack) == nil && Self.text().place([]) == nil)
  }

  @Test("Files below the folder where the program stands are named from there")
  func folders() {
    #expect(Self.text(folder: "/w/").lines(Self.frames(Self.debit)) == ["0 Store.debit(_:) at main.swift:4"])
    #expect(Self.text(folder: "/other/").lines(Self.frames(Self.debit)) == ["0 Store.debit(_:) at /w/main.swift:4"])
  }

  @Test("Functions without names are the program's, those at the beginning of a thread excepted")
  func unnamed() {
    let origins = FrameOrigins(MappedImages())
    func origin(_ image: String) -> SymbolFrame.Origin {
      var frame = SymbolFrame(nil, Self.place)
      frame.image = image
      return origins.origin(of: frame)
    }
    #expect(origin("/home/me/app") == .program && origin("/usr/lib/libc.so.6") == .beginning)
    #expect(origins.origin(of: Self.frame("swift_job_run", image: "/opt/libswift_Concurrency.so")) == .between)
    #expect(origins.origin(of: Self.frame("sb_call_barred")) == .own)
    // A method that the program adds to a type of ours is the program's.
    #expect(origins.origin(of: Self.frame("$s17SignalboxDispatch0B5QueueC4mainE3fooyyF")) == .program)
  }

  @Test("Functions of every module of the package are Signalbox's")
  func allModules() throws {
    let origins = FrameOrigins(MappedImages())
    let sources = #filePath.dropLast("Tests/SignalboxDiagnosisTests/StackTextTests.swift".count) + "Sources"
    let folders = try Files.names(in: RawString(String(sources))).filter { $0.hasPrefix("Signalbox") }
    #expect(Set(folders) == FrameOrigins.modules)
    for module in folders {
      #expect(origins.origin(of: Self.frame("$s\(module.utf8.count)\(module)3fooyyF")) == .own, "\(module)")
    }
  }

  @Test("The helper may answer with a function and its line, a function alone, or a path")
  func answers() {
    let whole = Self.frame("main at /a at b/main.c:12")
    #expect(whole.name == "main" && whole.file == "/a at b/main.c" && whole.line == 12)
    let alone = Self.frame("main")
    #expect(alone.name == "main" && alone.file == nil && alone.text(folder: "") == "main")
  }
}
