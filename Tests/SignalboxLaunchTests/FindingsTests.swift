// FindingsTests.swift: what is printed before a program starts: one line for each thing that is not as it should be.
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

@Suite("Warnings before a program starts") struct FindingsTests {
  private let swift: ElfImage
  private let plain: ElfImage

  init() throws {
    swift = try #require(ElfImage(try FileBytes("/proc/self/exe")))
    plain = try #require(ElfImage(try FileBytes("/bin/ls")))
  }

  private func listing(_ names: [String]) throws -> LoaderListing {
    try #require(LoaderListing(Array(names.map { "\t\($0) => /lib/\($0) (0x1)\n" }.joined().utf8)))
  }

  private func findings(
    _ program: Findings.Program, _ dispatch: Findings.Dispatch = .none, _ runtime: Findings.Runtime = .same,
    loaded: RawString = "/bin/x"
  ) -> Findings {
    Findings(
      named: "/bin/x", loaded: loaded, program: program, dispatch: dispatch, runtime: runtime, libraryMachine: plain.machine)
  }

  @Test("A dynamic program that needs libdispatch has no finding")
  func allIsWell() throws {
    let findings = findings(.listed(swift, try listing(["libdispatch.so", "libswiftCore.so"])), .ours)
    #expect(findings.warnings.isEmpty)
    #expect(findings.verboseLine(library: "/own/lib.so") == "/bin/x runs on /own/lib.so: the loader says so")
  }

  @Test("A program without libdispatch is found to have nothing to switch")
  func nothingToSwitch() throws {
    let warnings = findings(.listed(plain, try listing(["libc.so.6"]))).warnings
    #expect(warnings.count == 1 && warnings[0].contains("needs no libdispatch"))
  }

  /// A loader, no libswiftCore, and Swift inside; or no loader and Swift inside.
  @Test("A program with a static Swift runtime is found")
  func staticSwift() throws {
    for program in [Findings.Program.listed(swift, try listing(["libc.so.6"])), .linkedStatically(swift)] {
      let warnings = findings(program).warnings
      #expect(warnings.count == 1 && warnings[0].contains("-static-stdlib") && warnings[0].contains("cannot be switched"))
    }
    let other = findings(.linkedStatically(plain)).warnings
    #expect(other.count == 1 && other[0].contains("linked statically") && !other[0].contains("Swift"))
    // A dynamic Swift program that really needs none is no static one.
    let dynamic = findings(.listed(swift, try listing(["libswiftCore.so"]))).warnings
    #expect(dynamic.count == 1 && dynamic[0].contains("needs no libdispatch"))
  }

  @Test("A program that finds another library or runtime first is found")
  func anotherLibraryOrRuntime() throws {
    let listing = try listing(["libdispatch.so", "libswiftCore.so"])
    let other = findings(.listed(swift, listing), .other("/their/libdispatch.so"))
    #expect(other.warnings.count == 1 && other.warnings[0].contains("/their/libdispatch.so"))
    #expect(other.verboseLine(library: "/own").contains("not on /own"))
    #expect(other.refusal == nil)
  }

  @Test("A program on a Swift runtime of another release is refused, and both runtimes are named")
  func anotherRuntime() throws {
    let listing = try listing(["libdispatch.so", "libswiftCore.so"])
    for release in [nil, "Swift version 6.3.1"] {
      let findings = findings(
        .listed(swift, listing), .ours, .other(programs: "/a/core", librarys: "/b/core", release: release))
      #expect(findings.warnings.isEmpty)
      let refusal = try #require(findings.refusal)
      #expect(refusal.kind == .programNotRunnable)
      #expect(
        refusal.message
          == "/bin/x runs on another Swift runtime (/a/core) than Signalbox's library was built with "
          + "(\(release.map { $0 + ", " } ?? "")/b/core); build IDs and compilers differ: "
          + "take the package that was made with the program's release of Swift, or build both with one toolchain")
    }
  }

  @Test("A fact that cannot be found out is said to be unknown")
  func whatIsNotKnownIsReportedSo() throws {
    #expect(findings(.unknown).warnings.count == 1)
    #expect(findings(.foreign).warnings.isEmpty)
    let refused = findings(.refused("libx.so: not there")).warnings
    #expect(refused.count == 1 && refused[0].contains("libx.so: not there"))
  }

  @Test("A script's findings are those of its interpreter")
  func scripts() throws {
    let shell = findings(.listed(plain, try listing(["libc.so.6"])), loaded: "/bin/sh").warnings
    #expect(shell.count == 1 && shell[0].contains("is a script") && shell[0].contains("/bin/sh"))
    #expect(findings(.listed(swift, try listing(["libdispatch.so"])), .ours, loaded: "/bin/swift").warnings.isEmpty)
    #expect(findings(.foreign, loaded: "/nothing").warnings.isEmpty)
  }

  @Test("A program for another processor is found")
  func anotherProcessor() throws {
    var findings = findings(.listed(plain, try listing(["libdispatch.so"])), .other("/x"))
    findings.libraryMachine.number += 1
    #expect(findings.warnings.count == 1 && findings.warnings[0].contains("another processor"))
  }
}
