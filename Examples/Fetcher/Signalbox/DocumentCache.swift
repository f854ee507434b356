// DocumentCache.swift: keeps what was read last in memory, up to a limit. Who asks for a document that another thread is loading
// waits for it instead of loading it again.

/// Thread safety: any thread.
// SAFETY of @unchecked: all but `load` and `capacity` is guarded by `condition`.
final class DocumentCache: @unchecked Sendable {
  /// How often what happened.
  struct Counts: Equatable {
    var served = 0
    var loaded = 0
    var evicted = 0
  }

  private let capacity: Int
  private let load: @Sendable (String) throws -> Data
  private let condition = NSCondition()
  private var entries: [String: Data] = [:]
  private var useOrder: [String] = []  // what was used longest ago comes first
  private var loading: Set<String> = []
  private var size = 0
  private var counted = Counts()

  /// - Parameter capacity: how many bytes are kept; a document larger than that is not kept.
  init(capacity: Int, load: @escaping @Sendable (String) throws -> Data) {
    self.capacity = capacity
    self.load = load
    condition.name = "fetcher.cache"
  }

  var counts: Counts { condition.withLock { counted } }

  /// The document, from memory if it is there.
  func document(_ name: String) throws -> Data {
    if let data = servedOrClaimed(name) { return data }
    let result = Result { try load(name) }
    condition.withLock {
      loading.remove(name)
      if case .success(let data) = result { keep(data, as: name) }
      condition.broadcast()
    }
    return try result.get()
  }

  /// The document if it is in memory, once nobody is loading it; otherwise nil, and the caller has to load it.
  private func servedOrClaimed(_ name: String) -> Data? {
    condition.lock()
    defer { condition.unlock() }
    while loading.contains(name) { condition.wait() }
    if let data = entries[name] {
      counted.served += 1
      touch(name)
      return data
    }
    loading.insert(name)
    counted.loaded += 1
    return nil
  }

  private func keep(_ data: Data, as name: String) {
    guard data.count <= capacity else { return }
    entries[name] = data
    size += data.count
    touch(name)
    while size > capacity {
      size -= entries.removeValue(forKey: useOrder.removeFirst())?.count ?? 0
      counted.evicted += 1
    }
  }

  private func touch(_ name: String) {
    useOrder.removeAll { $0 == name }
    useOrder.append(name)
  }
}
