// ElfImageTests.swift: the headers of real programs and libraries, and damaged ones, which must not stop the command.
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

@Suite("Headers of programs and libraries, damaged ones too") struct ElfImageTests {
  private func image(_ path: RawString) throws -> ElfImage { try #require(ElfImage(try FileBytes(path))) }

  @Test("The image of these tests has its loader and its libraries")
  func theTestsThemselves() throws {
    let image = try image("/proc/self/exe")
    #expect(image.machine.bits == MemoryLayout<Int>.size * 8)
    #expect(image.interpreter?.description.contains("ld") == true)
    #expect(image.needed.contains("libswiftCore.so"))
    #expect(image.holdsSwift)
    #expect(image.pathInFront == nil)
  }

  @Test("The image of a program of the system is read")
  func aProgramOfTheSystem() throws {
    let image = try image("/bin/ls")
    #expect(image.needed.contains { $0.description.hasPrefix("libc.") })
    #expect(image.interpreter != nil)
    #expect(!image.holdsSwift)
    #expect(try image.machine == self.image("/proc/self/exe").machine)
  }

  @Test("The image of a library is read, which names no loader")
  func aLibrary() throws {
    let path = try #require(ProcessInput.file(defining: "swift_retain")?.description)
    let image = try image(RawString(path))
    #expect(image.interpreter == nil)
    #expect(image.pathBehind != nil)
    #expect((image.buildID?.count ?? 40) >= 16)
  }

  @Test("The compiler's commit is read from what it notes, and from nothing else")
  func theCompilersCommit() {
    let commit = "11673e6660b2d0a5f9f99b1c7b773f4c2f6df1b0"
    func compiler(_ lines: String...) -> String? { ElfImage.compiler(in: Array(lines.joined(separator: "\0").utf8)) }
    let project = "https://github.com/swiftlang/llvm-project.git"
    #expect(compiler("GCC: (Ubuntu 11.4.0) 11.4.0", "clang version 21.0.0 (\(project) \(commit))", "") == commit)
    #expect(compiler("GCC: (Ubuntu 11.4.0) 11.4.0", "Debian clang version 14.0.6") == nil)
    #expect(compiler("clang version 21.0.0 (\(project) unknown)") == nil)
    #expect(compiler("clang version 21.0.0") == nil)
    #expect(compiler() == nil)
  }

  /// Debian and its kin link ldconfig statically.
  @Test(
    "The image of a static program has neither loader nor libraries",
    .enabled(if: (try? FileStatus(of: "/sbin/ldconfig"))?.kind == .regular)) func aStaticProgram() throws
  {
    let program = try #require([RawString("/sbin/ldconfig.real"), "/sbin/ldconfig"].first { (try? FileStatus(of: $0)) != nil })
    let image = try image(program)
    #expect(image.interpreter == nil)
    #expect(image.needed.isEmpty)
    #expect(!image.holdsSwift)
  }

  @Test("Files of other kinds are no images")
  func otherFilesAreNone() throws {
    #expect(ElfImage { _, _ in [] } == nil)
    #expect(ElfImage(try FileBytes("/proc/self/status")) == nil)
    #expect(ElfImage { _, count in Array([0x7f, 0x45, 0x4c, 0x46].prefix(count)) } == nil)
  }

  /// A made-up file of 32 bits in the other byte order: both are read by the header's word.
  @Test("An image of 32 bits in the other byte order is read by its header's word")
  func theOtherWidthAndOrder() throws {
    var bytes = [UInt8](repeating: 0, count: 128)
    func put(_ values: [UInt8], at place: Int) { bytes.replaceSubrange(place..<place + values.count, with: values) }
    put([0x7f, 0x45, 0x4c, 0x46, 1, 2, 1], at: 0)
    put([0, 20], at: 18)  // PowerPC
    put([0, 0, 0, 52], at: 28)
    put([0, 32, 0, 1], at: 42)
    put([0, 0, 0, 3, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9], at: 52)
    put(Array("/lib/ld.1".utf8), at: 100)
    let file = bytes
    let image = try #require(ElfImage { Array(file.dropFirst(Int($0)).prefix($1)) })
    #expect(image.machine == ElfImage.Machine(number: 20, bits: 32))
    #expect(image.interpreter == "/lib/ld.1")
  }

  /// Cut off anywhere, or with bytes changed at random: the reader returns, with whatever it found.
  @Test("Reading a truncated or randomly damaged image terminates")
  func damage() throws {
    let file = try FileBytes("/bin/ls")
    let whole = file.read(at: 0, count: 1 << 20)
    for end in [0, 1, 51, 52, 63, 64, 65, 200, 700, 4_000, whole.count / 2, whole.count - 1] {
      _ = ElfImage { Array(whole.prefix(end).dropFirst(Int(clamping: $0)).prefix($1)) }
    }
    var random = SmallRandom(seed: 7)
    for _ in 0..<300 {
      var bytes = whole
      for _ in 0..<4 {
        bytes[Int(random.next() % 1_000)] = UInt8(truncatingIfNeeded: random.next())
      }
      let damaged = bytes
      _ = ElfImage { Array(damaged.dropFirst(Int(clamping: $0)).prefix($1)) }
    }
  }
}
