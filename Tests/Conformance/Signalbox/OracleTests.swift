// OracleTests.swift: the comparison is worth nothing if both builds run on one library; these tests tell them apart.
import Glibc
import Testing

extension Conformance {
  @Suite("The oracle") struct Oracle {
    @Test("The queue type belongs to the library that this build names")
    func moduleOfTheQueueType() async {
      let name = String(reflecting: DispatchQueue.self)
      if subjectIsOurs {
        #expect(name.hasPrefix("Signalbox"))
      } else {
        #expect(name == "Dispatch.DispatchQueue")
      }
    }

    @Test("The oracle is the toolchain's own library, not a copy of ours under its name", .enabled(if: !subjectIsOurs))
    func libraryBehindTheOracle() throws {
      // The stock library lies beside the Swift runtime that this process runs on, and has its private symbols.
      let runtime = try #require(image(of: "swift_retain"))
      for name in ["dispatch_async_f", "dispatch_main", "_dispatch_main_queue_callback_4CF", "_dispatch_main_q"] {
        let file = try #require(image(of: name), "no symbol \(name)")
        #expect(file.name == "libdispatch.so")
        #expect(file.folder == runtime.folder)
      }
      #expect(dlsym(nil, "signalbox_abi_version") == nil)
    }

    /// The file that holds the symbol the process uses under this name, as the kernel mapped it.
    private func image(of symbol: String) -> (folder: Substring, name: Substring)? {
      guard let address = dlsym(nil, symbol).map({ UInt(bitPattern: $0) }), let maps = fopen("/proc/self/maps", "r") else {
        return nil
      }
      defer { fclose(maps) }
      var line: UnsafeMutablePointer<CChar>?
      var capacity = 0
      defer { free(line) }
      while getline(&line, &capacity, maps) > 0 {
        // from-to mode offset device inode path
        let mapping = String(cString: line!).dropLast()
        let bounds = mapping.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard bounds.count == 2, bounds[0] <= address, address < bounds[1] else { continue }
        guard let start = mapping.firstIndex(of: "/"), let slash = mapping.lastIndex(of: "/") else { return nil }
        return (mapping[start..<slash], mapping[mapping.index(after: slash)...])
      }
      return nil
    }
  }
}
