// Reader.swift: the readers that are fuzzed, by their names. What each does with its input is TextReaders.swift and
// FileReaders.swift.

/// One of the command's readers, and what the command shows of the thing that was read.
protocol DamagedReader {
  /// Reads, and shows what is whole. Stops the process if something is wrong besides.
  func read(_ input: [UInt8])
}

/// All of them: a name, and how one is made ready.
let readers: [(name: String, make: @Sendable () -> any DamagedReader)] = [
  // A line each: Scripts/fuzz-readers reads the names.
  ("recording", { RecordingReader() }),
  ("report", { ReportReader() }),
  ("token", { TokenReader() }),
  ("saved", { SavedReader() }),
  ("core", { CoreReader() }),
  ("answer", { AnswerReader() }),
  ("json", { JSONReader() }),
  ("symbols", { SymbolsReader() }),
  ("elf", { ElfReader() }),
]
