// TreeTests.swift: the exhaustive search on small models: with sleep sets it comes to every end that it comes to without, in fewer runs.
import CSignalboxExplore
import Testing

/// A search's path, in memory of its own: Swift does not know all of the C structure.
private final class Tree {
  let tree: UnsafeMutablePointer<sbx_tree>
  private let memory: UnsafeMutableRawPointer

  init() {
    memory = .allocate(byteCount: MemoryLayout<sbx_tree>.size, alignment: MemoryLayout<sbx_tree>.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<sbx_tree>.size)
    tree = memory.assumingMemoryBound(to: sbx_tree.self)
  }
  deinit { memory.deallocate() }
}

/// Threads that lock and unlock, each by a list.
private struct Model {
  enum Step: Equatable {
    case lock(UInt32)
    case unlock(UInt32)

    var object: UInt32 {
      switch self {
      case .lock(let object), .unlock(let object): object
      }
    }
  }
  /// What the search gets.
  enum Telling {
    /// That each step touches all.
    case nothing
    /// What each step touches, by numbers that are the same in each run.
    case objects
    /// By numbers that are given out in the run, as objects are touched for the first time.
    case numbers
  }
  let threads: [[Step]]

  struct Result {
    /// Who had each lock in which order, and whether all came to their ends.
    var ends: Set<String> = []
    var deadlocks = 0
    var runs = 0
    var cut = 0
  }

  /// Searches all of it.
  func search(_ telling: Telling) -> Result {
    let tree = Tree()
    var result = Result()
    repeat {
      sbx_tree_begin(tree.tree)
      run(tree, telling, &result)
    } while sbx_tree_advance(tree.tree) != 0
    #expect(tree.tree.pointee.is_partial == 0)
    return result
  }

  private func run(_ tree: Tree, _ telling: Telling, _ result: inout Result) {
    var numbers: [UInt32: UInt32] = [:]
    var at = Array(repeating: 0, count: threads.count)
    var owners: [UInt32: Int] = [:]
    var history: [UInt32: [Int]] = [:]
    var last: UInt32 = 1
    while true {
      var enabled: UInt64 = 0
      for (index, steps) in threads.enumerated() where at[index] < steps.count {
        let step = steps[at[index]]
        if case .lock(let object) = step, owners[object] != nil { continue }
        enabled |= 1 << UInt64(index + 1)
      }
      guard enabled != 0 else { break }
      let known = telling == .numbers ? UInt32(numbers.count) : 100
      let chosen = Int(sbx_tree_choose(tree.tree, enabled, known, last))
      guard chosen > 0 else {
        result.cut += 1
        return
      }
      last = UInt32(chosen)
      let step = threads[chosen - 1][at[chosen - 1]]
      switch telling {
      case .nothing: sbx_tree_touch(tree.tree, UInt32(SBX_TOUCHES_ALL))
      case .objects: sbx_tree_touch(tree.tree, step.object)
      case .numbers:
        let number = numbers[step.object] ?? UInt32(numbers.count + 1)
        numbers[step.object] = number
        sbx_tree_touch(tree.tree, number)
      }
      switch step {
      case .lock(let object):
        owners[object] = chosen
        history[object, default: []].append(chosen)
      case .unlock(let object): owners[object] = nil
      }
      at[chosen - 1] += 1
    }
    result.runs += 1
    let isDeadlock = zip(threads, at).contains { $0.count != $1 }
    if isDeadlock { result.deadlocks += 1 }
    let orders = history.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    result.ends.insert("\(isDeadlock) \(at) \(orders)")
  }

  /// Each takes the fork on its left first; `polite`: the last one does not.
  static func philosophers(_ count: UInt32, isPolite: Bool) -> Model {
    Model(
      threads: (0..<count).map { seat in
        var forks = [seat + 1, (seat + 1) % count + 1]
        if isPolite, seat == count - 1 { forks.reverse() }
        return [.lock(forks[0]), .lock(forks[1]), .unlock(forks[1]), .unlock(forks[0])]
      })
  }
}

