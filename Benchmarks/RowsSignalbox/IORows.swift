// IORows.swift: Dispatch I/O: a cached file read and copied in parts at a time, a byte echoed through pipes.
import BenchSupport

/// Bytes of the files: more than the caches of most processors.
private let fileBytes = 64 << 20

func ioRows() -> [Row] {
  [
    Row(
      "io-file-read", .io, "a cached file of 64 MiB read in 2 parts at once", bar: .notSlowerOrNearFloor,
      floor: .fileRead(bytes: fileBytes), batch: .elastic(minimum: 1), sampleMilliseconds: 60
    ) {
      let reader = FileReader(ScratchFile(bytes: fileBytes))
      return .timed { count in for _ in 0..<count { reader.readAll() } }
    },
    Row(
      "io-file-copy", .io, "a cached file of 64 MiB copied in 2 parts at once", bar: .notSlowerOrNearFloor,
      floor: .fileCopy(bytes: fileBytes), batch: .elastic(minimum: 1), sampleMilliseconds: 60
    ) {
      let copier = FileCopier(ScratchFile(bytes: fileBytes), ScratchFile(bytes: fileBytes))
      return .timed { count in for _ in 0..<count { copier.copyAll() } }
    },
    Row(
      "io-pipe-echo", .io, "a byte through a pipe, a read, a write, and back through another pipe", bar: .notSlower,
      floor: .pipeEcho, batch: .elastic(minimum: 50)
    ) {
      let there = ScratchPipe(), back = ScratchPipe()
      let echo = Echo(there, back)
      return .timed { count in for _ in 0..<count { there.roundTrip(through: echo.back) } }
    },
  ]
}

// SAFETY: `left` is touched on the serial queue; the channel guards itself.
private final class FileReader: @unchecked Sendable {
  private let file: ScratchFile
  private let channel: DispatchIO
  private let queue = DispatchQueue(label: "bench.io")
  private let countDown = CountDown()

  init(_ file: ScratchFile) {
    self.file = file
    channel = DispatchIO(type: .random, fileDescriptor: file.descriptor, queue: queue) { _ in keep(file) }
  }

  func readAll() {
    countDown.arm(Slices.count)
    for index in 0..<Slices.count {
      let range = Slices.range(index, of: file.bytes)
      let tally = ByteTally()
      channel.read(offset: range.lowerBound, length: range.count, queue: queue) { [countDown] done, data, error in
        tally.bytes += data?.count ?? 0
        guard done else { return }
        guard error == 0, tally.bytes == range.count else { fatalError("\(tally.bytes) bytes read, error \(error)") }
        countDown.hit()
      }
    }
    countDown.wait()
  }

  deinit { channel.close() }
}

// SAFETY: touched on one serial queue.
private final class ByteTally: @unchecked Sendable {
  var bytes = 0
}

// SAFETY: the channels guard themselves; the tallies are touched on the serial queue.
private final class FileCopier: @unchecked Sendable {
  private let source: ScratchFile
  private let input: DispatchIO
  private let output: DispatchIO
  private let queue = DispatchQueue(label: "bench.io")
  private let countDown = CountDown()

  init(_ source: ScratchFile, _ target: ScratchFile) {
    self.source = source
    input = DispatchIO(type: .random, fileDescriptor: source.descriptor, queue: queue) { _ in keep(source) }
    output = DispatchIO(type: .random, fileDescriptor: target.descriptor, queue: queue) { _ in keep(target) }
  }

  func copyAll() {
    countDown.arm(source.bytes)
    for index in 0..<Slices.count { copy(Slices.range(index, of: source.bytes)) }
    countDown.wait()
  }

  private func copy(_ range: Range<Int>) {
    let tally = ByteTally()
    input.read(offset: range.lowerBound, length: range.count, queue: queue) { [output, queue, countDown] _, data, error in
      guard let data, error == 0 else { fatalError("reading failed, error \(error)") }
      let position = range.lowerBound + tally.bytes, bytes = data.count
      tally.bytes += bytes
      guard bytes > 0 else { return }
      output.write(offset: position, data: data, queue: queue) { done, _, error in
        guard error == 0 else { fatalError("writing failed, error \(error)") }
        if done { countDown.hit(bytes) }
      }
    }
  }

  deinit {
    input.close()
    output.close()
  }
}

// SAFETY: the channels guard themselves.
private final class Echo: @unchecked Sendable {
  let back: ScratchPipe
  private let there: ScratchPipe
  private let input: DispatchIO
  private let output: DispatchIO

  init(_ there: ScratchPipe, _ back: ScratchPipe) {
    (self.there, self.back) = (there, back)
    let queue = DispatchQueue(label: "bench.io")
    input = DispatchIO(type: .stream, fileDescriptor: there.output, queue: queue) { _ in keep(there) }
    let output = DispatchIO(type: .stream, fileDescriptor: back.input, queue: queue) { _ in back.closeInput() }
    self.output = output
    input.setLimit(lowWater: 1)
    input.read(offset: 0, length: .max, queue: queue) { _, data, _ in
      guard let data, data.count > 0 else { return }
      output.write(offset: 0, data: data, queue: queue) { _, _, _ in }
    }
  }

  deinit {
    there.closeInput()
    input.close()
    output.close()
  }
}
