// ManyDescriptorsTests.swift: twenty thousand descriptors, half of them monitored: every source is called, in linear time, and
// nothing is left.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// Makes this many pipes with a read source each, puts a byte into each, waits until every source has been called and cancelled.
/// Returns the nanoseconds of processor time for one of them.
private func watch(_ count: Int) -> UInt64 {
  let pipes = (0..<count).map { _ in IOPipe() }
  let (bytes, ended) = (Count(), Count())
  let start = processorTime()
  let sources = pipes.map { pipe in
    let output = pipe.output
    let source = DispatchSource.makeReadSource(fileDescriptor: output)
    source.setEventHandler {
      var byte: UInt8 = 0
      precondition(source.data == 1 && read(output, &byte, 1) == 1, "a stranger's event")
      bytes.add()
    }
    source.setCancelHandler { ended.add() }
    source.activate()
    return source
  }
  for pipe in pipes { pipe.put([7]) }
  precondition(eventually { bytes.value == UInt64(count) }, "\(bytes.value) of \(count) were called")
  for source in sources { source.cancel() }
  precondition(eventually { ended.value == UInt64(count) }, "\(ended.value) of \(count) ended")
  precondition(bytes.value == UInt64(count))
  return (processorTime() - start) / UInt64(count)
}

/// Nanoseconds that this process has used: others use the machine as well.
private func processorTime() -> UInt64 {
  var time = Glibc.timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

extension Faults {
  @Suite struct ManyDescriptorsTests {
    @Test("The sources of ten thousand pipes are all called once, in linear time, and leave nothing behind")
    func many() async {
      await #expect(processExitsWith: .success) {
        killOnHang(after: 500)
        var limit = rlimit(rlim_cur: 20_200, rlim_max: 20_200)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        if setrlimit(resource, &limit) != 0 {  // not permitted: as many as there may be
          getrlimit(resource, &limit)
          limit.rlim_cur = limit.rlim_max
          setrlimit(resource, &limit)
        }
        let count = min(10_000, (Int(limit.rlim_cur) - 200) / 2)
        _ = watch(100)
        let descriptors = openDescriptors()
        var few = UInt64.max, many = UInt64.max
        for _ in 0..<3 {
          few = min(few, watch(count / 10))
          many = min(many, watch(count))
          if many <= 4 * few { break }
        }
        precondition(many <= 4 * few, "\(many) ns each instead of \(few)")
        precondition(eventually { openDescriptors() <= descriptors }, "descriptors are left")
        // Workers beyond the processors end after two seconds.
        precondition(eventually { Pool.shared.total <= UInt64(Tuning.processors) }, "\(Pool.shared.total) workers are left")
      }
    }
  }
}
