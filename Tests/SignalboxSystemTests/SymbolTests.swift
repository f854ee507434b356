// SymbolTests.swift: names of functions: by the symbol tables of files, in full and as people say them; and whose code calls.
import Glibc
import Testing

@testable import SignalboxSystem

@inline(never) private func namedFunction() -> UInt { StackCapture.addresses(limit: 1)[0] }

@Suite("Names of functions from symbol tables") struct SymbolTests {
  private static func function(at address: UInt) -> ImageFunctions.Found? {
    guard let place = MappedImages().place(of: address) else { return nil }
    return ImageFunctions.at([UInt64(place.offset)], in: place.image)[0]
  }

  @Test("A function of this program by the table in its file, private ones too; one of the C library by its exported name")
  func tables() throws {
    let own = try #require(Self.function(at: namedFunction()))
    #expect(SymbolNames.short(own.name) == "namedFunction()" && own.distance > 0, "\(own)")
    let address = UInt(bitPattern: dlsym(nil, "getenv"))
    let library = try #require(Self.function(at: address + 4))
    #expect(library.distance == 4 && library.name.hasSuffix("getenv"), "\(library)")
  }

  @Test("Several places at once, in any order; what no function covers, and what is no image, has no name")
  func several() throws {
    let place = try #require(MappedImages().place(of: namedFunction()))
    let offset = UInt64(place.offset)
    let found = ImageFunctions.at([offset, 1, offset, UInt64.max / 2], in: place.image)
    #expect(found[0] != nil && found[0] == found[2] && found[1] == nil && found[3] == nil)
    for path in ["/no/such/file", "/etc/passwd", "/", "/dev/null"] {
      #expect(ImageFunctions.at([16, 32], in: path) == [nil, nil])
    }
  }

