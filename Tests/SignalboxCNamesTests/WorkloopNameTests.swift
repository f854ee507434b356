// WorkloopNameTests.swift: workloops by their C names: order by class, floors, setting up before activation.
import Glibc
import SignalboxCNames
import SignalboxTestSupport
import Testing

@Suite("Workloops by their C names") struct WorkloopNameTests {
  /// The order in which a workloop runs a background item, one without a class, and an urgent one.
  private func order(of loop: dispatch_workloop_t) -> [String] {
    let ran = Recorder<String>(), over = dispatch_semaphore_create(0)
    dispatch_async(
      loop,
      dispatch_block_create_with_qos_class(DISPATCH_BLOCK_ENFORCE_QOS_CLASS, QOS_CLASS_BACKGROUND, 0) {
        ran.add("background")
        dispatch_semaphore_signal(over)
      })
    dispatch_async(loop) {
      ran.add("none")
      dispatch_semaphore_signal(over)
    }
    dispatch_async(
      loop,
      dispatch_block_create_with_qos_class(DISPATCH_BLOCK_ENFORCE_QOS_CLASS, QOS_CLASS_USER_INITIATED, 0) {
        ran.add("urgent")
        dispatch_semaphore_signal(over)
      })
    dispatch_activate(loop)
    for _ in 0..<3 { #expect(dispatch_semaphore_wait(over, eventually()) == 0) }
    return ran.elements
  }

  @Test("A workloop runs the most urgent item next")
  func theMostUrgentItemIsNext() {
    let loop = dispatch_workloop_create_inactive("urgent first")
    dispatch_workloop_set_autorelease_frequency(loop, DISPATCH_AUTORELEASE_FREQUENCY_NEVER)
    #expect(order(of: loop) == ["urgent", "none", "background"])
    #expect(String(cString: dispatch_queue_get_label(loop)) == "urgent first")
  }

  @Test("A floor raises the class of items that are below it")
  func aFloorRaisesWhatIsBelowIt() {
    let loop = dispatch_workloop_create_inactive("floor")
    dispatch_set_qos_class_floor(loop, QOS_CLASS_USER_INITIATED, 0)
    #expect(order(of: loop) == ["background", "none", "urgent"])
  }

  @Test("An active workloop runs what it is given")
  func anActiveWorkloopRunsWhatItIsGiven() {
    let loop = dispatch_workloop_create(nil), over = dispatch_semaphore_create(0)
    dispatch_async(loop) { dispatch_semaphore_signal(over) }
    #expect(dispatch_semaphore_wait(over, eventually()) == 0)
  }

  @Test("Queues and sources can have a floor as well")
  func aFloorIsThatOfAQueueAndASourceToo() {
    let queue = dispatch_queue_create("raised", dispatch_queue_attr_make_initially_inactive(DISPATCH_QUEUE_SERIAL))
    dispatch_set_qos_class_floor(queue, QOS_CLASS_UTILITY, -3)
    var rank: Int32 = 0
    #expect(dispatch_queue_get_qos_class(queue, &rank) == QOS_CLASS_UTILITY && rank == -3)
    dispatch_activate(queue)
    let source: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue)
    let told = dispatch_semaphore_create(0)
    dispatch_set_qos_class_floor(source, QOS_CLASS_BACKGROUND, 0)
    dispatch_source_set_event_handler(source) { dispatch_semaphore_signal(told) }
    dispatch_activate(source)
    dispatch_source_merge_data(source, 1)
    #expect(dispatch_semaphore_wait(told, eventually()) == 0)
    dispatch_source_cancel(source)
  }

  @Test("Setting a workloop's floor after its activation stops the program")
  func aFloorThatComesTooLateStopsTheProgram() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      dispatch_set_qos_class_floor(dispatch_workloop_create("busy"), QOS_CLASS_UTILITY, 0)
    }
    expectStop(result, saying: "dispatch_set_qos_class_floor is called on workloop \"busy\" after it was activated")
  }
}
