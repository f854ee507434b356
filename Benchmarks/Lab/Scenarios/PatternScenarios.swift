// PatternScenarios.swift: the articles' shared collections and helpers as this library has them. How the articles build them
// from queues and semaphores is CollectionScenarios.swift and SemaphoreScenarios.swift.
import Signalbox
import SignalboxArticles

enum PatternScenarios {
  static let all = collections + patterns

  private static let collections: [Scenario] = [
    Scenario(
      "ts-array-appends", "TSArray: appends of many threads", .collections, "F1",
      article: "the class is used like an ordinary array, by any thread",
      documents: "what excludes others loses nothing; here each operation is one step under a lock"
    ) { lab in
      let array = TSArray(with: "names")
      DispatchQueue.concurrentPerform(iterations: 1_000) { array.append($0) }
      let found = Set(array.refCopyValues.compactMap { $0 as? Int })
      lab.note("\(array.count) elements")
      lab.expect(
        found == Set(0..<1_000) && array.count == 1_000, "each of 1,000 once", "\(array.count), \(found.count) different")
      return "1,000 appends, none lost"
    },
    Scenario(
      "ts-array-compound", "TSArray: two threads add to the same element", .collections, "F1",
      article: "one need only think of the operation, not of safety",
      documents: "reading and then writing are two operations unless something makes them one"
    ) { lab in
      let typed = SynchronizedArray([0]), anything = TSArray()
      anything.append(0)
      DispatchQueue.concurrentPerform(iterations: 500) { _ in
        typed[0]? += 1
        anything.addOne(at: 0)
      }
      let sums = "\(typed[0] ?? -1) and \(anything[0] as? Int ?? -1)"
      lab.note("500 additions each: \(sums)")
      lab.expect(sums == "500 and 500", "500 and 500", sums)
      return "compound assignment is one step: \(sums)"
    },
    Scenario(
      "ts-array-search-uses-array", "TSArray: the condition of a search uses the array itself", .collections, "F1",
      article: "a search runs its condition inside sync on the array's own queue",
      documents: "sync onto the current queue is a deadlock; here conditions run over a copy, without the lock"
    ) { lab in
      let array = TSArray()
      array.update([1, 2, 3])
      let found = array.first { (number: Int) in
        array.append(number * 10)
        return number == array.count  // never: the array grows ahead of the search
      }
      lab.note("found \(found.map { "\($0)" } ?? "nothing"), count \(array.count)")
      lab.expect(found == nil && array.count == 6, "nothing found, six elements", "\(found ?? -1), \(array.count)")
      return "the condition appended three elements, and nothing hung"
    },
    Scenario(
      "ts-dictionary-remove-value", "TSDictionary: removeValue beside the article's own", .collections, "F1",
      article: "removeValue removes by an asynchronous barrier and returns the value it found",
      documents: "an asynchronous barrier runs later: the function returns before",
      errs: "its removeValue returns nil although there was a value; the one here returns the value"
    ) { lab in
      let article = ArticleDictionary(["a": 1]), ours = TSDictionary()
      ours.update(["a": 1])
      let returned = article.whileReading { article.removeValue(forKey: "a") }
      let value = ours.removeValue(forKey: "a") as? Int
      lab.note("the article's: \(returned.map { "\($0)" } ?? "nil"); here: \(value.map { "\($0)" } ?? "nil")")
      lab.expect(returned == nil, "nil from the article's", "a value")
      lab.expect(value == 1 && ours.removeValue(forKey: "a") == nil, "1 here, then nil", "\(value.map { "\($0)" } ?? "nil")")
      return "the article's gave nil, TSDictionary gave 1"
    },
    Scenario(
      "ts-dictionary-update-filter", "TSDictionary: an update that keeps the old objects", .collections, "F1",
      article: "with a filter the values that are there stay, and the filter may change them; other old entries go",
      documents: "one step: nobody sees half of it"
    ) { lab in
      let dictionary = TSDictionary(), old = Box("old"), halves = Counter(), group = DispatchGroup()
      dictionary.update(["kept": old, "gone": Box("gone")])
      DispatchQueue.global().async(group: group) {
        for _ in 0..<100 where dictionary.values.count != 2 { halves.add(1) }
      }
      dictionary.update(["kept": Box("new"), "added": Box("added")]) { oldValue, newValue in
        if let oldValue = oldValue as? Box<String>, let newValue = newValue as? Box<String> { oldValue.value = newValue.value }
      }
      group.wait()
      let kept = dictionary["kept"] as? Box<String>
      lab.note("kept: \(kept === old ? "the old object" : "another"), now \"\(kept?.value ?? "")\"")
      lab.expect(kept === old && old.value == "new", "the old object with the new text", "\(kept?.value ?? "nothing")")
      lab.expect(
        dictionary["gone"] == nil && dictionary["added"] != nil, "the rest replaced", "\(dictionary.values.count) entries")
      lab.expect(halves.value == 0, "never another number of entries", "\(halves.value) times")
      return "the old object stayed and took the new text"
    },
  ]

