// DescribedWord.swift: the table in which a process says where its own tables lie, and how, for readers from outside.
// Who writes it is ProcessDescription (SignalboxSystem).

/// The words of the table, by their place. A word is 0 until it is known, and does not change then.
@usableFromInline package enum DescribedWord: Int, CaseIterable, Sendable {
  /// `ProcessDescription.mark`, once the words of the tables stand; the version of all that no word tells.
  case mark = 0, version
  /// The table of threads (`struct sb_slot`): where, how long an entry is, how many there are, where the highest that
  /// was used is written.
  case slots, slotSize, slotCount, highestSlot
  /// How far into a thread's record its innermost frame and its shared holds lie.
  case frames, shared
  /// The records of waits (`struct sb_wait`): where, how long one is; where in one its lists begin, in words, and how
  /// long they are.
  case waits, waitSize, waitWords, waitWordCount, waitFrames, waitFrameCount, waitShared, waitSharedCount, waitStack
  case waitStackCount
  /// Where the main thread's owner value is written; the kernel's numbers of the diagnosis's own threads, eight of 32
  /// bits.
  case mainThread, ownThreads
  /// Of a queue: how far behind its address its state, target, kind and label lie; the main queue.
  case queueState, queueTarget, queueKind, queueLabel, mainQueue
  /// The fields of a queue's state, as masks.
  case stateOwner, stateWidth, stateEnqueued, stateBarrier, stateInactive, stateSuspended
  /// Of a work item: its whereabouts and its closure.
  case itemPlace, itemClosure
  /// Functions that stand before others: of blocks, and of the jobs of tasks in each role, the isolated first.
  case blockCaller, jobIsolated, jobPreferring, jobOfPool, jobUnbound
  /// Of an operation: its state and who runs it.
  case operationState, operationRunner
  /// Where a byte is written that is not 0 in the child of a fork, whose slots name its parent's threads.
  case forkedChild
  /// The register of queues (PlaceTable.swift): the first place; where it is written how many were handed out; where
  /// the segments stand, each by the address at which its place 0 would lie.
  case firstPlace, placesUsed, placeSegments
  /// Of a queue: how much of it is to be copied; how far behind its address its limit and its class lie, and the places
  /// of its list: where the next item goes, the link to the first page, where the first item lies, what was taken off
  /// before.
  case queueSize, queueLimit, queueClass, listTail, listLink, listHead, listTaken
  /// How many items lie in a queue itself, and on each page.
  case itemsInside, itemsOnPage
  /// The classes' bytes, from unspecified and background on, the lowest byte first; the type of workloops, which is an
  /// object's first word.
  case classBytes, workloopType
  /// How many words the table has; 0: those of the first versions, which had none of the words below.
  case wordCount
  /// Of a node: how far behind its address the group or waiter lies that the item's end concerns, and the byte with the
  /// number of the class that it was given; of a work item, the byte of its class.
  case nodeAudience, nodeClass, itemClass
  /// The type from which those of all sources inherit, which are queues themselves; where a type has its superclass.
  case sourceType, superclass
  /// How far into a thread's record the address of its worker lies; how far into a worker its status, the kernel's
  /// number of its thread, its count of jobs and the address of its pool.
  case threadWorker, workerStatus, workerThread, workerProgress, workerPool
  /// The process's pools: for each a table of `PoolWord`s, one behind the other; how many there are.
  case pools, poolCount
  /// The lists that workers share of the items of global queues: a table of their addresses, by class and then by
  /// shard; how many shards each class has.
  case sharedLists, sharedShards
  /// How far behind a queue's address its list begins, and the slots that lie in it; behind a page's, its slots.
  case listStart, listSlots, pageSlots
  /// Of a worker's ring: how far into it the address of its words lies, of which the first says how many items were
  /// taken out; how far behind that the number of those that were put in, their class, and their slots; how many slots
  /// there are.
  case ringWords, ringTail, ringClass, ringSlots, ringCapacity
  /// Where it is written where the table of names lies (NameLayout), once something has a name.
  case names
  /// How far behind a queue's address it stands where its extras are; in those, where its figures are; in those, the
  /// queue's address and the counts of how long sampled items waited, of 32 bits each, and how many counts there are
  /// (WaitBucket).
  case queueExtras, extrasFigures, figuresQueue, figuresWaits, waitBuckets
  /// The processor's counter and the uptime in nanoseconds, of one moment; and where it is written how long a tick
  /// lasts, in 10^-18 s, as the process last knew it.
  case originTicks, originUptime, tickLength
  /// Where the head of the tables lies in which the process samples itself (SampleLayout).
  case samples
  /// The timers (ClockTimers.swift), one object for each clock: where; 0: none was made, 1: it is not as it is read.
  /// How far into one lie, of the wheel with all that are armed: the address of its lists' heads (WheelLayout), the
  /// point it was turned to, how many are armed, how often one was put into a list.
  case uptimeTimers, continuousTimers, wallTimers, timerHeads, timerBase, timerCount, timerMoves
  /// An entry in such a list begins with the address of the next one. How far into it lie that of the one before, its
  /// window's end, its deadline, and the words that say what it does: a queue and the two of an item, or a source
  /// first; the byte that says which, and its two values, the item's lowest (0: not known). How long a head is.
  case timerPrevious, timerLatest, timerDeadline, timerTask, timerTag, timerTags, timerHeadSize
  /// Descriptors that are monitored for the program (DescriptorTable.swift): where the array of entries is written, by
  /// the descriptors' numbers; 0: none was monitored, 1: it is not as it is read. Of an entry: its type, and how far
  /// into it the array of its subscriptions is written. Of a subscription: how far into it its label and its direction
  /// lie (a byte: 0 readable, 1 writable), and its type.
  case descriptors, entryType, entryWatches, watchLabel, watchDirection, watchType
  /// Where it is written how many signals, processes and files are monitored; 0: none was yet.
  case otherEvents
  /// The register of tasks (TaskRegisterLayout): where, and how many buckets it has; 0: no task ran while figures were
  /// on. And where its functions with their sums lie.
  case taskRegister, taskBuckets, taskFunctions
}
