// ExportTests.swift: the library as the loader sees it, beside the toolchain's: every name is there, no data symbol is larger.
import SignalboxLaunch
import SignalboxSystem
import Testing

@Suite("The library's symbols") struct ExportTests {
  private let ours: [String: DynamicSymbol]
  private let toolchains: [String: DynamicSymbol]

  init() throws {
    func table(_ library: RawString) throws -> [String: DynamicSymbol] {
      Dictionary(try dynamicSymbols(of: library).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    ours = try table(Built.library())
    toolchains = try table(Built.toolchainsLibrary())
  }

  @Test("The other library is the toolchain's")
  func comparison() {
    #expect(toolchains.count > 90)
    #expect(toolchains["signalbox_abi_version"] == nil)
    #expect(ours["signalbox_abi_version"] != nil)
  }

  @Test("Every symbol of the toolchain's library is there, as what it is there")
  func all() {
    for (name, symbol) in toolchains.sorted(by: { $0.key < $1.key }) where !isInternal(name) {
      #expect(ours[name]?.kind == symbol.kind, "\(name)")
    }
  }

  /// Programs hold copies of data symbols, as large as the toolchain's: a larger one would be copied past the end.
  @Test("No data symbol is larger than the toolchain's")
  func sizes() {
    let data = toolchains.values.filter { $0.kind == .data && !isInternal($0.name) }
    #expect(data.contains { $0.name == "_dispatch_main_q" })
    for symbol in data { #expect(ours[symbol.name]?.size ?? 0 <= symbol.size, "\(symbol.name)") }
  }

  @Test("Nothing but libdispatch's names and ours: C's helpers and Swift's symbols stay inside")
  func names() {
    // The calls that start programs are taken over by intent, so that children do not inherit a worker's signal mask.
    // Those that say what a signal does are taken over so that a signal with a source stays monitored.
    // Swift's concurrency runtime searches for a name that the toolchain's library lacks on Linux.
    let taken = ["posix_spawn", "posix_spawnp", "sigaction", "signal", "dispatch_async_swift_job"]
    let strange = ours.keys.filter { toolchains[$0] == nil && !taken.contains($0) && !$0.hasPrefix("signalbox_") }
    #expect(strange.sorted() == [])
  }

  /// What the linker puts into every library.
  private func isInternal(_ name: String) -> Bool { ["_init", "_fini", "_edata", "_end", "__bss_start"].contains(name) }
}
