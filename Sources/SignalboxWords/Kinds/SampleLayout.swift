// SampleLayout.swift: how the tables lie in memory in which a process notes once a second what its threads run, and how
// many items its queues have had. SampleTables (SignalboxDiagnosis) writes them, SampleReader (SignalboxView) reads
// them.
//
//   head     0: the uptime of the last sample   1: where the threads' table lies   2: its entries
//            3: where the queues' table lies    4: how many of its entries were ever used
//   thread   by the slot of the thread: 0: sequence   1: owner value, 0: nothing is noted   2 - 4: ItemStamp
//            5: since when, in uptime
//   queue    0: sequence   1: the address of the queue's figures, 0: none   2: how many of the samples count
//            3, 4: a sample: how many items had been submitted at least, and when; and so on
//
// A sequence is odd while the entry changes, and another afterwards. Times are nanoseconds of uptime.

/// The places in the tables of samples.
package enum SampleLayout {
  /// Words of the head, of a thread's entry, and of a queue's.
  package static var headWords: Int { 5 }
  package static var threadWords: Int { 6 }
  package static var queueWords: Int { firstSample + 2 * mostSamples }
  /// Where in a queue's entry its samples begin, and how many there are at most.
  package static var firstSample: Int { 3 }
  package static var mostSamples: Int { 16 }
  /// As many queues are noted at most.
  package static var mostQueues: Int { 4_096 }
}

/// The words of the head, by their place.
package enum SampleHead: Int {
  case last = 0, threads, threadCount, queues, queuesUsed
}