@Suite("An exhaustive search") struct TreeTests {
  @Test("It comes to every end that a search without sleep sets comes to", arguments: [2, 3])
  func sameEnds(_ count: UInt32) {
    for isPolite in [false, true] {
      let model = Model.philosophers(count, isPolite: isPolite)
      let all = model.search(.nothing), few = model.search(.objects), some = model.search(.numbers)
      #expect(few.ends == all.ends && some.ends == all.ends)
      #expect(few.runs <= some.runs && some.runs <= all.runs)
      #expect(all.cut == 0 && few.runs <= all.runs)
      #expect((few.deadlocks > 0) == !isPolite)
      // One run for each order that differs in more than the sequence of what does not depend.
      #expect(few.runs == few.ends.count)
    }
  }

  @Test("Threads that share nothing have one schedule") func nothingShared() {
    let model = Model(threads: (1...3).map { [.lock($0), .unlock($0)] })
    #expect(model.search(.objects).runs == 1)
    #expect(model.search(.nothing).runs == 90)
  }

  @Test("Draws of models: the same ends with sleep sets and without") func drawn() {
    var random: UInt64 = 7
    func draw(_ bound: UInt64) -> UInt64 {
      random = sbx_hash64(random)
      return random % bound
    }
    for _ in 0..<60 {
      let threads = (0..<3).map { _ -> [Model.Step] in
        let outer = UInt32(draw(3)) + 1, inner = outer % 3 + 1
        return draw(2) == 0 ? [.lock(outer), .unlock(outer)] : [.lock(outer), .lock(inner), .unlock(outer), .unlock(inner)]
      }
      let model = Model(threads: threads)
      let all = model.search(.nothing)
      #expect(model.search(.objects).ends == all.ends, "\(threads)")
      #expect(model.search(.numbers).ends == all.ends, "\(threads)")
    }
  }

  /// Threads of loads and stores on three words: what each load has seen, and what the words hold in the end.
  private static func searchWords(_ threads: [[(word: UInt32, isStore: Bool)]], _ telling: Model.Telling) -> (Set<String>, Int)
  {
    let tree = Tree()
    var ends: Set<String> = [], runs = 0
    search: repeat {
      sbx_tree_begin(tree.tree)
      var at = Array(repeating: 0, count: threads.count), words: [UInt32: Int] = [:], numbers: [UInt32: UInt32] = [:]
      var seen = Array(repeating: "", count: threads.count)
      while let usual = threads.indices.first(where: { at[$0] < threads[$0].count }) {
        let enabled = threads.indices.reduce(0 as UInt64) { at[$1] < threads[$1].count ? $0 | 2 << UInt64($1) : $0 }
        let known = telling == .numbers ? UInt32(numbers.count) : 100
        let chosen = Int(sbx_tree_choose(tree.tree, enabled, known, UInt32(usual + 1))) - 1
        if chosen < 0 { continue search }
        let (word, isStore) = threads[chosen][at[chosen]]
        at[chosen] += 1
        let number = telling == .objects ? word : numbers[word] ?? UInt32(numbers.count + 1)
        numbers[word] = number
        sbx_tree_touch(
          tree.tree, telling == .nothing ? SBX_TOUCHES_ALL : isStore ? number : number | UInt32(SBX_READS))
        if isStore { words[word] = chosen * 10 + at[chosen] } else { seen[chosen] += " \(words[word] ?? 0)" }
      }
      runs += 1
      ends.insert("\(seen) \(words.sorted { $0.key < $1.key })")
    } while sbx_tree_advance(tree.tree) != 0
    #expect(tree.tree.pointee.is_partial == 0)
    return (ends, runs)
  }

  @Test("Draws of loads and stores: the same ends, in fewer runs, though loads of one word do not depend on each other")
  func loads() {
    var random: UInt64 = 11
    func draw(_ bound: UInt64) -> UInt64 {
      random = sbx_hash64(random)
      return random % bound
    }
    var runs = (few: 0, all: 0)
    for _ in 0..<40 {
      let threads = (0..<3).map { _ in (0...draw(3)).map { _ in (word: UInt32(draw(3) + 1), isStore: draw(2) == 0) } }
      let all = Self.searchWords(threads, .nothing), few = Self.searchWords(threads, .objects)
      #expect(few.0 == all.0, "\(threads)")
      #expect(Self.searchWords(threads, .numbers).0 == all.0, "\(threads)")
      runs = (runs.few + few.1, runs.all + all.1)
    }
    #expect(runs.few * 4 < runs.all)
  }

