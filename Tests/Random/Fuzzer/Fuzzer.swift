// Fuzzer.swift: the program that plays event plays: under libFuzzer, which finds bytes that lead to new code, or by itself, with
// bytes of files or seeds. Scripts/long-run builds and runs it.
import EventPlays
import Glibc

/// Ends the process when something was wrong, so that its bytes are kept.
private func play(_ bytes: [UInt8], _ name: String) {
  let wrong = runEventPlay(bytes)
  if wrong.isEmpty { return }
  tell("WRONG: \(name):\n  \(wrong.joined(separator: "\n  "))")
  abort()
}

/// Writes a line to standard error, at once: the process may be about to end.
private func tell(_ line: String) {
  let line = line + "\n"
  _ = line.withCString { write(2, $0, strlen($0)) }
}

#if FUZZING

/// What libFuzzer calls with bytes of its choice.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  play(Array(UnsafeBufferPointer(start: start, count: count)), "an input of \(count) bytes")
  return 0
}

#else

/// Arguments: files, whose bytes are played; or a first seed, a number of seeds, and how many bytes each gives.
@main struct Fuzzer {
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    let numbers = words.compactMap { UInt64($0) }
    if numbers.count == 3 {
      let (first, count) = (numbers[0], numbers[1])
      for seed in first..<first + count { play(eventPlayBytes(seed: seed, count: Int(numbers[2])), "seed \(seed)") }
      return print("\(count) plays")
    }
    for path in words { play(contents(path), path) }
    print("\(words.count) plays")
  }

  private static func contents(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "re") else {
      tell("\(path) cannot be opened: name files, or a seed, a number of seeds and one of bytes")
      exit(2)
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
  }
}

#endif
