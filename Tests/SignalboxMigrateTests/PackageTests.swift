// PackageTests.swift: a whole package, moved by the built command, built and tested on Signalbox, and taken back.
import SignalboxLaunch
import SignalboxSystem
import Testing

@testable import SignalboxMigrate

@Suite("Migrate: a package", .serialized) struct PackageTests {
  private struct Command {
    let folder: RawString
    init() throws {
      let own = try Files.realPath("/proc/self/exe").bytes
      folder = RawString(own[...(own.lastIndex(of: UInt8(ascii: "/")) ?? 0)])
    }
    func callAsFunction(_ arguments: String...) throws -> (text: String, status: Int32?) {
      let printed = try Programs.output(
        of: folder + "signalbox", arguments: ["signalbox", "migrate"] + arguments.map { RawString($0) },
        environment: ProcessInput.environment, seconds: 900)
      return (String(decoding: printed.bytes, as: UTF8.self), printed.status)
    }
    /// The checkout of the command: where the tests were built.
    var checkout: String { folder.description.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() }
  }

  private static let manifest = """
    // swift-tools-version:5.9
    import PackageDescription

    let package = Package(
      name: "Sample",
      products: [.library(name: "Sample", targets: ["Sample"])],
      targets: [
        .target(name: "Sample"),
        .testTarget(name: "SampleTests", dependencies: ["Sample"]),
      ]
    )

    """
  private static let work = """
    import Foundation
    import Dispatch

    public final class Work {
      public init() {}
      let queue = Dispatch.DispatchQueue(label: "work")
      private let jobs = OperationQueue()
      /// Which library each of these is of.
      public func modules() -> [String] {
        [String(reflecting: DispatchQueue.self), String(reflecting: Foundation.Thread.self), String(reflecting: NSLock.self)]
      }
      public func run(_ count: Int) -> Int {
        let lock = Foundation.NSLock()
        var done = 0
        for _ in 0..<count {
          jobs.addOperation { lock.lock(); done += 1; lock.unlock() }
        }
        jobs.waitUntilAllOperationsAreFinished()
        Foundation.Thread.sleep(forTimeInterval: 0.001)  // a call by its module, which the move is to find
        return queue.sync { done }
      }
    }

    final class Session: URLSession, @unchecked Sendable {
      override var delegateQueue: OperationQueue { Foundation.OperationQueue() }
    }

    """
  private static let tests = """
    import XCTest
    @testable import Sample

    final class SampleTests: XCTestCase {
      func testRuns() {
        let group = DispatchGroup(), key = DispatchSpecificKey<Int>()
        let work = Work()
        work.queue.setSpecific(key: key, value: 7)
        work.queue.async(group: group) { XCTAssertEqual(DispatchQueue.getSpecific(key: key), 7) }
        XCTAssertEqual(group.wait(timeout: .now() + 60), .success)
        XCTAssertEqual(work.run(10), 10)
      }
      func testModules() {
        for name in Work().modules() + [String(reflecting: type(of: Work().queue)), String(reflecting: OperationQueue.self)] {
          XCTAssertTrue(name.hasPrefix("Signalbox"), name)
        }
      }
    }

    """

