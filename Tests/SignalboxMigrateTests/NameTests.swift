// NameTests.swift: names with their module in front, overrides, and what is left to a person.
import Testing

@testable import SignalboxMigrate

@MainActor @Suite("Migrate: names") struct NameTests {
  nonisolated static let cases = [
    ImportTests.Case(
      name: "in types and calls",
      old:
        "import Foundation\nlet t: [Foundation.Thread: Foundation . /* c */ Timer] = [:]\nFoundation.Thread.sleep(forTimeInterval: 1)\n",
      new:
        "import SignalboxFoundation\nlet t: [SignalboxFoundation.Thread: SignalboxFoundation . /* c */ Timer] = [:]\nSignalboxFoundation.Thread.sleep(forTimeInterval: 1)\n"
    ),
    ImportTests.Case(
      name: "Dispatch, alone", old: "import Dispatch\nlet q = Dispatch.DispatchQueue.main\nDispatch.dispatchMain()\n",
      new: "import Signalbox\nlet q = Signalbox.DispatchQueue.main\nSignalbox.dispatchMain()\n"),
    ImportTests.Case(
      name: "Dispatch, beside Foundation", old: "import Foundation\nimport Dispatch\nlet q: Dispatch.DispatchQueue? = nil\n",
      new: "import SignalboxFoundation\nlet q: SignalboxFoundation.DispatchQueue? = nil\n"),
    ImportTests.Case(
      name: "what is Foundation's own", old: "import Foundation\nlet a = Foundation.Date(), b: Foundation.Data? = nil\n",
      new: "import SignalboxFoundation\nlet a = Foundation.Date(), b: Foundation.Data? = nil\n"),
    ImportTests.Case(
      name: "in strings that are computed, and in others",
      old: "import Foundation\nlet a = \"\\(Foundation.Thread.current) Foundation.Timer\"\n",
      new: "import SignalboxFoundation\nlet a = \"\\(SignalboxFoundation.Thread.current) Foundation.Timer\"\n"),
    ImportTests.Case(
      name: "in extensions, generic arguments, key paths and where clauses",
      old:
        "import Foundation\nextension Foundation.Thread {}\nlet k = \\Foundation.Thread.name\nfunc f<T>(_: Set<Foundation.NSLock>) where T: Foundation.Operation {}\n",
      new:
        "import SignalboxFoundation\nextension SignalboxFoundation.Thread {}\nlet k = \\SignalboxFoundation.Thread.name\nfunc f<T>(_: Set<SignalboxFoundation.NSLock>) where T: SignalboxFoundation.Operation {}\n"
    ),
    ImportTests.Case(
      name: "a member named Foundation", old: "import Foundation\nlet a = x.Foundation.Thread\n",
      new: "import SignalboxFoundation\nlet a = x.Foundation.Thread\n"),
    ImportTests.Case(
      name: "a nested type keeps its name",
      old: "import Foundation\nenum Clock { final class Timer {} ; var a: Timer?, b: Foundation.Timer? }\n",
      new: "import SignalboxFoundation\nenum Clock { final class Timer {} ; var a: Timer?, b: SignalboxFoundation.Timer? }\n"),
    ImportTests.Case(
      name: "branches of other systems",
      old: "import Foundation\n#if os(macOS)\nlet a = Foundation.Thread.self\n#else\nlet a = Foundation.Thread.self\n#endif\n",
      new:
        "import SignalboxFoundation\n#if os(macOS)\nlet a = Foundation.Thread.self\n#else\nlet a = SignalboxFoundation.Thread.self\n#endif\n"
    ),
    ImportTests.Case(
      name: "an override of Foundation's keeps its type",
      old: "import Foundation\nclass S: URLSession { override var delegateQueue: OperationQueue { .main } }\n",
      new:
        "import SignalboxFoundation\nclass S: URLSession { override var delegateQueue: Foundation.OperationQueue { .main } }\n"),
    ImportTests.Case(
      name: "an override with labels",
      old: "import Foundation\nclass S: InputStream { override func schedule(in a: RunLoop, forMode m: RunLoop.Mode) {} }\n",
      new:
        "import SignalboxFoundation\nclass S: InputStream { override func schedule(in a: Foundation.RunLoop, forMode m: Foundation.RunLoop.Mode) {} }\n"
    ),
    ImportTests.Case(
      name: "an override that has Foundation's name for its type keeps it, and what it returns",
      old:
        "import Foundation\nclass S: URLSession { override var delegateQueue: Foundation.OperationQueue { Foundation.OperationQueue.main } }\nlet t = Foundation.Thread.self\n",
      new:
        "import SignalboxFoundation\nclass S: URLSession { override var delegateQueue: Foundation.OperationQueue { Foundation.OperationQueue.main } }\nlet t = SignalboxFoundation.Thread.self\n"
    ),
    ImportTests.Case(
      name: "an override of the package's own moves with what it overrides",
      old: "import Foundation\nclass A {}\nclass B: A { override func f(_ t: Foundation.Timer) {} }\n",
      new: "import SignalboxFoundation\nclass A {}\nclass B: A { override func f(_ t: SignalboxFoundation.Timer) {} }\n"),
    ImportTests.Case(
      name: "the toolchain's name in a file that has moved",
      old: "import SignalboxFoundation\nlet t: Foundation.Timer? = nil\n",
      new: "import SignalboxFoundation\nlet t: Foundation.Timer? = nil\n"),
    ImportTests.Case(
      name: "an override of ours",
      old:
        "import Foundation\nclass S: OperationQueue { override var underlyingQueue: DispatchQueue? { get { nil } set {} } }\n",
      new:
        "import SignalboxFoundation\nclass S: OperationQueue { override var underlyingQueue: DispatchQueue? { get { nil } set {} } }\n"
    ),
  ]

