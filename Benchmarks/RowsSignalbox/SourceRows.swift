// SourceRows.swift: sources whose events the program makes, and sources for bytes. Timers are apart.
import BenchSupport
import Glibc

/// What a handler still has to receive.
// SAFETY: written before the first merge of a call, and then by the handler alone, whose last event the caller waits for.
private final class Sum: @unchecked Sendable {
  var value: UInt = 0
}

/// A source for the length of a workload: ended, and so let go of, with it.
// SAFETY: sources may be used from any thread.
private final class Held<Source>: @unchecked Sendable {
  let source: Source
  private let end: (Source) -> Void
  init(_ source: Source, end: @escaping (Source) -> Void) { (self.source, self.end) = (source, end) }
  deinit { end(source) }
}

func sourceRows() -> [Row] {
  [
    Row(
      "source-merge", .sources, "add to a data source whose handler keeps up as it can", bar: .notSlower, floor: .swapPair,
      batch: .fixed(20_000)
    ) {
      let (done, sum) = (DispatchSemaphore(value: 0), Sum())
      let source = DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "bench.source"))
      source.setEventHandler {
        sum.value -= source.data
        if sum.value == 0 { done.signal() }
      }
      source.activate()
      let held = Held(source) { $0.cancel() }
      return .timed { count in
        sum.value = UInt(count)
        for _ in 0..<count { held.source.add(data: 1) }
        done.wait()
      }
    },
    Row(
      "source-merge-wake", .sources, "add to a data source, then wait for its handler", bar: .notSlowerOrNearFloor,
      floor: .wakeRoundTrip, batch: .elastic(minimum: 50)
    ) {
      let done = DispatchSemaphore(value: 0)
      let source = DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "bench.source"))
      source.setEventHandler { done.signal() }
      source.activate()
      let held = Held(source) { $0.cancel() }
      return .timed { count in
        for _ in 0..<count {
          held.source.add(data: 1)
          done.wait()
        }
      }
    },
    Row(
      "source-read-echo", .sources, "eight bytes to a socket whose read source sends them back", bar: .notSlower,
      floor: .wakeRoundTrip, batch: .elastic(minimum: 50)
    ) {
      var ends: [Int32] = [-1, -1]
      precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0, "no sockets for the bench")
      let (near, far) = (ends[0], ends[1])
      let source = DispatchSource.makeReadSource(fileDescriptor: far, queue: DispatchQueue(label: "bench.source"))
      source.setEventHandler {
        var word: UInt64 = 0
        if read(far, &word, 8) == 8 { _ = write(far, &word, 8) }
      }
      source.setCancelHandler { close(far) }
      source.activate()
      let held = Held(source) {
        $0.cancel()
        close(near)
      }
      return .timed { count in
        withExtendedLifetime(held) {
          var word: UInt64 = 7
          for _ in 0..<count {
            _ = write(near, &word, 8)
            _ = read(near, &word, 8)
          }
        }
      }
    },
  ]
}
