// CLibraryWait.swift: what a thread waits for in a function of the C library that no word names, but its place in the
// thread's stack: conditions, locks for readers and writers, and others that name no owner.
import SignalboxSystem

/// What such a function waits for.
enum CLibraryWait: String, Sendable, CaseIterable {
  case condition = "pthread_cond_", readLock = "rdlock", writeLock = "wrlock", semaphore = "sem_", barrier = "pthread_barrier_"
  case once = "pthread_once"

  /// What tables call the thing.
  var noun: String {
    switch self {
    case .condition: "condition"
    case .readLock: "reader-writer lock, for reading"
    case .writeLock: "reader-writer lock, for writing"
    case .semaphore: "POSIX semaphore"
    case .barrier: "barrier of threads"
    case .once: "once"
    }
  }

  /// By the name of the function, with or without the underscores of its inner name; nil for others.
  init?(function: String) {
    let name = function.drop { $0 == "_" }
    let found = Self.allCases.first { kind in
      switch kind {
      case .readLock, .writeLock: name.hasPrefix("pthread_rwlock_") && name.hasSuffix(kind.rawValue)
      default: name.hasPrefix(kind.rawValue)
      }
    }
    guard let found else { return nil }
    self = found
  }

  /// No such function calls more of the C library's before it sleeps.
  private static let depth = 4

  /// What each of these threads waits for, by its stack, the innermost return address first.
  static func all(of threads: [(id: Int32, stack: [ReadNumber])], in process: any ReadProcess) -> [Int32: CLibraryWait] {
    guard !threads.isEmpty, let library = process.image(named: "libc.so") ?? process.images.all.first else { return [:] }
    var asked: [(id: Int32, offset: UInt64)] = []
    for (id, stack) in threads {
      for address in stack.prefix(depth) where library.ranges.contains(where: { $0.contains(address) }) {
        asked.append((id, (address - 1 - library.base).bits))
      }
    }
    let functions = ImageFunctions.at(asked.map(\.offset), in: process.file(library.path))
    var found: [Int32: CLibraryWait] = [:]
    for (question, function) in zip(asked, functions) where found[question.id] == nil {
      found[question.id] = function.flatMap { CLibraryWait(function: $0.name) }
    }
    return found
  }
}