  @Test("A file", arguments: cases) func file(_ each: ImportTests.Case) throws {
    #expect(try Reader.moved(each.old) == each.new)
  }

  @Test("What was moved is left alone by the next move", arguments: cases) func twice(_ each: ImportTests.Case) throws {
    #expect(try Reader.moved(each.new) == each.new)
  }

  /// The line and the kind of each decision on a file of the module.
  private func decisions(_ text: String, isShown: Bool = false) throws -> [String] {
    try Reader.plan(["a.swift": text], isShown: isShown).decisions.filter { $0.path == "Sources/Sample/a.swift" }
      .map { "\($0.line) \($0.kind)" }
  }

  @Test("Sessions whose queue is not nil are for a person")
  func sessions() throws {
    let text = """
      import Foundation
      let a = URLSession(configuration: .default, delegate: nil, delegateQueue: nil)
      let b = URLSession(configuration: .default, delegate: nil, delegateQueue: OperationQueue())
      """
    #expect(try decisions(text) == ["3 session"])
  }

  @Test("Public declarations of a library are for a person, others are not")
  func shown() throws {
    let text = """
      import Dispatch
      public func f(_ q: DispatchQueue) {}
      func g(_ q: DispatchQueue) {}
      public struct S { public var time: [DispatchTime]; var q: DispatchQueue? }
      public private(set) var later: DispatchWorkItem?
      public func h() { let q: DispatchQueue? = nil; _ = q }
      """
    #expect(try decisions(text, isShown: true) == ["2 shown", "4 shown", "5 shown"])
    #expect(try decisions(text) == [])
  }

  @Test("Members are public by the word of their protocol, extension or enumeration, too")
  func shownByOthers() throws {
    let text = """
      import Dispatch
      public protocol P { func f(_ q: DispatchQueue) }
      protocol Q { func f(_ q: DispatchQueue) }
      public extension S {
        func f() -> DispatchTime { .now() }
        internal func g() -> DispatchTime { .now() }
      }
      extension S { func h() -> DispatchTime { .now() } }
      public enum E { case at(DispatchTime), never; func f(_ q: DispatchQueue) {} }
      public struct S { public subscript(q: DispatchQueue) -> Int { 0 } }
      """
    #expect(try decisions(text, isShown: true) == ["2 shown", "5 shown", "9 shown", "10 shown"])
  }

  @Test("Overrides whose owner is not seen are for a person")
  func overrides() throws {
    let text = """
      import Foundation
      class A: Session { override var delegateQueue: OperationQueue { .main } }
      class B: Elsewhere { override func run(on q: DispatchQueue) {} }
      class Session: URLSession {}
      """
    #expect(try decisions(text) == ["2 override", "3 override"])
  }

  @Test("A type named like ours, and a type named Foundation")
  func ownTypes() throws {
    #expect(try decisions("import Foundation\npublic class Timer {}\n") == ["2 name"])
    let text = "import Foundation\nenum Foundation { enum Thread {} }\nlet a = Foundation.Thread.self\n"
    #expect(try decisions(text) == ["3 name"])
    #expect(try Reader.moved(text).hasSuffix("let a = Foundation.Thread.self\n"))
  }

  @Test("The toolchain's name in a file that has moved is for a person, an override's is not")
  func afterMove() throws {
    let text = """
      import SignalboxFoundation
      class S: URLSession { override var delegateQueue: Foundation.OperationQueue { .main } }
      let t: Foundation.Timer? = nil
      """
    #expect(try decisions(text) == ["3 name"])
  }

  @Test("Modules without a match are for a person")
  func modules() throws {
    #expect(try decisions("import CDispatch\nimport Dispatch\n") == ["1 module"])
    #expect(try decisions("import Foundation.NSURL\n") == ["1 module"])
    #expect(try decisions("import class Dispatch.OS_object\n") == ["1 name"])
  }

  @Test(
    "What is not to be written is reported with its reason and is left alone",
    arguments: [Source.generated, "it is a symbolic link"])
  func barriers(_ why: String) throws {
    let path = "Sources/Sample/a.swift"
    let plan = try Reader.plan(["a.swift": "\nimport Foundation\n"], barriers: [path: why])
    #expect(plan.isEmpty && plan.products.isEmpty)
    #expect(plan.decisions.map(\.line) == [2] && plan.decisions[0].text.contains(why))
    let clean = try Reader.plan(["a.swift": "let a = 1\n"], barriers: [path: why])
    #expect(clean.decisions.isEmpty)
  }

  @Test("Files that programs write are known by their template, folder, name and head")
  func generated() throws {
    func isGenerated(_ path: String, _ head: String = "", exists: Bool = false) throws -> Bool {
      var source = try Reader.read([("a.swift", head + "let a = 1\n")])[0]
      source.path = path
      return GeneratedFiles.isGenerated(source) { _ in exists }
    }
    #expect(try isGenerated("Sources/a.swift", exists: true))
    #expect(try isGenerated("Sources/Generated/a.swift"))
    #expect(try isGenerated("Sources/a.pb.swift"))
    #expect(try isGenerated("Sources/a.swift", "// Code generated by a tool. DO NOT EDIT.\n"))
    #expect(try !isGenerated("Sources/a.swift", "// Written by hand.\n"))
    #expect(try !isGenerated("Sources/a.swift"))
  }
}
