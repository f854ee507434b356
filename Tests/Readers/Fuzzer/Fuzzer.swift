// Fuzzer.swift: the program that hands damaged input to one of the command's readers: under libFuzzer, which finds
// bytes that lead to new code, or by itself, with bytes of files. Scripts/fuzz-readers builds and runs it. The readers
// are Reader.swift.
import Glibc

/// The reader that SIGNALBOX_READER names.
// SAFETY: libFuzzer calls from one thread, and so does main.
private nonisolated(unsafe) let chosen: any DamagedReader = {
  let name = getenv("SIGNALBOX_READER").map { String(cString: $0) } ?? ""
  guard let reader = readers.first(where: { $0.name == name }) else {
    stop("SIGNALBOX_READER names no reader: there are \(readers.map { $0.name }.joined(separator: ", "))", 2)
  }
  return reader.make()
}()

/// Ends the process with a line on standard error.
func stop(_ line: String, _ status: Int32 = 70) -> Never {
  let line = line + "\n"
  _ = line.withCString { write(2, $0, strlen($0)) }
  if status == 70 { abort() }
  exit(status)
}

#if FUZZING

/// What libFuzzer calls with bytes of its choice.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  chosen.read(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

#else

/// Arguments: files, each of which is an input.
@main struct Fuzzer {
  static func main() {
    let paths = CommandLine.arguments.dropFirst()
    for path in paths { chosen.read(contents(path)) }
    print("\(paths.count) inputs")
  }

  private static func contents(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "re") else { stop("\(path) cannot be opened: name files of bytes", 2) }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
  }
}

#endif
