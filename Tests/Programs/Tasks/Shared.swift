// Shared.swift: the types and functions that the chapters use.

import Synchronization

func say(_ chapter: String, _ result: some Any) { print("\(chapter): \(result)") }

struct Failure: Error { let number: Int }

func depth(_ left: Int) async -> Int { left == 0 ? 0 : await Task { await depth(left - 1) }.value + 1 }

func square(_ number: Int) async -> Int {
  await Task.yield()
  return number * number
}

@globalActor actor Archive {
  static let shared = Archive()
}

actor Counter {
  private(set) var count = 0
  func add(_ number: Int) { count += number }
  func addSlowly() async {
    count += 1
    await Task.yield()  // others may come in here
    count += 1
  }
}

@Archive enum Shelf {
  static var papers = 0
  static func add() { papers += 1 }
}

@MainActor final class Desk {
  var papers = 0
  func add() {
    MainActor.preconditionIsolated()
    papers += 1
  }
}

final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isUp: Bool { value.load(ordering: .acquiring) }
  func raise() { value.store(true, ordering: .releasing) }
}

func isSlept(_ duration: Duration, _ body: () async throws -> Void) async -> Bool {
  let elapsed = try? await ContinuousClock().measure { try await body() }
  return elapsed.map { $0 >= duration && $0 < .seconds(60) } ?? false
}

enum Context {
  @TaskLocal static var name = "outside"
}
