// Remains.swift: what a program leaves lying about while it runs: descriptors, threads and memory, as /proc shows them. Prints
// verdicts, not numbers, so that the output is the same on any library that keeps them.
@preconcurrency import Glibc  // for `stdout`

/// The beginning of a program: whole lines at a time, and an end by SIGALRM after this many seconds.
public func begin(patience seconds: UInt32) {
  setvbuf(stdout, nil, Int32(_IOLBF), 0)
  alarm(seconds)
}

/// What the process has at one moment.
public struct Remains {
  private let descriptors = Remains.entries("/proc/self/fd")
  private let pages = Remains.residentPages()

  /// Checks now.
  public init() {}

  /// Prints how the process stands beside this earlier moment, after some patience with what is still on its way out.
  public func compare(_ what: String) {
    let few = Self.eventually { Self.entries("/proc/self/fd") <= descriptors }
    print("\(what): \(few ? "no more descriptors" : "more descriptors:\n" + Self.targets())")
    let bound = sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 8
    let quiet = Self.eventually { Self.entries("/proc/self/task") <= bound }
    print("\(what): \(quiet ? "few threads" : "\(Self.entries("/proc/self/task")) threads")")
    // A quarter and eight megabytes for what the allocator keeps.
    let now = Self.residentPages()
    print("\(what): \(now <= pages + pages / 4 + 2048 ? "no more memory" : "\(pages) pages became \(now)")")
  }

  /// As `compare`, of descriptors and threads, in a program that had not used the library before: which may keep some of its own.
  public func compareDescriptors(_ what: String, ofTheLibrary own: Int) {
    let few = Self.eventually { Self.entries("/proc/self/fd") <= descriptors + own }
    print("\(what): \(few ? "few descriptors" : "more descriptors:\n" + Self.targets())")
    let bound = sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 8
    let quiet = Self.eventually { Self.entries("/proc/self/task") <= bound }
    print("\(what): \(quiet ? "few threads" : "\(Self.entries("/proc/self/task")) threads")")
  }

  private static func eventually(_ holds: () -> Bool) -> Bool {
    for _ in 0..<3_000 {
      if holds() { return true }
      usleep(10_000)
    }
    return false
  }

  private static func names(_ folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  private static func entries(_ folder: String) -> Int { names(folder).count }

  private static func targets() -> String {
    names("/proc/self/fd").map { name in
      var bytes = [CChar](repeating: 0, count: 256)
      let count = readlink("/proc/self/fd/\(name)", &bytes, 255)
      let text = String(decoding: bytes.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return "  \(name) -> \(text)"
    }
    .sorted().joined(separator: "\n")
  }

  private static func residentPages() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let words = text.split(separator: " ")
    return words.count > 1 ? Int(words[1]) ?? 0 : 0
  }
}