  @Test("A small program of lld's has its first page mapped for each part: all lie in one image, and a second copy in another")
  func mappedAgain() {
    func lines(_ base: UInt) -> [String] {
      ["r--p", "r-xp", "r--p", "rw-p"].enumerated().map { number, rights in
        let start = base + UInt(number) * 0x1000
        return "\(String(start, radix: 16))-\(String(start + 0x1000, radix: 16)) \(rights) 00000000 fe:00 7 /w/small\n"
      }
    }
    let images = MappedImages(lines: lines(0x40_0000) + lines(0x40_4000)) { $0 == "/w/small" ? 0x3f80 : nil }
    for base: UInt in [0x40_0000, 0x40_4000] {
      for offset: UInt in [0, 0x1234, 0x3fff] { #expect(images.place(of: base + offset)?.offset == offset) }
    }
    #expect(images.place(of: 0x40_8000) == nil)
    // A file that is not there any more says nothing: each beginning counts.
    #expect(MappedImages(lines: lines(0x40_0000)) { _ in nil }.place(of: 0x40_1010)?.offset == 0x10)
  }

  @Test("The extent of this program's image reaches over its functions")
  func extents() throws {
    let place = try #require(MappedImages().place(of: namedFunction()))
    let extent = try #require(ImageFunctions.extent(of: place.image))
    #expect(extent > ReadNumber(UInt64(place.offset)))
    #expect(ImageFunctions.extent(of: "/etc/passwd") == nil)
  }

  @Test("Names are shown without mangling")
  func short() {
    let names = [
      "$s4main5StoreC5debityS2iFSiyXEfU_": "closure #1 in Store.debit(_:)",
      "$s4main5StoreC5debityS2iFSiyXEfU_TA": "closure #1 in Store.debit(_:)",
      "$s4main5serveyyAA5StoreCFyyYbcfU_TATm": "closure #1 in serve(_:)",
      "$s4main5fetchyS2iYaFTY0_": "fetch(_:)",
      "$s4mainyyYbcfU_yyXEfU_": "closure #1 in closure #1 in top-level code",
      "$sSa6appendyyxnF": "Array.append(_:)", "_ZN3foo3barEi": "foo::bar(int)", "pthread_create": "pthread_create", "": "",
    ]
    for (name, text) in names { #expect(SymbolNames.short(name) == text) }
  }

  @Test("Names in full are those of the source, without the hash of their file")
  func full() {
    #expect(SymbolNames.full("$sSa6appendyyxnF") == "Swift.Array.append(__owned A) -> ()")
    #expect(SymbolNames.full("pthread_create") == "pthread_create")
    let hash = "30930280B2DDF979B54FF38B564CF162"
    #expect(SymbolNames.withoutDiscriminators("A.(b in _\(hash))() -> ()") == "A.b() -> ()")
    #expect(SymbolNames.withoutDiscriminators("A.(b in _\(hash)).(c in _\(hash))") == "A.b.c")
    for text in ["A in _b", "(a in _12)", " in _\(hash))", "plain"] {
      #expect(SymbolNames.withoutDiscriminators(text) == text)
    }
  }

  @Test("The module of a function is that of its source, and C's functions have none")
  func modules() {
    #expect(SymbolNames.module("$s4main5StoreC5debityS2iFSiyXEfU_") == "main")
    #expect(SymbolNames.module("$s8Dispatch0A5QueueC4sync7executexxyKXE_tKlF") == "Dispatch")
    #expect(SymbolNames.module("$s8Dispatch0A5QueueC4UserE3fooyyF") == "User")
    #expect(SymbolNames.module("$sSa6appendyyxnF") == "Swift" && SymbolNames.module("$sSa4UserE3fooyyF") == "User")
    // The last is of a damaged file: no sum of it and another number may end the program.
    for name in ["pthread_create", "$sIegh_IeyBh_TR", "$s", "$s99x", "_ZN3foo3barEi", "$s\(Int.max)main"] {
      #expect(SymbolNames.module(name) == nil)
    }
  }

  @Test("A function's class is found by its name, and that of what is left of an async one") func classes() {
    #expect(SymbolNames.className(of: "$s4main5StoreC5debityS2iF") == "Store")
    #expect(SymbolNames.className(of: "$s4main5StoreC5debityS2iFSiyXEfU_") == "Store")
    #expect(SymbolNames.className(of: "$s4main4BankC7depositSiyYaFTY0_") == "Bank")
    #expect(SymbolNames.className(of: "$s4main4BankC7depositSiyYaFTQ1_") == "Bank")
    #expect(SymbolNames.className(of: "$s4main4BankC5totalSivg") == "Bank")
    #expect(SymbolNames.className(of: "$s4main4CoinV5valueSiyF") == nil, "a struct")
    #expect(SymbolNames.className(of: "$s4main3runyyF") == nil, "no type")
    let hash = String(repeating: "0A", count: 16)
    #expect(SymbolNames.className(of: "$s4main4Bank33_\(hash)LLC7depositSiyYaF") == "Bank", "a private one")
    #expect(SymbolNames.className(of: "$s4main4Coin33_\(hash)LLV5valueSiyF") == nil)
    #expect(SymbolNames.className(of: "pthread_create") == nil)
    #expect(SymbolNames.short("$s4main4BankC7depositSiyYaFTY0_") == "Bank.deposit()")
  }

  @Test("Thunks are the compiler's ways between functions")
  func thunks() {
    #expect(SymbolNames.isThunk("$sIegh_IeyBh_TR") && SymbolNames.isThunk("$s4main5StoreC5debityS2iFSiyXEfU_TA"))
    #expect(!SymbolNames.isThunk("$s4main5StoreC5debityS2iF") && !SymbolNames.isThunk("main"))
    // Parts of async functions between two awaits, and a specialised thunk.
    let specialized = "$sxIeAgHr_xs5Error_pIegHrzo_s8SendableRzs5NeverORs_r0_lTRSi_TG5",
      closure = "$s5probe1MV4mainyyYaFZSiyYacfU_"
    #expect(
      SymbolNames.isThunk(specialized) && SymbolNames.isThunk(specialized + "TQ0_") && SymbolNames.isThunk(closure + "TATQ0_"))
    #expect(!SymbolNames.isThunk(closure + "TQ1_") && SymbolNames.withoutPart(closure + "TY12_") == closure)
    for whole in [closure, "main", "_", "T_", closure + "TQ_x"] { #expect(SymbolNames.withoutPart(whole) == whole) }
  }

  @Test("A function is async by the mark of its part, else by its type")
  func asyncFunctions() {
    let method = "$s2an5StoreC4saveyS2iYaF", closure = "$s2an1MV4mainyyYaFZSiyYacfU_"
    for name in [method, closure, method + "TY0_", method + "TQ1_", closure + ".18", method + "TQ1_.7", closure + "TA"] {
      #expect(SymbolNames.isAsync(name), "\(name)")
    }
    let inner = "$s4main5StoreC5debityS2iFSiyXEfU_", taking = "$s4main3run4bodyyyyYaXE_tF"
    for name in ["$s4main5StoreC5debityS2iF", inner, taking, "main", "swift_job_run"] {
      #expect(!SymbolNames.isAsync(name), "\(name)")
    }
    #expect(SymbolNames.isAsyncType("closure #1 @Sendable (a.B<(C) async -> D>) async throws -> () in a.b() -> ()"))
    #expect(!SymbolNames.isAsyncType("closure #1 ((A) async -> ()) -> () in a.b() async -> ()"))
    #expect(!SymbolNames.isAsyncType("a.B.value.getter : Swift.Int") && !SymbolNames.isAsyncType(""))
  }

  @Test("The caller of a library of ours is the first function behind the toolchain's Dispatch module")
  func origins() {
    let runtime = "/opt/swift/lib"
    func isToolchain(_ files: String...) -> Bool { CallerOrigin.isToolchain(files, runtime: runtime) }
    #expect(isToolchain("/opt/swift/lib/libswiftDispatch.so", "/opt/swift/lib/libFoundationNetworking.so", "/home/me/app"))
    #expect(isToolchain("/opt/swift/lib/libFoundation.so"))
    #expect(!isToolchain("/opt/swift/lib/libswiftDispatch.so", "/home/me/app", "/opt/swift/lib/libFoundation.so"))
    #expect(
      !isToolchain("/home/me/lib/libFoundation.so") && !isToolchain() && !isToolchain("/opt/swift/lib/libswiftDispatch.so"))
    #expect(!CallerOrigin.isToolchain(["/opt/swift/lib/libFoundation.so"], runtime: ""))
    #expect(!CallerOrigin.isToolchain(), "this program contains Signalbox")
  }
}
