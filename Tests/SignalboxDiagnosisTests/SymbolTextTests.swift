// SymbolTextTests.swift: names for addresses: from the helper, and what is left without it, when it is slow, mute or wrong, and
// while the loader's lock is held. In child processes: the environment belongs to the whole process.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxSystem

@Suite("Names of functions for addresses in reports") struct SymbolTextTests {
  /// A script in a folder of its own, which goes with the process's end.
  static func helper(_ script: String) -> String {
    let folder = (try? Files.makeFreshFolder("/tmp/signalbox-tests-"))?.description ?? "/nowhere"
    let file = fopen(folder + "/helper", "we")
    fputs("#!/bin/sh\n" + script, file)
    if let file { fclose(file) }
    chmod(folder + "/helper", 0o755)
    return folder + "/helper"
  }
  static func remove(_ helper: String) {
    unlink(helper)
    rmdir(String(helper.dropLast("/helper".count)))
  }

  /// A return address in the C library, one in the program, and none.
  static var addresses: [UInt] {
    [UInt(bitPattern: dlsym(nil, "getenv")) + 5, ThreadStack.own()[0], 0x10]
  }

  @Test("Without a helper an address has the name in the image's own table, or none")
  func withoutHelper() async {
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_SYMBOLICATOR", "/nowhere", 1)
      let lines = SymbolText.lines(SymbolTextTests.addresses)
      #expect(lines.count == 3)
      #expect(lines[0].hasPrefix("getenv + 5 in libc.so"), "\(lines[0])")
      #expect(lines[1].hasPrefix("static SymbolTextTests.addresses.getter + "), "\(lines[1])")
      #expect(lines[1].contains(" in signalboxPackageTests") && !lines[1].contains("/"), "\(lines[1])")
      #expect(lines[2] == "0x10")
      #expect(SymbolText.lines([]) == [])
    }
  }

  @Test("The helper is asked line by line; where it does not know, the table's name stays")
  func withHelper() async {
    await #expect(processExitsWith: .success) {
      let helper = SymbolTextTests.helper(
        """
        [ "$*" = "symbolicate --frames" ] || exit 1
        read image offset; case $image$offset in /*libc*0x*) echo "first at a.c:7";; *) echo wrong;; esac
        read image offset; case $image$offset in /*Tests*0x*) echo "?";; *) echo wrong;; esac
        read rest && echo "too many"
        """)
      setenv("SIGNALBOX_SYMBOLICATOR", helper, 1)
      let lines = SymbolText.lines(SymbolTextTests.addresses)
      SymbolTextTests.remove(helper)
      #expect(lines[0] == "first at a.c:7")
      #expect(lines[1].contains("PackageTests") && lines[2] == "0x10")
    }
  }

  @Test("A slow helper is ended, and its answers until then count")
  func slowHelper() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let helper = SymbolTextTests.helper("echo early; exec sleep 600")
      setenv("SIGNALBOX_SYMBOLICATOR", helper, 1)
      let start = Clock.uptime()
      let lines = SymbolText.lines(SymbolTextTests.addresses)
      SymbolTextTests.remove(helper)
      #expect(lines[0] == "early" && lines[1].contains("PackageTests"))
      #expect((1_900_000_000...patience * 1_000_000_000).contains(Clock.uptime() - start))
    }
  }

  @Test("A helper that computes, as one on a busy machine does, is waited for beyond its two seconds")
  func busyHelper() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let helper = SymbolTextTests.helper(
        """
        end=$(($(date +%s) + 4))
        while [ $(date +%s) -lt $end ]; do :; done
        echo late at a.c:1
        """)
      setenv("SIGNALBOX_SYMBOLICATOR", helper, 1)
      let lines = SymbolText.lines(SymbolTextTests.addresses)
      SymbolTextTests.remove(helper)
      #expect(lines[0] == "late at a.c:1", "\(lines)")
    }
  }

  @Test("The helper inherits neither descriptors nor a worker's signal mask, and detects no deadlocks")
  func cleanHelper() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let helper = SymbolTextTests.helper(
        """
        echo fds $(ls /proc/self/fd | tr '\\n' ' ')
        echo $(grep SigBlk: /proc/self/status) $SIGNALBOX_DEADLOCK
        """)
      setenv("SIGNALBOX_SYMBOLICATOR", helper, 1)
      #expect(dup2(1, 77) == 77)  // not closed on exec
      let (lines, done) = (Lines(), Gate())
      try Threads.spawn {
        lines.value = SymbolText.lines(SymbolTextTests.addresses)
        done.open()
      }
      done.pass()
      SymbolTextTests.remove(helper)
      // The fourth is the folder that `ls` reads.
      #expect(lines.value[0] == "fds 0 1 2 3", "\(lines.value)")
      #expect(lines.value[1] == "SigBlk: 0000000000000000 ignore", "\(lines.value)")
    }
  }
  // SAFETY: written before the gate opens, read after it was passed.
  private final class Lines: @unchecked Sendable { var value: [String] = [] }

  @Test(
    "While a thread holds the loader's lock forever there are names, and stacks, in time",
    .enabled(if: dlsym(nil, "__tsan_init") == nil, "a sanitizer asks the loader itself, and holds signals back"))
  func loaderLock() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let addresses = SymbolTextTests.addresses
      #expect(LoaderLock.holdForEver())
      let start = Clock.uptime()
      let lines = SymbolText.lines(addresses)
      #expect(Clock.uptime() - start < patience * 1_000_000_000)
      #expect(lines.count == 3 && lines[2] == "0x10")
      #expect(lines[0].hasPrefix("getenv + 5 in libc.so"), "\(lines[0])")
      #expect(lines[1].contains("SymbolTextTests.addresses.getter"), "\(lines[1])")
      #expect(ThreadStack.own().count > 2)
      let sleeper = Actor {}
      #expect(sleeper.isAsleep() && ThreadStack.capture(sleeper.id, milliseconds: 5_000).map { $0.count > 2 } == true)
      _exit(0)
    }
  }

  @Test("The built command names a function of this test, with its file and line")
  func builtCommand() async throws {
    let folder = try Files.realPath("/proc/self/exe").description.split(separator: "/").dropLast()
    let tool = "/" + folder.joined(separator: "/") + "/signalbox"
    let stack = ThreadStack.own()
    let place = try #require(MappedImages().place(of: stack[0] - 1))
    let helper = Symbolicator(path: tool, patience: patience * 1_000_000_000)
    let answers = helper.answers(to: ["\(place.image) 0x\(String(place.offset, radix: 16))"])
    let answer = try #require(answers.first ?? nil)
    let frames = answer.split(separator: "\t").map { SymbolFrame(answer: $0, .init(returnAddress: stack[0], MappedImages())) }
    #expect(frames.last?.function.contains("builtCommand()") == true, "\(answer)")
    #expect(frames.last?.file?.hasSuffix("SymbolTextTests.swift") == true && (frames.last?.line ?? 0) > 100, "\(answer)")
  }

  @Test("A program is asked only where nobody else could have put it, whatever its name")
  func whoIsAsked() throws {
    let folder = try Files.realPath(try Files.makeFreshFolder("/tmp/signalbox-tests-")).description
    defer { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(folder)], environment: []) }
    let program = folder + "/signalbox"
    let descriptor = open(program, O_WRONLY | O_CREAT | O_CLOEXEC, 0o700)
    close(descriptor)
    func answer() -> String {
      switch Symbolicator.search(among: ["/no/such/signalbox", program]) {
      case .found: "found"
      case .none(let why): why
      case .switchedOff: "switched off"
      }
    }
    #expect(answer() == "found")
    for (path, mode) in [(folder, 0o777), (folder, 0o770), (program, 0o722), (program, 0o720)] as [(String, mode_t)] {
      chmod(path, mode)
      #expect(answer().contains("the command signalbox is not asked, because \(path) may be written to by"), "\(answer())")
      chmod(path, 0o700)
    }
    unlink(program)
    #expect(answer().contains("files and lines are not named: the command signalbox is not on PATH; set SIGNALBOX_TOOL"))
  }

  @Test("SIGNALBOX_TOOL and SIGNALBOX_SYMBOLICATOR count only as whole paths")
  func wholePaths() async {
    await #expect(processExitsWith: .success) {
      let helper = SymbolTextTests.helper("echo theirs at a.c:1")
      defer { SymbolTextTests.remove(helper) }
      let folder = String(helper.dropLast("/helper".count))
      #expect(chdir(folder) == 0)
      setenv("PATH", folder, 1)
      func isAsked() -> Bool { SymbolText.lines(SymbolTextTests.addresses)[0] == "theirs at a.c:1" }
      for (name, value) in [
        ("SIGNALBOX_SYMBOLICATOR", "./helper"), ("SIGNALBOX_SYMBOLICATOR", "helper"), ("SIGNALBOX_TOOL", "./helper"),
      ] {
        setenv(name, value, 1)
        #expect(!isAsked(), "\(name)=\(value)")
        unsetenv(name)
      }
      setenv("SIGNALBOX_TOOL", helper, 1)
      #expect(isAsked())
    }
  }
}

