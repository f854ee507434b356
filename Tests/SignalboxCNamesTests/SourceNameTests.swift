// SourceNameTests.swift: sources by their C names: kinds, handlers of all forms, data, cancelling, refusals.
import Glibc
import SignalboxCNames
import SignalboxTestSupport
import Testing

@Suite("Sources by their C names") struct SourceNameTests {
  @Test("A data source's handler gets what was merged")
  func dataIsMergedAndTold() {
    let queue = dispatch_queue_create("source", nil), told = dispatch_semaphore_create(0), seen = Recorder<UInt>()
    let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue)
    dispatch_source_set_event_handler(source) {
      seen.add(dispatch_source_get_data(source))
      dispatch_semaphore_signal(told)
    }
    for value: UInt in [1, 2, 3] { dispatch_source_merge_data(source, value) }
    dispatch_resume(source)
    #expect(dispatch_semaphore_wait(told, eventually()) == 0)
    #expect(seen.elements == [6])
    dispatch_source_cancel(source)
  }

  @Test("A mandatory cancel handler is called when the source is cancelled")
  func aMandatoryCancelHandlerIsOneThatIsCalledWhenTheSourceIsCancelled() {
    let over = dispatch_semaphore_create(0)!
    for form in 0..<3 {
      let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, nil)
      dispatch_set_context(source, Unmanaged.passUnretained(over).toOpaque())
      switch form {
      case 0: dispatch_source_set_mandatory_cancel_handler(source) { dispatch_semaphore_signal(over) }
      case 1: dispatch_source_set_mandatory_cancel_handler(source, dispatch_block_create(0) { dispatch_semaphore_signal(over) })
      default:
        dispatch_source_set_mandatory_cancel_handler_f(source) {
          Unmanaged<DispatchSemaphore>.fromOpaque($0!).takeUnretainedValue().signal()
        }
      }
      dispatch_activate(source)
      dispatch_source_cancel(source)
      #expect(dispatch_semaphore_wait(over, eventually()) == 0, "form \(form)")
    }
  }

  @Test("Freeing a source with a mandatory cancel handler uncancelled stops the program")
  func aSourceWithAMandatoryCancelHandlerIsNotLetGoOfUncancelled() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, nil)
      dispatch_source_set_mandatory_cancel_handler(source) {}
      dispatch_activate(source)
    }
    expectStop(result, saying: "is freed without having been cancelled, although its cancel handler is mandatory")
  }

  @Test("A timer fires, and fires no more once it is cancelled")
  func timersFireAndAreCancelled() {
    let over = dispatch_semaphore_create(0), order = Recorder<String>()
    let timer: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, DISPATCH_TIMER_STRICT, nil)
    #expect(dispatch_source_get_mask(timer) == DISPATCH_TIMER_STRICT)
    dispatch_source_set_timer(timer, soon(1), NSEC_PER_MSEC, 0)
    dispatch_source_set_registration_handler(timer) { order.add("registered") }
    dispatch_source_set_event_handler(timer) {
      order.add("event")
      dispatch_cancel(timer)
    }
    dispatch_source_set_cancel_handler(timer) {
      order.add("cancelled")
      dispatch_semaphore_signal(over)
    }
    #expect(dispatch_testcancel(timer) == 0)
    dispatch_activate(timer)
    #expect(dispatch_semaphore_wait(over, eventually()) == 0)
    #expect(order.elements == ["registered", "event", "cancelled"])
    #expect(dispatch_source_testcancel(timer) != 0 && dispatch_testcancel(timer) != 0)
  }

  /// Functions get the source's context; work objects are handlers too; nil takes a handler away.
  @Test("Functions get the source's context, work objects are handlers too, and nil takes a handler away")
  func handlersOfAllForms() {
    let told = dispatch_semaphore_create(0)!, queue = dispatch_queue_create("source", nil)
    let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_OR, 0, 0, queue)
    dispatch_set_context(source, Unmanaged.passUnretained(told).toOpaque())
    #expect(dispatch_get_context(source) == Unmanaged.passUnretained(told).toOpaque())
    let signal: dispatch_function_t = { Unmanaged<DispatchSemaphore>.fromOpaque($0!).takeUnretainedValue().signal() }
    dispatch_source_set_registration_handler_f(source, signal)
    dispatch_source_set_event_handler_f(source, signal)
    dispatch_source_set_cancel_handler_f(source, signal)
    dispatch_resume(source)
    #expect(dispatch_semaphore_wait(told, eventually()) == 0, "registered")
    dispatch_source_merge_data(source, 1)
    #expect(dispatch_semaphore_wait(told, eventually()) == 0, "event")
    let block = dispatch_block_create(0) { dispatch_semaphore_signal(told) }
    dispatch_source_set_event_handler(source, block)
    dispatch_source_merge_data(source, 1)
    #expect(dispatch_semaphore_wait(told, eventually()) == 0, "the work object")
    dispatch_source_set_event_handler(source, nil)
    dispatch_source_merge_data(source, 1)
    dispatch_source_cancel(source)
    #expect(dispatch_semaphore_wait(told, eventually()) == 0, "cancelled")
    dispatch_sync(queue) {}
    #expect(dispatch_semaphore_wait(told, DISPATCH_TIME_NOW) != 0, "nothing else")
    withExtendedLifetime(told) {}
  }

  @Test("Read, write and file sources call their handlers")
  func descriptorsAndFilesAreMonitored() throws {
    let ends = UnsafeMutablePointer<Int32>.allocate(capacity: 2)
    defer { ends.deallocate() }
    try #require(pipe(ends) == 0)
    let (reading, writing) = (ends[0], ends[1]), closed = dispatch_semaphore_create(0), seen = Recorder<UInt>()
    let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, reading, 0, nil)
    #expect(dispatch_source_get_handle(source) == UInt(reading))
    dispatch_source_set_event_handler(source) {
      seen.add(dispatch_source_get_data(source))
      dispatch_source_cancel(source)
    }
    dispatch_source_set_cancel_handler(source) {
      close(reading)
      dispatch_semaphore_signal(closed)
    }
    #expect(write(writing, "hello", 5) == 5)
    dispatch_resume(source)
    #expect(dispatch_semaphore_wait(closed, eventually()) == 0)
    #expect(seen.elements == [5])
    close(writing)
  }

  /// The header: NULL for a handle or mask that the kind does not know.
  @Test("A handle or mask that the kind of source does not know gives nil")
  func invalidArgumentsGiveNil() {
    func isRefused(_ type: dispatch_source_type_t, _ handle: Int, _ mask: UInt) -> Bool {
      (dispatch_source_create(type, handle, mask, nil) as dispatch_source_t?) == nil
    }
    #expect(isRefused(DISPATCH_SOURCE_TYPE_TIMER, 0, 8))
    #expect(isRefused(DISPATCH_SOURCE_TYPE_DATA_REPLACE, 1, 0))
    #expect(isRefused(DISPATCH_SOURCE_TYPE_WRITE, 0, 1))
    #expect(isRefused(DISPATCH_SOURCE_TYPE_SIGNAL, Int(SIGSTOP), 0))
    #expect(isRefused(DISPATCH_SOURCE_TYPE_PROC, -1, DISPATCH_PROC_EXIT))
    #expect(isRefused(DISPATCH_SOURCE_TYPE_VNODE, -1, DISPATCH_VNODE_WRITE))
    #expect(isRefused(DISPATCH_SOURCE_TYPE_MEMORYPRESSURE, 0, 64))
    #expect(isRefused(DISPATCH_SOURCE_TYPE_MACH_SEND, -1, DISPATCH_MACH_SEND_DEAD))
    #expect(isRefused(DISPATCH_SOURCE_TYPE_MACH_RECV, -1, 0))
    #expect(!isRefused(DISPATCH_SOURCE_TYPE_MEMORYPRESSURE, 0, DISPATCH_MEMORYPRESSURE_CRITICAL))
  }

  @Test("The flags have the values of the Swift names")
  func flagsAreThoseOfTheSwiftFace() {
    typealias File = DispatchSource.FileSystemEvent
    let files: [(UInt, File)] = [
      (DISPATCH_VNODE_DELETE, .delete), (DISPATCH_VNODE_WRITE, .write), (DISPATCH_VNODE_EXTEND, .extend),
      (DISPATCH_VNODE_ATTRIB, .attrib), (DISPATCH_VNODE_LINK, .link), (DISPATCH_VNODE_RENAME, .rename),
      (DISPATCH_VNODE_REVOKE, .revoke), (DISPATCH_VNODE_FUNLOCK, .funlock),
    ]
    for (number, event) in files { #expect(number == event.rawValue) }
    typealias Process = DispatchSource.ProcessEvent
    let processes: [(UInt, Process)] = [
      (DISPATCH_PROC_EXIT, .exit), (DISPATCH_PROC_FORK, .fork), (DISPATCH_PROC_EXEC, .exec), (DISPATCH_PROC_SIGNAL, .signal),
    ]
    for (number, event) in processes { #expect(number == event.rawValue) }
    typealias Pressure = DispatchSource.MemoryPressureEvent
    let pressures: [(UInt, Pressure)] = [
      (DISPATCH_MEMORYPRESSURE_NORMAL, .normal), (DISPATCH_MEMORYPRESSURE_WARN, .warning),
      (DISPATCH_MEMORYPRESSURE_CRITICAL, .critical),
    ]
    for (number, event) in pressures { #expect(number == event.rawValue) }
    #expect(DISPATCH_TIMER_STRICT == DispatchSource.TimerFlags.strict.rawValue)
  }

  @Test("Merging data into a timer stops the program")
  func mergingIntoATimerStops() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      let timer: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, nil)
      dispatch_source_merge_data(timer, 1)
    }
    expectStop(result, saying: "dispatch_source_merge_data is called on a timer source")
  }

  @Test("Cancelling nil stops the program")
  func aNilSourceStops() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      dispatch_source_cancel(dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 8, nil))
    }
    expectStop(result, saying: "dispatch_source_cancel(_:) was given nil")
  }
}
