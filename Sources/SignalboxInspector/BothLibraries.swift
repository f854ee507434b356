// BothLibraries.swift: a process that uses Signalbox and the toolchain's libdispatch as well, as one in which a library
// of others has queues of its own: what is there of the latter, and cycles that go through both.
import SignalboxSystem
import SignalboxView

/// One reading of both.
struct BothLibraries {
  private let copies: [RemoteInspection]
  private let other: ToolchainInspection

  /// nil: the process does not use the toolchain's, as far as its threads tell.
  init?(_ copies: [RemoteInspection], in process: any ReadProcess) {
    guard !copies.isEmpty, case .found(let library) = ToolchainLibrary.find(in: process) else { return nil }
    let seen = process.threads()
    // The search for its objects takes the longest.
    guard let records = CLibraryThreads(process, ids: Set(seen.map(\.id))),
      let places = ToolchainPlaces(library, records, process.memory),
      seen.contains(where: { $0.id != process.id && places.queues(of: $0.id)?.contains { $0 != 0 } != false })
    else { return nil }
    (self.copies, other) = (copies, ToolchainInspection(process))
    guard other.isTelling else { return nil }
  }

  /// The inspections of Signalbox's copies with the cycles that go through both, and that of the toolchain's library.
  func inspections(_ made: [Inspection], stacks: @escaping Inspection.Stacks) -> [Inspection] {
    var made = made
    made[0].cycles += cycles
    return made + [other.inspection(stacks: stacks)]
  }

  /// Whether threads wait for one another in what both libraries say.
  var hasDeadlock: Bool { other.hasDeadlock || !cycles.isEmpty }

  /// A thread waits in one of the libraries; a cycle stands if each of its waits stands where it was found.
  private var cycles: [Inspection.Cycle] {
    let known = Set((copies.flatMap { $0.cycles.map(\.threads) } + other.cyclesByThreads).map(Set.init))
    let ids = Set(copies.flatMap { $0.threads.map(\.seen.id) })
    let found = CycleSearch.cycles(among: Array(ids)) { id in copies.flatMap { $0.next(of: id) } + other.next(of: id) }
    return found.filter { !known.contains(Set($0)) }.compactMap { cycle in
      var isCertain = true
      for (index, id) in cycle.enumerated() {
        let next = cycle[(index + 1) % cycle.count]
        if let copy = copies.first(where: { $0.next(of: id).contains(next) }) {
          guard copy.stands(id) else { return nil }
          isCertain = isCertain && copy.waitsForOwn(id)
        } else {
          guard other.stands(id) else { return nil }
          isCertain = isCertain && other.waitsForTurn(id)
        }
      }
      return Inspection.Cycle(isCertain: isCertain, threads: cycle.map { Int($0) })
    }
  }
}
