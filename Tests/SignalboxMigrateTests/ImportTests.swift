// ImportTests.swift: what becomes of imports, case by case, on what the toolchain's parser sees.
import Testing

@testable import SignalboxMigrate

@MainActor @Suite("Migrate: imports") struct ImportTests {
  /// A file and the file after the move.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var old: String
    var new: String
    var testDescription: String { name }
  }

  nonisolated static let cases = [
    Case(name: "Foundation", old: "import Foundation\nlet a = 1\n", new: "import SignalboxFoundation\nlet a = 1\n"),
    Case(name: "Dispatch alone", old: "import Dispatch\n", new: "import Signalbox\n"),
    Case(
      name: "both, in one", old: "import Dispatch\nimport Foundation\n// end\n", new: "import SignalboxFoundation\n// end\n"),
    Case(
      name: "both, in one line", old: "import Dispatch; import Foundation\n",
      new: "import Signalbox; import SignalboxFoundation\n"),
    Case(
      name: "a comment behind keeps its line", old: "import Dispatch // queues\nimport Foundation\n",
      new: "import Signalbox // queues\nimport SignalboxFoundation\n"),
    Case(name: "twice", old: "import Foundation\nimport Foundation\n", new: "import SignalboxFoundation\n"),
    Case(
      name: "attributes and access", old: "@preconcurrency import Dispatch\ninternal import Foundation\n",
      new: "@preconcurrency import Signalbox\ninternal import SignalboxFoundation\n"),
    Case(
      name: "passed on", old: "@_exported import Foundation\n@_implementationOnly import Dispatch\n",
      new: "@_exported import SignalboxFoundation\n@_implementationOnly import Signalbox\n"),
    Case(
      name: "testable stays", old: "@testable import Sample\nimport Foundation\n",
      new: "@testable import Sample\nimport SignalboxFoundation\n"),
    Case(
      name: "by name, ours", old: "import class Foundation.Thread\nimport struct Dispatch.DispatchTime\n",
      new: "import class SignalboxFoundation.Thread\nimport struct Signalbox.DispatchTime\n"),
    Case(
      name: "by name, Foundation's own", old: "import struct Foundation.Date\nimport class Foundation.NSLock\n",
      new: "import struct Foundation.Date\nimport class SignalboxFoundation.NSLock\n"),
    Case(
      name: "a function by name", old: "import func Dispatch.dispatchMain\n", new: "import func Signalbox.dispatchMain\n"),
    Case(
      name: "back-quotes and space", old: "import   `Foundation`\n", new: "import   SignalboxFoundation\n"),
    Case(
      name: "carriage returns", old: "import Foundation\r\nlet a = 1\r\n", new: "import SignalboxFoundation\r\nlet a = 1\r\n"),
    Case(name: "no end of line", old: "import Foundation", new: "import SignalboxFoundation"),
    Case(
      name: "comments and strings",
      old:
        "// import Foundation\n/* import Dispatch */\nlet a = \"\"\"\n  import Foundation\n  \"\"\"\nlet b = #/import Dispatch/#\n",
      new:
        "// import Foundation\n/* import Dispatch */\nlet a = \"\"\"\n  import Foundation\n  \"\"\"\nlet b = #/import Dispatch/#\n"
    ),
    Case(
      name: "branches",
      old: "#if canImport(Dispatch)\nimport Dispatch\n#endif\nimport Foundation\n",
      new: "#if canImport(Dispatch)\nimport Signalbox\n#endif\nimport SignalboxFoundation\n"),
    Case(
      name: "branches of other systems",
      old:
        "#if os(macOS) || canImport(UIKit)\nimport Dispatch\n#elseif os(Linux)\nimport Foundation\n#else\nimport Foundation\n#endif\n",
      new:
        "#if os(macOS) || canImport(UIKit)\nimport Dispatch\n#elseif os(Linux)\nimport SignalboxFoundation\n#else\nimport Foundation\n#endif\n"
    ),
    Case(
      name: "conditions that may hold",
      old: "#if !os(Windows) && DEBUG\nimport Foundation\n#else\nimport Dispatch\n#endif\n",
      new: "#if !os(Windows) && DEBUG\nimport SignalboxFoundation\n#else\nimport Signalbox\n#endif\n"),
    Case(
      name: "Foundation's other modules", old: "import FoundationNetworking\nimport FoundationXML\n",
      new: "import FoundationNetworking\nimport FoundationXML\n"),
    Case(
      name: "moved already", old: "import Foundation\nimport SignalboxFoundation\n",
      new: "import Foundation\nimport SignalboxFoundation\n"),
    Case(
      name: "names by way of another module", old: "import Other\nlet queue = DispatchQueue(label: \"a\")\n",
      new: "import Other\nimport Signalbox\nlet queue = DispatchQueue(label: \"a\")\n"),
    Case(
      name: "names without any import", old: "// A file.\n\nlet lock = NSLock()\n",
      new: "// A file.\n\nimport SignalboxFoundation\n\nlet lock = NSLock()\n"),
    Case(
      name: "behind a comment, which stays where it is",
      old: "import Other // for clocks\n@testable import Sample; import Third /* and this */\nlet l = NSLock()\n",
      new:
        "import Other // for clocks\n@testable import Sample; import Third\nimport SignalboxFoundation /* and this */\nlet l = NSLock()\n"
    ),
    Case(
      name: "a last import with a comment", old: "import Other  // for clocks\nlet l = NSLock()\n",
      new: "import Other  // for clocks\nimport SignalboxFoundation\nlet l = NSLock()\n"),
    Case(
      name: "names without any import, behind carriage returns", old: "import Other\r\nlet l = NSLock()\r\n",
      new: "import Other\r\nimport SignalboxFoundation\r\nlet l = NSLock()\r\n"),
    Case(
      name: "a comment that belongs to a declaration",
      old: "// A file.\n\n/// A lock.\n/// Of mine.\nlet lock = NSLock()\n",
      new: "// A file.\n\nimport SignalboxFoundation\n\n/// A lock.\n/// Of mine.\nlet lock = NSLock()\n"),
    Case(
      name: "a script's first line", old: "#!/usr/bin/env swift\nlet lock = NSLock()\n",
      new: "#!/usr/bin/env swift\nimport SignalboxFoundation\n\nlet lock = NSLock()\n"),
    Case(
      name: "a name with its module alone", old: "import Other\nlet thread: Foundation.Thread? = nil\n",
      new: "import Other\nimport SignalboxFoundation\nlet thread: SignalboxFoundation.Thread? = nil\n"),
    Case(
      name: "a plain name of one, and one with the other's module",
      old: "import Other\nlet a = NSLock(), b = Dispatch.DispatchQueue.main\n",
      new: "import Other\nimport SignalboxFoundation\nlet a = NSLock(), b = SignalboxFoundation.DispatchQueue.main\n"),
    Case(
      name: "moved already, where it can be imported",
      old:
        "#if canImport(SignalboxFoundation)\nimport SignalboxFoundation\n#else\nimport Foundation\n#endif\nlet l = NSLock()\n",
      new:
        "#if canImport(SignalboxFoundation)\nimport SignalboxFoundation\n#else\nimport Foundation\n#endif\nlet l = NSLock()\n"
    ),
    Case(
      name: "the part of Foundation that Linux has",
      old:
        "#if canImport(FoundationEssentials)\nimport FoundationEssentials\n#else\nimport Foundation\n#endif\nlet d = Date()\n",
      new:
        "#if canImport(FoundationEssentials)\nimport FoundationEssentials\n#else\nimport Foundation\n#endif\nlet d = Date()\n"
    ),
    Case(
      name: "what is Foundation's by an attribute",
      old: "@_spi(Parts) import Foundation\nlet l = NSLock()\n",
      new: "import SignalboxFoundation\n@_spi(Parts) import Foundation\nlet l = NSLock()\n"),
    Case(
      name: "public, package and private imports",
      old: "public import Foundation\npackage import Dispatch\nprivate import class Foundation.Thread\n",
      new:
        "public import SignalboxFoundation\npackage import Signalbox\nprivate import class SignalboxFoundation.Thread\n"),
    Case(
      name: "a type of its own on another system",
      old: "import Other\n#if os(macOS)\nclass Timer {}\n#endif\nlet timer = Timer()\n",
      new: "import Other\nimport SignalboxFoundation\n#if os(macOS)\nclass Timer {}\n#endif\nlet timer = Timer()\n"),
    Case(
      name: "a type of its own", old: "import Other\nclass Timer {}\nlet timer = Timer()\n",
      new: "import Other\nclass Timer {}\nlet timer = Timer()\n"),
    Case(
      name: "a member of that name", old: "import Other\nlet timer = Clock.Timer(), all = [x.Thread, y.Operation]\n",
      new: "import Other\nlet timer = Clock.Timer(), all = [x.Thread, y.Operation]\n"),
    Case(
      name: "a parameter of that name", old: "import Other\nfunc f<Operation>(_ o: Operation) {}\n",
      new: "import Other\nfunc f<Operation>(_ o: Operation) {}\n"),
  ]

  @Test("A file", arguments: cases) func file(_ each: Case) throws { #expect(try Reader.moved(each.old) == each.new) }

  nonisolated static let testCases = [
    Case(
      name: "a test without an import", old: "import XCTest\n\nlet queue = DispatchQueue.main\n",
      new: "import XCTest\nimport SignalboxFoundation\n\nlet queue = DispatchQueue.main\n"),
    Case(
      name: "times without a name of a type",
      old: "import XCTest\n@testable import Sample\nlet x = make(deadline: .now() + 1)\n",
      new: "import XCTest\n@testable import Sample\nimport SignalboxFoundation\nlet x = make(deadline: .now() + 1)\n"),
    Case(name: "a test of nothing of the kind", old: "import XCTest\nlet a = 1\n", new: "import XCTest\nlet a = 1\n"),
    Case(
      name: "imports in branches", old: "#if os(Linux)\nimport XCTest\n#endif\nlet l = NSLock()\n",
      new: "import SignalboxFoundation\n\n#if os(Linux)\nimport XCTest\n#endif\nlet l = NSLock()\n"),
  ]

  @Test("A test file", arguments: testCases) func testFile(_ each: Case) throws {
    #expect(try Reader.movedTest(each.old) == each.new)
  }

  @Test("What was moved is left alone by the next move", arguments: cases) func twice(_ each: Case) throws {
    #expect(try Reader.moved(each.new) == each.new)
  }

  @Test("A file with a mistake is reported with its place")
  func mistakes() throws {
    let failure = try #require(try Reader.failure("import Foundation\nlet a = (\n}\n"))
    #expect(failure.why.contains("mistake") && failure.at > 17)
    #expect(try Reader.failure("let a = 1\n") == nil)
  }
}
