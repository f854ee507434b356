// StackTextTests.swift: which lines of a stack are shown: the program's functions with numbers, Signalbox's in one line for each part.
import CSignalbox
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

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
        "(1 frame of Signalbox: DispatchQueue.sync<A>(execute:))", "1 Store.debit(_:) at /w/main.swift:4",
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

  @Test("A stack without any of the program's functions says so; an empty one says nothing")
  func nothingOfThePrograms() {
    let stack = Self.frames(Self.wait, Self.drain, "clone3")
    let lines = Self.text().lines(stack)
    #expect(lines.count == 2 && lines[0] == "(2 frames of Signalbox: a worker thread)", "\(lines)")
    #expect(lines.last?.hasPrefix("(no function of the program is on this stack: ") == true && Self.text().lines([]).isEmpty)
    #expect(Self.text().calledOutermost(stack) == nil && Self.text().place([]) == nil)
  }

  @Test("The thread that serves the main queue is called the main thread")
  func mainThread() {
    let drain = "$s17SignalboxDispatch9MainQueueO5drainyySbF", serve = "$s17SignalboxDispatch14MainThreadHostO5serves5NeverOyFZ"
    let run = "$s17SignalboxDispatch4ItemO3runyyFZ"
    for outer in [[run, drain], [run, serve], [run, drain, serve]] {
      let lines = Self.text().lines(([Self.debit] + outer).map { Self.frame($0) })
      #expect(lines.last == "(\(outer.count) frames of Signalbox: the main thread)", "\(lines)")
    }
    // A worker that has to do with the main queue stays a worker.
    let worker = Self.text().lines(Self.frames(Self.debit, run, drain, Self.drain))
    #expect(worker.last == "(3 frames of Signalbox: a worker thread)", "\(worker)")
  }

  @Test("A thunk of the program's stands for its closure, unless that has a frame of its own")
  func thunks() {
    let reabstraction = "$sIegh_IeyBh_TR"
    func lines(_ answers: String...) -> [String] {
      Self.text().lines((answers + [reabstraction, Self.drain]).map { Self.frame($0) })
    }
    let closure = "0 closure #1 in Store.debit(_:)", end = "(2 frames of Signalbox: a worker thread)"
    #expect(lines(Self.wait, Self.thunk) == ["(1 frame of Signalbox: DispatchQueue.enterSlow())", closure, end])
    #expect(lines(Self.wait, Self.thunk + ".32").suffix(2) == [closure, end])
    #expect(lines(Self.closure, Self.thunk) == [closure + " at /w/main.swift:5", end])
    #expect(lines(Self.debit, Self.thunk) == ["0 Store.debit(_:) at /w/main.swift:4", "1 closure #1 in Store.debit(_:)", end])
    let frames = [Self.wait, Self.thunk, reabstraction, Self.drain].map { Self.frame($0) }
    #expect(Self.text().calledOutermost(frames) == "closure #1 in Store.debit(_:)")
    #expect(Self.text().place(frames) == "closure #1 in Store.debit(_:)")
  }

  @Test("Code that several functions share is not said to be one of them")
  func shared() {
    let lines = Self.text().lines(Self.frames("$s4main5StoreC5debityS2iFSiyXEfU_Tm", Self.drain))
    #expect(lines.first == "0 closure #1 in Store.debit(_:) (or one that shares its code)", "\(lines)")
  }

  @Test("What runs is the program's function, not that of a library on the way there")
  func libraries() {
    func library(_ name: String, _ image: String) -> SymbolFrame { Self.frame(name, image: image) }
    let usleep = library("usleep at ./misc/usleep.c:31", "/lib/x86_64-linux-gnu/libc.so.6")
    let schedule = library("$s10Foundation14OperationQueueC9_scheduleyyF", "/opt/swift/libFoundation.so")
    let stack = [usleep, Self.frame(Self.debit), schedule, Self.frame(Self.drain)]
    #expect(Self.text().calledOutermost(stack) == "Store.debit(_:) at /w/main.swift:4")
    #expect(Self.text().place(stack) == "Store.debit(_:) at /w/main.swift:4")
    #expect(Self.text().lines(stack).count == 4)
    let bare = [usleep, Self.frame(Self.drain)]
    #expect(Self.text().calledOutermost(bare) == nil)
    #expect(Self.text().lines(bare).last?.hasPrefix("(no function of the program") == true)
  }

  @Test("Functions of a file without symbols are counted, and said to have no names")
  func withoutSymbols() {
    var frame = SymbolFrame(nil, Self.place)
    (frame.image, frame.plain) = ("/home/me/app", "app+0x1234")
    let lines = Self.text().lines([frame, Self.frame(Self.drain)])
    #expect(lines.first == "0 app+0x1234" && lines.last?.hasPrefix("(app has no symbols for these places") == true, "\(lines)")
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
    // A method that the program adds to a type of ours is the program's.
    #expect(origins.origin(of: Self.frame("$s17SignalboxDispatch0B5QueueC4mainE3fooyyF")) == .program)
  }

  @Test("Signalbox's C functions are those that lie in its section, whatever a function of the program is called")
  func cFunctions() throws {
    let images = MappedImages(), origins = FrameOrigins(images), program = try Files.realPath("/proc/self/exe").description
    let inside = unsafeBitCast(sb_gettid as @convention(c) () -> Int32, to: UInt.self) + 1
    let place = SymbolText.Place(returnAddress: inside, images), range = try #require(CodeMarks.codeOfC(in: program))
    #expect(origins.origin(of: SymbolFrame(answer: "push at /w/push.c:3", place)) == .own)
    #expect(place.image == program && range.contains(UInt64(place.offset)))
    for end in [range.lowerBound, range.upperBound] {
      let address = inside - 1 - place.offset + UInt(end)
      #expect(
        CodeMarks.containsC(address) == (end == range.lowerBound)
          && CodeMarks.containsC(address - 1) != (end == range.lowerBound))
    }
    #expect(origins.origin(of: Self.frame("sb_push at /w/push.c:3")) == .program)
    #expect(CodeMarks.codeOfC(in: "/lib64/ld-linux-x86-64.so.2") == nil && CodeMarks.codeOfC(in: "/none") == nil)
  }

  @Test("Signalbox's functions are those of its modules in a program that contains it, else those of its image")
  func allModules() throws {
    let origins = FrameOrigins(MappedImages()), apart = FrameOrigins(ownImage: "/lib/libdispatch.so")
    let sources = #filePath.dropLast("Tests/SignalboxDiagnosisTests/StackTextTests.swift".count) + "Sources"
    let folders = try Files.names(in: RawString(String(sources))).filter { $0.hasPrefix("Signalbox") }
    let inPrograms: Set<String> = [
      "Signalbox", "SignalboxClasses", "SignalboxDiagnosis", "SignalboxDispatch", "SignalboxFoundation", "SignalboxLocks",
      "SignalboxObservers", "SignalboxRecorder", "SignalboxSystem", "SignalboxView", "SignalboxWaits",
    ]
    #expect(CodeMarks.modules.isSubset(of: folders) && CodeMarks.modules.isSuperset(of: inPrograms), "\(CodeMarks.modules)")
    #expect(CodeMarks.modules(in: try Files.realPath("/proc/self/exe").description) == CodeMarks.modules)
    #expect(CodeMarks.modules(in: "/proc/self/exe/none").isEmpty)
    for module in CodeMarks.modules {
      let name = "$s\(module.utf8.count)\(module)3fooyyF"
      #expect(origins.origin(of: Self.frame(name)) == .own, "\(module)")
      #expect(apart.origin(of: Self.frame(name, image: "/home/me/app")) == .program, "\(module)")
      #expect(apart.origin(of: Self.frame(name, image: "/lib/libdispatch.so")) == .own, "\(module)")
      #expect(origins.origin(of: Self.frame(name, image: "/home/me/libSignalboxABI.so")) == .own, "\(module)")
    }
    #expect(apart.origin(of: Self.frame("sb_mine", image: "/home/me/app")) == .program)
  }

  @Test("The helper may answer with a function and its line, a function alone, or a path")
  func answers() {
    let whole = Self.frame("main at /a at b/main.c:12")
    #expect(whole.name == "main" && whole.file == "/a at b/main.c" && whole.line == 12)
    let alone = Self.frame("main")
    #expect(alone.name == "main" && alone.file == nil && alone.text(folder: "") == "main")
  }
}
