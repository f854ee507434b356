// LoaderListingTests.swift: how the loader's answers are read, and the lines at the head of scripts.
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

@Suite("Output of the dynamic loader") struct LoaderListingTests {
  private let answer = """
    \tlinux-vdso.so.1 (0x00007fbe02543000)
    \tlibdispatch.so => /run/user/1/signalbox/00 (old)/libdispatch.so (0x00007fbe024d9000)
    \tlibgone.so => not found
    \t/opt/with path/libdirect.so (0x00007fbe022ea000)
    \tlibc.so.6 => /lib/libc.so.6 (0x00007fbe022ea000)
    \t/lib64/ld-linux-x86-64.so.2 (0x00007fbe02545000)
    stray words
    """

  @Test("Every kind of line of the loader's listing is read")
  func everyKindOfLine() throws {
    let listing = try #require(LoaderListing(Array(answer.utf8)))
    #expect(
      listing.entries == [
        .init(name: "libdispatch.so", path: "/run/user/1/signalbox/00 (old)/libdispatch.so"),
        .init(name: "libgone.so", path: nil), .init(name: "libdirect.so", path: "/opt/with path/libdirect.so"),
        .init(name: "libc.so.6", path: "/lib/libc.so.6"),
        .init(name: "ld-linux-x86-64.so.2", path: "/lib64/ld-linux-x86-64.so.2"),
      ])
    #expect(listing["libc.so.6"]?.path == "/lib/libc.so.6")
    #expect(listing["libc.so"] == nil)
  }

  @Test(
    "Words that are no listing are no answer",
    arguments: ["", "\n", "\tstatically linked\n", "not a dynamic executable\n", "usage: x => /y (0x1)\n"])
  func otherWordsAreNoAnswer(words: String) {
    #expect(LoaderListing(Array(words.utf8)) == nil)
    #expect(LoaderAnswer(Array(words.utf8)) == .none)
  }

  @Test("The loader's refusals are recognised")
  func refusals() {
    let words = "./n: error while loading shared libraries: libg.so: cannot open shared object file: No such file\n"
    #expect(LoaderAnswer(Array(words.utf8)) == .refusal("libg.so: cannot open shared object file: No such file"))
  }

  /// The loader of this machine, about a program of it.
  @Test("The loader of this machine lists a program's libraries")
  func theLoaderItself() throws {
    let image = try #require(ElfImage(try FileBytes("/bin/ls")))
    let question = LoaderQuestion(
      interpreter: try #require(image.interpreter), environment: EnvironmentList(["LD_TRACE_LOADED_OBJECTS=1", "LD_DEBUG=all"]))
    guard case .listing(let listing) = question.answer(for: "/bin/ls") else {
      Issue.record("no listing")
      return
    }
    for name in image.needed { #expect(listing[name.description]?.path != nil, "\(name)") }
    #expect(question.answer(for: "/etc/passwd") == .none || question.answer(for: "/etc/passwd") != .listing(listing))
  }
}

@Suite("Interpreter lines of scripts") struct ScriptTests {
  @Test(
    "A script's first line names its interpreter and argument",
    arguments: [
      ("#!/bin/sh\nexit", "/bin/sh", "", nil), ("#! /bin/sh  -e \nexit", "/bin/sh", "-e ", nil),
      ("#!/bin/sh", "/bin/sh", "", nil),
      ("#!/usr/bin/env python3\n", "/usr/bin/env", "python3", "python3"),
      ("#!/usr/bin/env -S A=1 swift -O\n", "/usr/bin/env", "-S A=1 swift -O", "swift"),
      ("#!/usr/bin/env\n", "/usr/bin/env", "", nil),
    ] as [(String, String, String, String?)])
  func firstLines(text: String, interpreter: String, argument: String, name: String?) throws {
    let script = try #require(Script(Array(text.utf8)))
    #expect(script.interpreter == RawString(interpreter))
    #expect(script.argument == RawString(argument))
    #expect(script.nameForEnv == name.map { RawString($0) })
  }

  @Test(
    "Texts without such a first line are no scripts",
    arguments: ["", "#", "#!", "#!\n/bin/sh", "#!  \n", "exit 1", " #!/bin/sh"])
  func othersAreNone(text: String) { #expect(Script(Array(text.utf8)) == nil) }
}
