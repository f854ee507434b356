// RecordedOperationTests.swift: which operations a recording calls ready. What else it says of operations is tested in
// SignalboxTimelineTests.
import Glibc
import SignalboxClasses
import SignalboxRecorder
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@Suite("Operations that are recorded") struct RecordedOperationTests {
  /// What became ready and what it had depended on last, or 0, of all threads, as the file at `path` has it.
  private static func readied(_ path: String) throws -> [[UInt64]] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: Int(try FileStatus(of: RawString(path)).identity.size))
    let count = fread(&bytes, 1, bytes.count, file)
    return bytes[..<count].withUnsafeBytes { file in
      let chunks = stride(from: RecordLayout.headSize, to: file.count, by: RecordLayout.chunkSize)
      return chunks.flatMap { chunk -> [[UInt64]] in
        guard file.load(fromByteOffset: chunk, as: UInt64.self) == RecordLayout.events else { return [] }
        return (0..<RecordLayout.cellsInChunk).compactMap { place in
          let cell = chunk + RecordLayout.chunkHeadSize + place * RecordLayout.cellSize
          guard cell + RecordLayout.cellSize <= file.count else { return nil }
          let words = (0..<3).map { file.load(fromByteOffset: cell + 8 * $0, as: UInt64.self) }
          let event = EventCell(words: (words[0], words[1], words[2]))
          return event.flatMap { $0.kind == .operationReady ? [$0.a, $0.b] : nil }
        }
      }
    }
  }

  private static func address(_ operation: Operation) -> UInt64 {
    UInt64(UInt(bitPattern: Unmanaged.passUnretained(operation).toOpaque()))
  }

  @Test("An operation becomes ready when its last dependency is taken away or ends; that is recorded only if it is in a queue")
  func ready() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let folder = try Files.makeFreshFolder("/tmp/signalbox-tests-")
      defer { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", folder], environment: []) }
      let (queue, never, first) = (OperationQueue(), Operation(), Operation())
      let (loose, behind, elsewhere) = (Operation(), Operation(), Operation())
      queue.isSuspended = true
      for operation in [loose, elsewhere] { operation.addDependency(never) }
      behind.addDependency(first)
      try Recorder.start(file: folder.description + "/recording")
      for operation in [loose, behind] { queue.addOperation(operation) }
      for operation in [elsewhere, loose] { operation.removeDependency(never) }
      first.start()
      queue.isSuspended = false
      waitUntilEmpty(queue)
      Recorder.stop()
      let readied = try RecordedOperationTests.readied(folder.description + "/recording")
      let (looseAddress, behindAddress) = (RecordedOperationTests.address(loose), RecordedOperationTests.address(behind))
      #expect(readied == [[looseAddress, 0], [behindAddress, RecordedOperationTests.address(first)]])
      withExtendedLifetime((never, elsewhere)) {}
    }
  }
}
