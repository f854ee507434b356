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

    @Test("The variable that names a face holds one that there is")
    func face() {
      #expect(wantedFace == nil || wantedFace == "c", "\(faceVariable) is unset for the oracle, or c for our library")
    }

    private static let symbols = ["dispatch_async_f", "dispatch_main", "_dispatch_main_queue_callback_4CF", "_dispatch_main_q"]

    @Test("The oracle is the toolchain's own library, not a copy of ours under its name", .enabled(if: !engineIsOurs))
    func libraryBehindTheOracle() throws {
      // The stock library lies beside the Swift runtime that this process runs on, and has its private symbols.
      let runtime = try #require(image(of: "swift_retain"))
      for name in Self.symbols {
        let file = try #require(image(of: name), "no symbol \(name)")
        #expect(file.name == "libdispatch.so")
        #expect(file.folder == runtime.folder)
      }
      #expect(dlsym(nil, "signalbox_abi_version") == nil)
    }

    @Test("The C face is our library, all of it", .enabled(if: subjectIsCFace))
    func libraryBehindTheCFace() throws {
      let version = try #require(image(of: "signalbox_abi_version"), "the toolchain's library is there, not ours")
      for name in Self.symbols {
        let file = try #require(image(of: name), "no symbol \(name)")
        #expect(file.name == version.name)
        #expect(file.folder == version.folder)
      }
      #expect(version.folder != image(of: "swift_retain")?.folder)
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
      // Data that begins as zero has no file of its own: it follows the last mapping of the file it belongs to.
      var file: Substring?
      while getline(&line, &capacity, maps) > 0 {
        // from-to mode offset device inode path
        let mapping = String(cString: line!).dropLast()
        let bounds = mapping.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
        if let start = mapping.firstIndex(of: "/") { file = mapping[start...] }
        guard bounds.count == 2, bounds[0] <= address, address < bounds[1] else { continue }
        guard let file, let slash = file.lastIndex(of: "/") else { return nil }
        return (file[..<slash], file[file.index(after: slash)...])
      }
      return nil
    }
  }
}
