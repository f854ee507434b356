// ActivityTables.swift: the tables of a summary about groups, operations, sources, transfers and run loops. Those of items, waits and
// threads are SummaryTables.swift.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

extension SummaryTables {
  private var activities: ActivityCounts { counts.activities }

  /// All of them, in the order in which a page has them.
  var ofActivities: [SummaryTable] { [groups, operations, sources, transfers, loops] }

  private var groups: SummaryTable {
    SummaryTable(
      "groups", "Groups, the one waited for longest first", onPage: 4,
      [
        ("name", "group"), ("entered", "entered"), ("left", "left"), ("waits", "waits"), ("waitedLongest", "longest"),
        ("leftLastBy", "last to leave"), ("at", "at"),
      ],
      Self.worstFirst(activities.groups, by: \.value.times.longest, then: \.key).map { name, group in
        [
          .text(name), .figure(group.entered), .figure(group.left), .count(group.waits), .time(group.times.longest),
          .optional(group.longest.map { names.waker($0.leaver) }), moment(group.longest?.at ?? start),
        ]
      })
  }

  private var operations: SummaryTable {
    SummaryTable(
      "operations", "Operations, those that took longest from their queue to their end first", onPage: 5,
      [
        ("name", "operation"), ("place", ""), ("queue", "queue"), ("count", "times"), ("cancelled", "cancelled"),
        ("heldLongest", "held"), ("heldBy", "by"), ("waitedLongest", "waited"), ("running", "ran: "), ("at", "longest at"),
      ],
      Self.worstFirst(activities.operations, by: { $0.held.longest + $0.waiting.longest + $0.running.longest }, then: \.name)
        .map {
          [
            .text($0.name), .place($0.place), .optional($0.queue.isEmpty ? nil : $0.queue), .count($0.count),
            .count($0.cancelled), .time($0.held.longest), .optional($0.heldBy), .time($0.waiting.longest),
            .spread($0.running.figures), moment($0.longestAt),
          ]
        })
  }

  private var sources: SummaryTable {
    SummaryTable(
      "sources", "Sources, the one whose handler takes most time first", onPage: 4,
      [
        ("name", "source"), ("events", "events"), ("share", "busy, of the time"), ("running", "ran: "), ("handler", "handler"),
        ("place", ""), ("at", "longest at"),
      ],
      Self.worstFirst(activities.sources, by: \.value.running.total, then: \.key).map { name, source in
        let handler = source.longest.flatMap { names.function($0.handler) }
        return [
          .text(name), .count(source.events), .share(activities.busySources[name].map { share($0) } ?? 0),
          .spread(source.running.figures), .optional(handler?.name), .place(handler?.place),
          moment(source.longest?.at ?? start),
        ]
      })
  }

  private var transfers: SummaryTable {
    SummaryTable(
      "transfers", "Reads and writes of channels, the longest first", onPage: 4,
      [
        ("name", "what"), ("count", "times"), ("bytes", "bytes"), ("took", "took: "), ("failed", "failed"),
        ("error", "last error"), ("at", "longest at"),
      ],
      Self.worstFirst(activities.transfers, by: \.value.times.longest, then: \.key).map { name, transfer in
        [
          .text(name), .count(transfer.count), .figure(transfer.bytes), .spread(transfer.times.figures),
          .count(transfer.failed),
          .optional(transfer.error == 0 ? nil : SystemError(call: "", code: Int32(transfer.error)).words),
          moment(transfer.longestAt),
        ]
      })
  }

  private var loops: SummaryTable {
    SummaryTable(
      "loops", "Run loops, the one with the longest phase first", onPage: 4,
      [
        ("name", "loop"), ("turns", "runs"), ("timersShare", "timers"), ("sourcesShare", "blocks and sources"),
        ("wokenShare", "what woke it"), ("waitingShare", "waited"), ("longestPhase", "longest phase"), ("took", "took"),
        ("at", "at"),
      ],
      Self.worstFirst(activities.loops, by: { $0.value.longest?.took ?? 0 }, then: \.key).map { name, loop in
        func share(_ phase: LoopPhase) -> SummaryTable.Cell { .share(loop.spent[phase, default: 0].double / span.double) }
        return [
          .text(name), .count(loop.turns), share(.timers), share(.sources), share(.woken), share(.waiting),
          .optional(loop.longest.flatMap { TimelineNames.phases[$0.phase] }), .time(loop.longest?.took ?? 0),
          moment(loop.longest?.at ?? start),
        ]
      })
  }
}
