// CopyOperation.swift: brings one file from a folder of this machine, piece by piece. From a server: FetchOperation.swift.

final class CopyOperation: Delivery, @unchecked Sendable {
  private let source: URL
  private let queue = DispatchQueue(label: "fetcher.copy")

  init(_ source: URL, to destination: URL) {
    self.source = source
    super.init(to: destination)
  }

  override func begin() {
    guard
      let input = DispatchIO(
        type: .stream, path: source.path, oflag: O_RDONLY, mode: 0, queue: queue, cleanupHandler: { _ in }),
      let output = DispatchIO(
        type: .stream, path: destination.path, oflag: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600, queue: queue,
        cleanupHandler: { _ in })
    else { return finish(.failed("no absolute path: \(source.path)")) }
    input.setLimit(highWater: 8_192)
    input.read(offset: 0, length: .max, queue: queue) { [self] done, data, code in
      if let data, !data.isEmpty { write(data, to: output) }
      if code != 0 { fail(code) }
      if done {
        input.close()
        finishWriting(output)
      }
    }
  }

  private func write(_ data: DispatchData, to output: DispatchIO) {
    output.write(offset: 0, data: data, queue: queue) { [self] _, _, code in if code != 0 { fail(code) } }
  }

  /// Behind all pieces: the operation ends, as a failure if one of them has failed before.
  private func finishWriting(_ output: DispatchIO) {
    output.barrier { [self] in
      output.close()
      queue.async { self.finish(.delivered(attempt: 1)) }
    }
  }

  private func fail(_ code: Int32) { finish(.failed("cannot copy \(source.path): \(String(cString: strerror(code)))")) }
}
