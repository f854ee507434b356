// PoolLists.swift: the lists that the workers of an engine share: for each class of items, of turns, and of displaced queues, in shards. What a worker keeps
// for itself is OwnRing.swift and its own slot.
//
// A serial queue is promised a thread although others keep theirs busy (PoolNotes.relieve), so its turn must not stand behind the
// items of a global queue: turns have lists of their own.
//
// On many processors those who submit, and those who take, would wait for one another's cache lines: so each list is in shards. What a
// thread submits goes to its own shard, so it stays in order; workers take from the shards in turn.
import SignalboxSystem
import SignalboxWords

struct PoolLists: Sendable {
  enum Kind: Int, CaseIterable {
    /// Items of a global queue, and turns of concurrent queues.
    case items
    /// Turns of serial queues.
    case turns
    /// Turns of concurrent queues of class utility, or background, that a more urgent band serves as the class of who waits for them.
    case displacedUtility, displacedBackground

    /// Of concurrent queues of the class, which is a lower band's.
    static func displaced(from serviceClass: ServiceClass) -> Kind {
      serviceClass == .utility ? .displacedUtility : .displacedBackground
    }
    static let displaced: [Kind] = [.displacedUtility, .displacedBackground]
  }

  /// How many shards each list has.
  let shards: Int
  /// By kind, then class, then shard.
  // SAFETY: memory of process life, written by init alone. Every taking reads several, and an array would check each index.
  nonisolated(unsafe) private let lists: UnsafePointer<PoolList>

  /// `items`: the first shard of a class's items; it lies in what the items are submitted to.
  init(shards: Int, items: (ServiceClass) -> PoolList) {
    self.shards = shards
    var lists: [PoolList] = []
    for kind in Kind.allCases {
      for serviceClass in ServiceClass.all {
        lists += (0..<shards).map { shard in
          kind == .items && shard == 0 ? items(serviceClass) : PoolList.made()
        }
      }
    }
    let kept = UnsafeMutablePointer<PoolList>.allocate(capacity: lists.count)
    kept.initialize(from: lists, count: lists.count)
    self.lists = UnsafePointer(kept)
    count = lists.count
  }

  /// As many as worth their while: one for each eight processors.
  static func shards(for processors: Int) -> Int { max(1, min(8, processors / 8)) }

  @inline(__always) private func first(_ kind: Kind, of serviceClass: ServiceClass) -> Int {
    (kind.rawValue &* ServiceClass.count &+ serviceClass.rawValue) &* shards
  }

  /// The shard in which the calling thread's submissions lie.
  @inline(__always) func ofCaller(_ kind: Kind, _ serviceClass: ServiceClass) -> PoolList {
    let first = first(kind, of: serviceClass)
    return lists[_fastPath(shards == 1) ? first : first + shardOfCaller]
  }
  // While somebody counts what lies in global queues, all of it lies where that is read.
  @inline(never) private var shardOfCaller: Int {
    Instruments.areOff ? Int(OwnerValue.slot(of: ThreadSlot.current.pointee.owner)) % shards : 0
  }

  /// The shard in which a worker's submissions lie.
  @inline(__always) func shard(_ kind: Kind, of serviceClass: ServiceClass, for worker: Worker) -> PoolList {
    lists[first(kind, of: serviceClass) + (_fastPath(shards == 1) ? 0 : worker.shard % shards)]
  }

  /// All shards, from the one of that number on, which comes round for any number.
  @inline(__always)
  func first(_ kind: Kind, of serviceClass: ServiceClass, from start: Int, where isWanted: (PoolList) -> Bool) -> PoolList? {
    let first = first(kind, of: serviceClass)
    if _fastPath(shards == 1) { return isWanted(lists[first]) ? lists[first] : nil }
    for shard in 0..<shards {
      let list = lists[first + (start &+ shard) % shards]
      if isWanted(list) { return list }
    }
    return nil
  }

  /// Every shard.
  func forEach(_ kind: Kind, of serviceClass: ServiceClass, _ body: (PoolList) -> Void) {
    for shard in 0..<shards { body(lists[first(kind, of: serviceClass) + shard]) }
  }

  /// Every shard of these classes, with a number of its own below `count`.
  func forEach(of classes: ServiceClasses, _ body: (Kind, ServiceClass, _ number: Int, PoolList) -> Void) {
    for kind in Kind.allCases {
      for serviceClass in classes {
        let first = first(kind, of: serviceClass)
        for number in first..<first + shards { body(kind, serviceClass, number, lists[number]) }
      }
    }
  }
  let count: Int

  /// Where the lists of every shard lie.
  func addresses(_ kind: Kind, of serviceClass: ServiceClass) -> [UInt64] {
    (0..<shards).map { lists[first(kind, of: serviceClass) + $0].address }
  }

  /// Whether any shard holds something.
  @inline(__always) func isEmpty(_ kind: Kind, of serviceClass: ServiceClass) -> Bool {
    first(kind, of: serviceClass, from: 0) { !$0.isEmpty } == nil
  }
}
