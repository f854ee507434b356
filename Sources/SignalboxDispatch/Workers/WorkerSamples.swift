// WorkerSamples.swift: what the sampler's samples of one worker say: that its job goes on, that it sleeps for long, or
// that it slept for a moment. Pure; the sampler keeps one for each worker.
//
// A sample that finds a worker asleep does not tell a long sleep from a short one. The sleep is long if the next
// samples of the same job find the worker asleep too, and its thread has not run in between: then that worker is
// counted out by itself, and another takes its place. The sleep was short if the thread has run since. Only then does
// the sample count for the pool's width (PoolWidth). If long sleeps counted as well, the pool would be wider and have
// the places of the workers that sleep: once these wake, more workers would compute than there are processors.

/// How many close samples of a pool's workers are settled, and how many of them found a short sleep.
struct SettledSamples {
  private(set) var all: UInt64 = 0
  private(set) var asleep: UInt64 = 0

  mutating func foundAwake() { all += 1 }

  mutating func foundShortSleep(_ samples: UInt64) { (all, asleep) = (all + samples, asleep + samples) }
}

struct WorkerSamples {
  private var progress: UInt64 = 0
  /// How many samples in a row have found the same job.
  private(set) var ofSameJob = 0
  /// How many close samples found it in a sleep that may be a long one.
  private var unsettled: UInt64 = 0
  /// How long the thread had run at the close sample before, of the same job; nil if there was none.
  private var runTime: UInt64?

  /// Whether its job was there at the sample before.
  var isSameJob: Bool { ofSameJob > 0 }

  /// Each sample: how many jobs and items the worker has begun since the last, by its own count.
  mutating func begun(upTo progress: UInt64, _ settled: inout SettledSamples) -> UInt64 {
    let begun = progress &- self.progress
    guard begun != 0 else {
      ofSameJob += 1
      return 0
    }
    (self.progress, ofSameJob, runTime) = (progress, 0, nil)
    settle(&settled)
    return begun
  }

  /// A close sample. `runTime`: nanoseconds that the thread has run, if the job is the same. True: it sleeps for long.
  mutating func found(isAsleep: Bool, runTime: UInt64, _ settled: inout SettledSamples) -> Bool {
    let before = self.runTime
    if isSameJob { self.runTime = runTime }
    let hasRun = before != nil && before != runTime
    if isAsleep, isSameJob, before == runTime {
      unsettled = 0
      return true
    }
    if !isAsleep || hasRun { settle(&settled) }
    if isAsleep { unsettled += 1 } else { settled.foundAwake() }
    return false
  }

  private mutating func settle(_ settled: inout SettledSamples) {
    settled.foundShortSleep(unsettled)
    unsettled = 0
  }
}
