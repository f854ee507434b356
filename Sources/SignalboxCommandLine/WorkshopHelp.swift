// WorkshopHelp.swift: the help texts of `signalbox bench` and `signalbox lab`. Here and not beside their options, so
// that the command prints them at once: in a checkout the program that does the rest may have to be built first.

/// The help texts of the workshop's commands.
public enum WorkshopHelp {
  /// Of `signalbox bench`.
  public static let bench = """
    usage: signalbox bench [--unmodified] [--against BUILD] [--count] [--filter PATTERN] [--quick] [--runs N]
                           [--json] [--svg [FILE]] [--smoke] [--list] [--check]

    Runs every row on Signalbox, on the toolchain's Dispatch or Foundation and as bare work with neither, in turn in one
    process, and prints nanoseconds per operation, the ratio with its 90 % interval, and the calls of malloc per operation.
    Rows about locks have further competitors, and trials show how evenly locks serve sixteen threads.

      --unmodified       other rows: programs that know nothing of Signalbox, started in turn as they are and on Signalbox's
                         library in place of libdispatch, as signalbox run does it
      --against BUILD    Signalbox in this build beside Signalbox in another, whose release folder BUILD is: a row is missed
                         if it is slower here, and told if it calls malloc more often or takes 3 % more instructions
      --count            the instructions of an operation on the thread that calls it, and how many of them lock a cache
                         line, in place of times; "~" where the counts of a row differ because the thread waits
      --filter PATTERN   only rows whose name contains PATTERN, or matches it if it has * or ?; alternatives between |,
                         as in 'thread-*|runloop|timer'; may be repeated
      --quick            only the rows that stand for others: half of the time that the locks take
      --runs N           interleaved pairs per row, 1 to 1000 (default 11; bars are judged from 9 on)
      --json             one JSON object on standard output instead of the table
      --svg [FILE]       also write a chart: of the ratios, or, when all rows are about locks, of what each lock takes;
                         FILE is signalbox-bench.svg if it is left out
      --smoke            a few operations per row: shows that every row runs, judges nothing
      --list             print the rows and their bars
      --check            exit with 1 if a bar is missed, or a row calls malloc more often, or takes more
                         instructions, than in BUILD
      --against-itself   the toolchain's library on both sides: the ratios should be about 1
      --help             this text

    Exit status: 0; 1 missed bars with --check; 2 no row matches; 64 wrong usage; 69 a program cannot be run; 70 a library
    is not the one it should be; 73 the chart cannot be written.

    """

  /// Of `signalbox lab`.
  public static let lab = """
    usage: signalbox lab list [PATTERN...] [--json]
           signalbox lab run NAME... [--json]
           signalbox lab run --all [--json]      or: signalbox lab --all

    Runs what widely read articles say of Grand Central Dispatch and shows three columns: what the article says, what the
    documents say (the headers, Apple's documentation), what happens here. The verdict is that of the documents; where
    they say nothing or "undefined", it is that of DIFFERENCES.md. Each scenario runs in a process of its own.

    The articles, by the titles that they have here and in Documentation/Differences/articles.json:

      Survey of concurrency: threads, locks, GCD and operations on iOS, in full, with listings of the library's source
      Safe collections: arrays and dictionaries that several threads may use, and scenes of deadlocks
      Questions about operations: questions and answers on operations and their queues
      GCD best practice: how a program should use queues, groups and semaphores
      Notes on threads: what each of iOS's ways to threads offers, in short

      list      names and what is shown, by subject; only of scenarios whose name contains PATTERN, or matches it if it
                has * or ?; alternatives between |
      run       runs the scenarios named, in that order, or all, by subject. Each names the page of the documentation
                to read on, by its path on the site that Scripts/docs builds
      --json    one array on standard output instead of text; one object per scenario:
                  name, title, subject, page, source (the article's title), row (letter and number of the feature),
                  article, documents   strings
                  articleErrs    string, null where the article agrees with the documents
                  scale          string, null where no time of the article was changed
                and, unless listed only:
                  verdict        "pass" or "fail"
                  measured       string: the third column
                  message        string: what the library said on standard error, "" if nothing
                  failures       array of {expected, happened}; empty with "pass"
                  events         array of {thread, queue, text} in order; queue is null outside of any
                  seconds        number
      --help    this text

    A scenario that hangs where the documents say deadlock passes, and says "hangs, unreported". One that has not ended
    after 20 s has failed. Colours: on a terminal, unless NO_COLOR is set.

    Exit status: 0 all passed; 1 one or more failed; 2 no name matches; 64 wrong usage.

    """
}