  private func sample() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("Package.swift", Self.manifest)
    try folder.write(
      "Sources/Sample/Work.swift",
      Self.work.replacing("import Foundation\n", with: "import Foundation\nimport FoundationNetworking\n"))
    try folder.write("Tests/SampleTests/SampleTests.swift", Self.tests)
    return folder
  }

  @Test("A package is described, moved, built, tested, and taken back", .timeLimit(.minutes(20)))
  func whole() throws {
    let command = try Command(), folder = try sample()
    let files = ["Package.swift", "Sources/Sample/Work.swift", "Tests/SampleTests/SampleTests.swift"]
    let before = files.map { folder.read($0) }
    let plan = try command("--dependency", command.checkout, folder.path)
    #expect(plan.status == 0 && plan.text.contains("3 files would change, 1 file added"), "\(plan.text)")
    #expect(!plan.text.contains("\u{1B}") && files.map { folder.read($0) } == before)
    let written = try command("--write", "--dependency", command.checkout, folder.path)
    #expect(written.status == 0 && written.text.contains("SIGNALBOX_DEADLOCK=report"), "\(written.text)")
    #expect(folder.read("Sources/Sample/Work.swift")?.contains("override var delegateQueue: Foundation.OperationQueue") == true)
    let again = try command("--json", folder.path, "--dependency", command.checkout)
    #expect(again.text.contains("\"files\":[],\"new\":[],\"decide\":[]"), "\(again.text)")
    try build(folder)
    let undone = try command("--undo", folder.path)
    #expect(undone.status == 0 && files.map { folder.read($0) } == before, "\(undone.text)")
    #expect(folder.read("Tests/SampleTests/SignalboxNames.swift") == nil)
    #expect(try command("--undo", folder.path).status == 65)
  }

  /// Compiles the package's modules against this build's, and runs its tests: a build of the package itself would compile Signalbox again.
  private func build(_ folder: TestFolder) throws {
    let command = try Command(), here = command.folder.description, checkout = command.checkout
    let script = """
      set -e
      cd '\(folder.path)'
      map=$(find -L '\(here)' -path '*/CSignalbox.build/module.modulemap' | head -1)
      options="-swift-version 5 -enable-testing -I \(here)Modules -I . -Xcc -fmodule-map-file=$map"
      # By the sources: a folder that was built in before may hold objects of files that are gone.
      objects=$(
        find -L '\(here)CSignalbox.build' -name '*.o'
        for module in SignalboxWords SignalboxSystem SignalboxView SignalboxRecorder SignalboxWaits SignalboxDiagnosis SignalboxLocks \
          SignalboxDispatch SignalboxObservers SignalboxNames Signalbox SignalboxClasses SignalboxFoundation; do
          find '\(checkout)/Sources/'$module -name '*.swift' | sed "s|.*/|\(here)$module.build/|; s|$|.o|"
        done
      )
      swiftc $options -parse-as-library -emit-module -emit-library -static -module-name Sample Sources/Sample/*.swift -o libSample.a
      cat >main.swift <<'END'
      import XCTest
      XCTMain([testCase([("testRuns", SampleTests.testRuns), ("testModules", SampleTests.testModules)])])
      END
      swiftc -swift-version 5 $options -module-name SampleTests Tests/SampleTests/*.swift main.swift libSample.a $objects -o tests
      ./tests
      """
    let printed = try Programs.output(
      of: "/bin/sh", arguments: ["sh", "-c", RawString(script)], environment: ProcessInput.environment, seconds: 900)
    let text = String(decoding: printed.bytes, as: UTF8.self)
    #expect(printed.status == 0 && text.contains("Executed 2 tests, with 0 failures"), "\(text.suffix(4_000))")
  }

  @Test("What cannot be moved is refused in a line")
  func refused() throws {
    let command = try Command(), folder = try TestFolder()
    func refused(_ status: Int32, _ words: String, _ arguments: String...) throws {
      let printed = try Programs.output(
        of: command.folder + "signalbox", arguments: ["signalbox", "migrate"] + arguments.map { RawString($0) },
        environment: ProcessInput.environment, seconds: 500)
      let text = String(decoding: printed.bytes, as: UTF8.self)
      #expect(printed.status == status && text.contains(words) && text.hasPrefix("signalbox: migrate: "), "\(text)")
    }
    try refused(64, "which package")
    try refused(65, "no folder", folder.path + "/none")
    try refused(65, "no package", folder.path)
    try refused(64, "Signalbox itself", command.checkout)
    try folder.write("Package.swift", "// swift-tools-version:5.9\nimport PackageDescription\nlet p = Package(\n")
    try refused(65, "cannot read this package", folder.path)
    try refused(65, "nothing was moved", "--undo", folder.path)
    try refused(64, "no Package.swift", "--dependency", "/tmp", folder.path)
    var environment = EnvironmentList(ProcessInput.environment)
    environment.set("PATH", "/none")
    let printed = try Programs.output(
      of: command.folder + "signalbox", arguments: ["signalbox", "migrate", RawString(folder.path)],
      environment: environment.entries)
    #expect(printed.status == 69 && String(decoding: printed.bytes, as: UTF8.self).contains("install a toolchain"))
  }

  @Test("Links, generated files, files with mistakes and C are left alone, and reported")
  func leftAlone() throws {
    let command = try Command(), folder = try sample()
    try folder.write("Sources/Sample/Broken.swift", "import Foundation\nfunc f( {\n")
    try folder.write("Sources/Sample/Bytes.swift", "import Foundation\n")
    try Files.write(
      Array("import Foundation\n// ".utf8) + [0xff, 10], to: RawString(folder.path + "/Sources/Sample/Bytes.swift"))
    try folder.write("Sources/Sample/Made.swift", "import Foundation\n")
    try folder.write("Sources/Sample/Made.swift.gyb", "import Foundation\n")
    try folder.write("Other.swift", "import Foundation\n")
    try folder.write("Sources/Sample/Kept.swift", "import Foundation\n")
    try folder.write("Sources/Sample/two  words.swift", "import Foundation\n")
    try folder.write("Sources/Sample/two\nlines.swift", "import Foundation\n")
    let kept = RawString(folder.path + "/Sources/Sample/Kept.swift")
    _ = try Programs.output(of: "/bin/chmod", arguments: ["chmod", "0444", kept], environment: [])
    try Files.makeLink(RawString(folder.path + "/Sources/Sample/Link.swift"), to: "../../Other.swift")
    let plan = try command("--write", "--dependency", command.checkout, folder.path)
    #expect(plan.status == 0, "\(plan.text)")
    for line in [
      "Sources/Sample/Broken.swift:2: not read, since it has a mistake",
      "Sources/Sample/Bytes.swift:1: not read, since it is not UTF-8",
      "Sources/Sample/Made.swift:1: not written, since it is generated",
      "Sources/Sample/Link.swift:1: not written, since it is a symbolic link",
      "Sources/Sample/Kept.swift:1: not written, since it is read-only", "its path holds the end of a line",
    ] { #expect(plan.text.contains(line), "\(line) in \(plan.text)") }
    #expect(
      folder.read("Sources/Sample/Kept.swift") == "import Foundation\n"
        && folder.read("Sources/Sample/two  words.swift") == "import SignalboxFoundation\n")
    #expect(
      folder.read("Other.swift") == "import Foundation\n" && folder.read("Sources/Sample/Made.swift") == "import Foundation\n")
  }
}
