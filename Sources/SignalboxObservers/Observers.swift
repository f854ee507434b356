// Observers.swift: the subscribers of the engine's events, one for each bit of the instruments byte. This module lies
// above the engine, which does not name it, and is part of every product that has queues.
import SignalboxWaits

enum Observers {
  static func subscribe() {
    Events.subscribe(.stallDetector) { StallEvents.hears(Event($0, $1, $2, $3, $4)) }
    Events.subscribe(.recorder) { RecordedEvents.hears(Event($0, $1, $2, $3, $4)) }
    Events.subscribe(.figures) { TaskRegister.hears(Event($0, $1, $2, $3, $4)) }
    Events.subscribe(.mainLimit) { MainItemMonitor.hears(Event($0, $1, $2, $3, $4)) }
  }
}

// The loader calls what stands in this section: before any lock is taken or queue made.
@used @section(".init_array")
private let registration: @convention(c) @Sendable () -> Void = { Observers.subscribe() }
