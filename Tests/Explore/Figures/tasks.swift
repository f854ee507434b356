// tasks.swift: what a schedule of a small program with tasks and an actor costs; it computes nothing. For Scripts/explore-figures.
actor Count {
  var value = 0
  func add() { value += 1 }
}

@main enum Program {
  static func main() async {
    let count = Count()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { await count.add() } }
    }
    let value = await count.value
    precondition(value == 4)
  }
}