/// A thread that holds the loader's lock: it loads a library whose initialiser never returns.
enum LoaderLock {
  /// False if the library was not loaded.
  static func holdForEver() -> Bool {
    guard let folder = try? Files.makeFreshFolder("/tmp/signalbox-tests-").description else { return false }
    let path = folder + "/endless.so"
    guard let file = fopen(path, "we") else { return false }
    fwrite(library, 1, library.count, file)
    fclose(file)
    guard (try? Threads.spawn { dlopen(path, RTLD_NOW) }) != nil else { return false }
    defer {
      unlink(path)
      rmdir(folder)
    }
    // The lock is taken before the file is mapped.
    return eventually { MappedImages().contains(path) }
  }

  #if arch(x86_64)
  private static let machine = 62
  /// pause(), again and again.
  private static let code: [UInt8] = [0xB8, 34, 0, 0, 0, 0x0F, 0x05, 0xEB, 0xF7]
  #else
  private static let machine = 183
  /// A jump to itself.
  private static let code: [UInt8] = [0, 0, 0, 0x14]
  #endif

  /// A shared library of one segment: header, two program headers, the dynamic section, an empty symbol table, the code.
  private static var library: [UInt8] {
    let (dynamic, tables, start, size) = (64 + 2 * 56, 64 + 2 * 56 + 7 * 16, 0x180, 0x1A0)
    let header: [(Int, Int)] = [
      (0x464C_457F, 4), (0x0001_0102, 4), (0, 8), (3, 2), (machine, 2), (1, 4), (0, 8), (64, 8), (0, 8), (0, 4), (64, 2),
      (56, 2), (2, 2), (64, 2), (0, 2), (0, 2),
    ]
    let load: [(Int, Int)] = [(1, 4), (7, 4), (0, 8), (0, 8), (0, 8), (size, 8), (size, 8), (0x1000, 8)]
    let place: [(Int, Int)] = [(2, 4), (6, 4), (dynamic, 8), (dynamic, 8), (dynamic, 8), (7 * 16, 8), (7 * 16, 8), (8, 8)]
    // Hash table, strings and their size, symbols and their size, the initialiser.
    let entries = [(4, tables), (5, tables + 40), (10, 1), (6, tables + 16), (11, 24), (12, start), (0, 0)]
    let numbers = header + load + place + entries.flatMap { [($0.0, 8), ($0.1, 8)] } + [(1, 4), (1, 4), (0, 8)]
    var bytes = numbers.flatMap { number, width in (0..<width).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    bytes += Array(repeating: 0, count: start - bytes.count) + code
    return bytes + Array(repeating: 0, count: size - bytes.count)
  }
}
