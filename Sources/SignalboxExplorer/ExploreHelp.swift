// ExploreHelp.swift: what `signalbox explore --help` prints.

extension ExploreOptions {
  /// The help text.
  public static let help = """
    usage: signalbox explore [OPTION...] -- PROGRAM [ARGUMENT...]

    Runs PROGRAM, unmodified, again and again in virtual time, each time under another chosen schedule of its threads. A failure is
    run twice before it is reported, shrunk to the few switches that matter, and comes with a token that replays it. PROGRAM is
    written in Swift, C or C++, or is a test bundle (.xctest) of `swift build --build-tests`.

      --runs N           at most N schedules (2000; a million for an exhaustive search)
      --seconds S        for at most S seconds
      --strategy NAME    random, sticky, pos, pct2, pct3 or pct5 alone; may be given more than once (default: all, in turn).
                         exhaustive: each schedule of a small program once, without those that only repeat others
      --seed N           the start of the random numbers (default: 1): the same number gives the same schedules
      --jobs N           run N schedules in parallel, one per processor (default: all processors)
      --faults           in half of the schedules, one start of a thread may fail with EAGAIN, as if the system had no thread left.
                         Programs that do not handle this error will be reported as failing
      --keep-going       do not stop at the first failure; report each distinct failure once
      --json FILE        one JSON object per line: each failure, then the summary
      --xunit FILE       the result in the form of test runners
      --replay TOKEN     run this one schedule
      --saved FOLDER     keep tokens of failures in FOLDER (default: .signalbox/explore)
      --no-save          neither keep tokens nor replay those that were kept
      --help, -h         this text

    Tokens of failures are kept in one file for each program and its arguments. They are replayed before new schedules are run. A
    token that no longer fails is reported and removed. A token gives the same schedule in every process of the same program. With
    another build of the program, its choices are followed as far as they fit, and the report names the step where the runs diverge.
    Progress is shown on a terminal only; Ctrl-C ends the search and prints the summary. The program's output is shown for a failing
    schedule only. Its standard input is empty, and it has no terminal.

    One thread runs at a time. It may be stopped before each operation on a lock, condition, semaphore, once or barrier of the C
    library, on a futex, before a sleep and a wait for descriptors, at a thread's start, end and join, before each operation on queues,
    groups, semaphores and work items, and at the start of each item and Swift job. Sleeps and timeouts take no time: the clock jumps
    when no thread can run.

    Not seen: reads and writes of memory, including atomics, and therefore data races (the thread sanitizer finds these); the lock and
    unlock of Synchronization.Mutex without contention; raw system calls that wait; other processes, memory shared with them, and
    their locks on files; the processor's counter, where the program reads it itself. A schedule that waits for something that is not
    seen is abandoned after one second in which no thread of the program could run, after ten in any case, and counted separately. So
    is one that something outside the program affected: its result may not repeat, and a failure that does not repeat with the same
    choices does not count. A thread that only computes, or spins on memory, is not stopped; its schedule is abandoned after ten
    seconds. Not explored: programs that are linked statically, that have the setuid or setgid bit or file capabilities, or that start
    threads before main.

    Exit status: 0 no schedule failed; 1 a schedule failed; 64 wrong usage; 69 the program cannot be explored, with the reason; 70 the
    program fails in the very first schedule, in which no thread is interrupted: fix that first.

    """
}