  @Test("Each waiter is picked once, and what follows is searched for each") func picks() {
    let tree = Tree()
    var seen: [[Int32]] = []
    repeat {
      sbx_tree_begin(tree.tree)
      let first = sbx_tree_pick(tree.tree, 3)
      seen.append([first, sbx_tree_pick(tree.tree, first == 1 ? 2 : 1)])
    } while sbx_tree_advance(tree.tree) != 0
    #expect(seen == [[0, 0], [1, 0], [1, 1], [2, 0]])
    #expect(tree.tree.pointee.is_partial == 0)
  }

  @Test("What is not the same each time is not called all") func parted() {
    let tree = Tree()
    sbx_tree_begin(tree.tree)
    #expect(sbx_tree_choose(tree.tree, 0b110, 0, 1) == 1)
    sbx_tree_touch(tree.tree, UInt32(SBX_TOUCHES_ALL))
    #expect(sbx_tree_advance(tree.tree) == 1)
    sbx_tree_begin(tree.tree)
    _ = sbx_tree_choose(tree.tree, 0b1110, 0, 1)
    #expect(tree.tree.pointee.is_partial == 1)
  }

  @Test("Neither is what touches something else on the way to the same place") func partedBefore() {
    for object in [1, 2] as [UInt32] {
      let tree = Tree()
      for touched in [1, object] {
        sbx_tree_begin(tree.tree)
        _ = sbx_tree_choose(tree.tree, 0b10, 2, 1)
        sbx_tree_touch(tree.tree, touched)
        #expect(sbx_tree_choose(tree.tree, 0b110, 2, 1) > 0)
        sbx_tree_touch(tree.tree, UInt32(SBX_TOUCHES_ALL))
        _ = sbx_tree_advance(tree.tree)
      }
      #expect(tree.tree.pointee.is_partial == (object == 1 ? 0 : 1))
    }
  }

  @Test("How much of the tree has been searched: nothing at first, all in the end, and never less than before") func progress()
  {
    let tree = Tree()
    var last = 0.0
    repeat {
      #expect(sbx_tree_progress(tree.tree) >= last)
      last = sbx_tree_progress(tree.tree)
      sbx_tree_begin(tree.tree)
      for _ in 0..<5 {
        _ = sbx_tree_choose(tree.tree, 0b1110, 0, 1)
        sbx_tree_touch(tree.tree, UInt32(SBX_TOUCHES_ALL))
      }
    } while sbx_tree_advance(tree.tree) != 0
    #expect(last > 0.99)
  }

  @Test("Footprints of the engine's words: loads commute, and so do words") func wordFootprints() {
    let load = sbx_footprint(SBX_ATOMIC_LOAD.rawValue, 1), store = sbx_footprint(SBX_ATOMIC_STORE.rawValue, 1)
    let update = sbx_footprint(SBX_ATOMIC_UPDATE.rawValue, 1), park = sbx_footprint(SBX_PARK.rawValue, 1)
    #expect(sbx_depend(load, load) == 0)
    #expect(sbx_depend(load, sbx_footprint(SBX_ATOMIC_STORE.rawValue, 2)) == 0)
    #expect(sbx_depend(store, sbx_footprint(SBX_ATOMIC_UPDATE.rawValue, 2)) == 0)
    for other in [store, update, park, sbx_footprint(SBX_PARK_WAKE.rawValue, 1), sbx_footprint(SBX_FENCE_ALL.rawValue, 0)] {
      #expect(sbx_depend(store, other) != 0 && sbx_depend(load, other) != 0)
    }
    #expect(sbx_depend(park, sbx_footprint(SBX_PARKED.rawValue, 1)) == 0)
  }

  @Test("Footprints: locks by object, threads begin alone, the rest touches all") func footprints() {
    let one = sbx_footprint(SBX_LOCK.rawValue, 1), two = sbx_footprint(SBX_LOCK.rawValue, 2)
    #expect(sbx_depend(one, two) == 0)
    #expect(sbx_depend(one, sbx_footprint(SBX_UNLOCK.rawValue, 1)) != 0)
    #expect(sbx_depend(one, sbx_footprint(SBX_LOCK.rawValue, 0)) != 0)
    #expect(sbx_depend(sbx_footprint(SBX_START.rawValue, 0), sbx_footprint(SBX_CREATE.rawValue, 0)) == 0)
    #expect(sbx_depend(two, sbx_footprint(SBX_ENGINE.rawValue + 1, 5)) != 0)
    #expect(sbx_depend(two, sbx_footprint(SBX_CONDITION_WAIT.rawValue, 5)) != 0)
  }
}
