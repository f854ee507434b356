// TaskDeadlocks.swift: tasks that hang for good inside of calls that block, as its argument says. Compiled three times:
// on the toolchain's own library, for `signalbox run`; the same optimised; and with Signalbox in it.
// Lines that end with `// at: WORD` are those that reports name.
//   semaphore   a task waits for a semaphore that another one would signal, which waits for one that the first would
//               signal
//   queues      a method of an actor is in a queue's turn and wants another queue, whose item wants the first one
//   actor       a method of an actor wants a queue, whose item waits for a task that wants the actor
//   condition   a task waits for a condition that no thread is left to signal
//   locks       two tasks take two locks, each in its own order

/// What both threads of a case wait for: after it each has what the other wants.
struct Meeting {
  private let first = DispatchSemaphore(value: 0), second = DispatchSemaphore(value: 0)
  func come(isFirst: Bool) {
    (isFirst ? first : second).signal()
    (isFirst ? second : first).wait()
  }
}

let meeting = Meeting()

/// What a function returns after its wait, so that the wait is not the last that it does.
@inline(never) func used(_ number: Int) -> Int { number + CommandLine.arguments.count }

// MARK: semaphore

let question = DispatchSemaphore(value: 0), answer = DispatchSemaphore(value: 0)

/// In a function of its own, as `wait()` is not to be called in an async one.
@inline(never) func block(_ semaphore: DispatchSemaphore) -> Int {
  semaphore.wait()  // at: wait
  return used(1)
}

@inline(never) func ask(_ order: Int) async -> Int {
  await Task.yield()
  let found = block(answer)  // at: ask
  question.signal()
  return found + order
}

@inline(never) func handle(_ order: Int) async -> Int {
  let first = used(order)
  return await ask(first) + used(order)  // at: handle
}

@inline(never) func reply() async -> Int {
  let found = block(question)  // at: reply
  answer.signal()
  return found
}

func hangInSemaphores() {
  Task(name: "order-42") { await used(handle(42)) }  // at: order
  Task(name: "replies") { await used(reply()) }  // at: replies
}

// MARK: queues, actor

let ledgers = DispatchQueue(label: "ledgers"), accounts = DispatchQueue(label: "accounts")

actor Store {
  private var count = 0

  func post(_ amount: Int) async -> Int {
    count += amount
    ledgers.sync {  // at: turn
      meeting.come(isFirst: true)
      accounts.sync { count += used(amount) }  // at: post
    }
    return count
  }

  /// Called without a wait of its own: the task goes on in it.
  func save(_ amount: Int) -> Int {
    meeting.come(isFirst: true)
    accounts.sync { count += used(amount) }  // at: save
    return count
  }
}

@inline(never) func transfer(_ store: Store, _ amount: Int) async -> Int {
  let posted = await store.post(amount)  // at: transfer
  return used(posted)
}

@inline(never) func keep(_ store: Store, _ amount: Int) async -> Int {
  let saved = await store.save(amount)  // at: keep
  return used(saved)
}

func hangInQueues() {
  let store = Store()
  Task(name: "transfer") { await used(transfer(store, 7)) }  // at: queues
  accounts.async {
    meeting.come(isFirst: false)
    ledgers.sync { _ = used(1) }
  }
}

func hangInActor() {
  let store = Store(), isSaved = DispatchSemaphore(value: 0)
  Task(name: "keeper") { await used(keep(store, 7)) }  // at: actor
  accounts.async {
    meeting.come(isFirst: false)
    Task(name: "queued") {
      _ = await store.save(1)
      isSaved.signal()
    }
    isSaved.wait()
  }
}

// MARK: condition

let isFull = NSCondition()

@inline(never) func awaitFull() -> Int {
  isFull.lock()
  defer { isFull.unlock() }
  while used(0) < 1_000 { isFull.wait() }  // at: full
  return used(1)
}

@inline(never) func fill(_ amount: Int) async -> Int {
  await Task.yield()
  return awaitFull() + used(amount)  // at: fill
}

func hangInCondition() {
  Task(name: "filler") { await used(fill(3)) }  // at: condition
}

// MARK: locks

let savings = NSLock(), checking = NSLock()

@inline(never) func move(_ amount: Int, from first: NSLock, to second: NSLock, isFirst: Bool) -> Int {
  first.lock()
  defer { first.unlock() }
  meeting.come(isFirst: isFirst)
  second.lock()  // at: move
  defer { second.unlock() }
  return used(amount)
}

@inline(never) func deposit(_ amount: Int) async -> Int {
  move(amount, from: savings, to: checking, isFirst: true) + used(amount)  // at: deposit
}

@inline(never) func withdraw(_ amount: Int) async -> Int {
  move(amount, from: checking, to: savings, isFirst: false) + used(amount)  // at: withdraw
}

func hangInLocks() {
  Task(name: "deposit") { await used(deposit(5)) }  // at: depositing
  Task { await used(withdraw(5)) }  // at: withdrawing
}

@main enum TaskDeadlocks {
  static func main() {
    adopt()
    switch CommandLine.arguments.dropFirst().first {
    case "semaphore": hangInSemaphores()
    case "queues": hangInQueues()
    case "actor": hangInActor()
    case "condition": hangInCondition()
    case "locks": hangInLocks()
    default: fatalError("usage: TaskDeadlocks semaphore | queues | actor | condition | locks")
    }
    dispatchMain()
  }
}