  private static let patterns: [Scenario] = [
    Scenario(
      "identity-map-one-object", "Several threads ask for the object of one identifier", .practice, "F2",
      article: "every object is loaded only once; asked twice for an entity, the map gives the same object",
      documents: "the article's map searches and adds in two steps: two threads may load; here both are one step"
    ) { lab in
      let map = IdentityMap<Int, Counter>(label: "people"), loads = Counter(), others = Counter()
      DispatchQueue.concurrentPerform(iterations: 200) { number in
        let person = map.objectOrInsert(forID: number % 10) {
          loads.add(1)
          return Counter(number % 10)
        }
        if map.object(forID: number % 10) !== person { others.add(1) }
      }
      lab.note("\(loads.value) loads for \(map.count) identifiers")
      lab.expect(loads.value == 10 && map.count == 10 && others.value == 0, "one object each", "\(loads.value) loads")
      return "200 questions for 10 identifiers: 10 loads"
    },
    Scenario(
      "serial-worker-keeps-no-thread", "A hundred workers whose jobs wait for their done", .practice, "F2, B12",
      article: "a semaphore in each item of a serial queue holds the next job back",
      documents: "a thread that waits in an item is kept; here the worker's queue is suspended instead",
      scale: "the pool's limit is 4 threads", environment: ["SIGNALBOX_MAX_THREADS": "4"]
    ) { lab in
      let workers = (1...100).map { AsyncSerialWorker(label: "worker \($0)") }
      let waiting = SynchronizedArray<AsyncSerialWorker.DoneBlock>(), group = DispatchGroup()
      for worker in workers {
        for job in 1...2 {
          group.enter()
          worker.enqueueWork { done in
            if job == 1 { waiting.append(done) } else { done() }
            group.leave()
          }
        }
      }
      while waiting.count < 100 { pause(milliseconds: 1) }
      DispatchQueue.global().sync { lab.note("other work") }
      let meeting = Meeting(of: 4)  // three workers of the pool and this thread: none is kept by a job
      for _ in 1...3 { DispatchQueue.global().async { meeting.arrive() } }
      meeting.arrive()
      lab.note("three threads free, \(waiting.count) jobs wait")
      for done in waiting.removeAll() { done() }
      group.wait()
      return "100 waiting jobs and a pool of 4: other work ran beside them"
    },
    Scenario(
      "serial-worker-done-twice", "A job that says done twice, and one that never does", .practice, "F2",
      article: "done lets the next job start",
      documents: "a second signal of the article's semaphore is lost, a missing one stops the worker; here both are reported"
    ) { lab in
      let worker = AsyncSerialWorker(label: "uploads"), end = Gate()
      worker.enqueueWork { done in
        lab.note("job 1 says done twice")
        done()
        done()
      }
      worker.enqueueWork { _ in lab.note("job 2 forgets it") }
      worker.enqueueWork { done in
        lab.note("job 3")
        done()
        end.open()
      }
      end.pass()
      lab.expectOrder("job 1 says done twice", "job 2 forgets it", "job 3")
      return "one after another in spite of both; two lines on standard error name worker and job"
    },
    Scenario(
      "limited-worker-keeps-no-thread", "Fifty jobs wait for two places", .practice, "F2, B12",
      article: "jobs beyond the limit wait for the semaphore in their items",
      documents: "each of them keeps a thread; here items wait in the queue for a place",
      scale: "the pool's limit is 4 threads", environment: ["SIGNALBOX_MAX_THREADS": "4"]
    ) { lab in
      let worker = LimitedWorker(limit: 2, label: "pages"), crowd = Crowd(), gate = Gate(), group = DispatchGroup()
      let begun = Counter(), two = Meeting(of: 3)
      for number in 1...50 {
        worker.enqueueWork(group: group) {
          crowd.with {
            if begun.add(1) <= 2 { two.arrive() }
            if number <= 2 { lab.note("job \(number)") }
            gate.pass()
          }
        }
      }
      two.arrive()
      let free = Meeting(of: 3)
      for _ in 1...2 { DispatchQueue.global().async { free.arrive() } }
      free.arrive()
      lab.note("two jobs inside, two threads of four free")
      lab.expect(begun.value == 2, "two have begun", "\(begun.value)")
      gate.open()
      group.wait()
      lab.expect(crowd.peak == 2 && begun.value == 50, "two at a time, all in the end", "\(crowd.peak), \(begun.value)")
      return "two at a time; the waiting ones kept no thread"
    },
    Scenario(
      "flattened-completion-limit", "A completion that comes late, and one that never can", .practice, "F2, B8",
      article: "wait without limit for the completion's signal",
      documents: "a wait may have a limit; one without ends only by a signal",
      scale: "a limit of 20 ms; the article names none"
    ) { lab in
      let late = Box<(@Sendable (Int) -> Void)?>(nil)
      let results = [
        Result { () throws(TimeoutError) in try waitForCompletion { (completion: @Sendable (Int) -> Void) in completion(1) } },
        Result { () throws(TimeoutError) in try waitForCompletion(timeout: .milliseconds(20)) { late.value = $0 } },
        Result { () throws(TimeoutError) in try waitForCompletion { (_: @Sendable (Int) -> Void) in } },
      ]
      late.value?(2)
      for result in results { lab.note("\(result)") }
      lab.expect(
        results == [.success(1), .failure(.timedOut(after: .milliseconds(20))), .failure(.neverCalled)],
        "a value, a time-out, and an error for the one that was let go of", "\(results)")
      return "in time: its value; late and lost ones: errors, and the late call did nothing"
    },
    Scenario(
      "in-background-then-main", "The same way to the main queue, as one call", .practice, "F2, B1",
      article: "do the expensive work on a background queue, then go back to the main thread with the result",
      documents: "items of the main queue run on the main thread once it is given away by dispatchMain"
    ) { lab in
      DispatchQueue.global().async(replyOn: .main) {
        lab.note("worked")
        return (1...100).reduce(0, +)
      } then: { result in
        lab.note("result \(result)")
        lab.expectOrder("worked", "result 5050")
        lab.expectThreads("worker") { $0 == "worked" }
        lab.expectThreads("main") { $0 != "worked" }
        lab.finish("computed on \(lab.threads()[0]), used on \(lab.threads()[1])")
      }
      dispatchMain()
    },
  ]
}

extension TSArray {
  /// Adds 1 to the number at `index`, in one step.
  fileprivate func addOne(at index: Int) {
    func add(_ value: inout Any?) { value = ((value as? Int) ?? 0) + 1 }
    add(&self[index])
  }
}

/// The article's dictionary, as far as its removal goes.
private final class ArticleDictionary: @unchecked Sendable {
  // SAFETY of @unchecked: read in items of the queue, written in its barriers.
  private var entries: [String: Int]
  private let queue = DispatchQueue(label: "SyncDictAccess", attributes: .concurrent)
  init(_ entries: [String: Int]) { self.entries = entries }

  func removeValue(forKey key: String) -> Int? {
    let value = Box<Int?>(nil)
    queue.async(flags: .barrier) { value.value = self.entries.removeValue(forKey: key) }
    return value.value
  }

  /// Runs `body` while a reader is inside.
  func whileReading<T>(_ body: () -> T) -> T {
    let isInside = Gate(), goOn = Gate()
    queue.async {
      isInside.open()
      goOn.pass()
    }
    isInside.pass()
    defer {
      goOn.open()
      queue.sync(flags: .barrier) {}
    }
    return body()
  }
}
