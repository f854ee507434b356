// ExploreHelp.swift: what `signalbox explore --help` prints.

extension ExploreOptions {
  /// The help text.
  public static let help = """
    usage: signalbox explore [OPTION...] -- PROGRAM [ARGUMENT...]

    Runs PROGRAM, as it is, again and again, each time under another schedule of its threads that is chosen, not met by luck, and
    in virtual time. A failure is run twice before it is told, shrunk to the few switches that matter, and comes with a token that
    replays it. PROGRAM is a program with Swift, C or C++ inside, or a test bundle (.xctest) of `swift build --build-tests`.

      --runs N           at most N schedules (2000; a million for an exhaustive search)
      --seconds S        for at most S seconds
      --strategy NAME    random, sticky, pos, pct2, pct3 or pct5 alone; given more than once: these; without it: all, in turn.
                         exhaustive: all schedules of a small program, one after the other, but those that only repeat others
      --seed N           what all the draws begin with (1): the same number gives the same schedules
      --jobs N           so many at once, each on a processor of its own (as many as there are)
      --faults           in half of the schedules one start of a thread may fail, as if the system had none left (EAGAIN): for
                         programs that have an answer to it. One that has none is called false for what it cannot mend
      --keep-going       do not stop at the first failure; each different failure is told once
      --json FILE        an object a line: each failure, then the summary
      --xunit FILE       the result as test runners write it
      --replay TOKEN     run this one schedule
      --saved FOLDER     where tokens of failures are kept (.signalbox/explore)
      --no-save          neither keep tokens nor replay those that were kept
      --help, -h         this text

    The tokens of failures are kept, a file for each program with its arguments, and are replayed before new schedules are run. One
    that no longer fails is said and dropped. A token comes out the same in any process of the same program; with another build it is
    tried as well as it goes, and the step is named at which the two part. Progress is shown on a terminal only; Ctrl-C ends with the
    summary. What the program prints is shown for a failing schedule only; its standard input is empty, and it has no terminal.

    One thread at a time runs. It may be stopped before each operation of a lock, condition, semaphore, once or barrier of the C
    library, of a futex, a sleep, a wait for descriptors, at a thread's start, end and join, before each operation of queues, groups,
    semaphores and work items, and at the start of each item and Swift job. Sleeps and timeouts take no time: the clock jumps when
    nobody can run.

    Not seen: reads and writes of memory, atomics among them, and so data races (the thread sanitizer finds these); the lock and unlock
    of Synchronization.Mutex without contention; raw system calls that wait; other processes, memory shared with them, and their locks on
    files; the processor's counter, where the program reads it itself. A schedule
    that waits for something that is not seen is given up after a second and counted apart, and so is one that something outside had
    a hand in: it need not come out the same again, and if it fails and does not fail again with the same choices, that is no failure.
    A thread that only computes, or spins on memory, is not stopped, and given up after ten seconds. Not explored: programs that are linked statically, that have the setuid or setgid bit or file capabilities, or
    that start threads before main.

    Exit status: 0 no schedule failed; 1 one did; 64 wrong usage; 69 it cannot be explored, and why; 70 it fails in the very first
    schedule, in which nobody is interrupted: mend that first.

    """
}
