// Downloader.swift: turns the catalogue into operations: deliver, verify and store each document, sum up and publish each pack.
//
//   deliver ──▶ verify ──▶ store ─┐
//   deliver ──▶ verify ──▶ store ─┴▶ sum up ──▶ publish (in order of urgency, when all packs are summed up)
//
// Operations of a pack that is given up are cancelled: they still end, and so what depends on them can go on.
import FoundationNetworking

/// `start` and `giveUp` are for the main queue; blocks run on operation queues.
// SAFETY of @unchecked: `plans` is used on the main queue only; all else is set once or has its own lock.
final class Downloader: @unchecked Sendable {
  let ledger = Ledger()
  let problems = Gathered<String>()
  let summaries = Gathered<PackSummary>()
  let published = Gathered<Pack>()
  /// Entered for all that has to be over before the download is.
  let work = DispatchGroup()

  private let library: Library
  private let workspace: Workspace
  private let journal: Journal
  private let server: Server
  private let session: URLSession
  private let network = OperationQueue()
  private let checking = OperationQueue()
  private let storing = OperationQueue()
  private let publishing = OperationQueue()
  private var plans: [String: [Operation]] = [:]

  init(from server: Server, to library: Library, in workspace: Workspace, journal: Journal, width: Int) {
    (self.library, self.workspace, self.journal, self.server) = (library, workspace, journal, server)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = width
    configuration.timeoutIntervalForRequest = 60
    session = URLSession(configuration: configuration)
    setUp(network, "fetcher.network", width, .userInitiated)
    setUp(checking, "fetcher.checking", 2, .utility)
    setUp(storing, "fetcher.storing", 1, .utility)
    setUp(publishing, "fetcher.publishing", 1, .utility)
    publishing.isSuspended = true
  }

  private func setUp(_ queue: OperationQueue, _ name: String, _ width: Int, _ quality: QualityOfService) {
    queue.name = name
    queue.maxConcurrentOperationCount = width
    queue.qualityOfService = quality
  }

  /// Fetches the catalogue; `ready` gets it on the main queue, nil if it did not come.
  func fetchCatalogue(_ ready: @escaping @Sendable (Catalogue?) -> Void) {
    let file = workspace.incoming.appendingPathComponent(Catalogue.fileName)
    let fetch = FetchOperation(server.url(of: Catalogue.fileName), to: file, session: session)
    fetch.queuePriority = .veryHigh
    let decode = BlockOperation { [problems] in
      if case .failed(let reason) = fetch.outcome { problems.add("\(Catalogue.fileName): \(reason)") }
      ready(try? JSONDecoder().decode(Catalogue.self, from: Data(contentsOf: file)))
    }
    decode.addDependency(fetch)
    network.addOperation(fetch)
    OperationQueue.main.addOperation(decode)
  }

  /// Starts everything that the catalogue asks for.
  func start(_ catalogue: Catalogue) {
    dispatchPrecondition(condition: .onQueue(.main))
    let last = BlockOperation { [self] in publish() }
    last.name = "all packs are summed up"
    work.enter()  // until everything is published
    for pack in catalogue.packs { last.addDependency(plan(pack)) }
    // Not on the main operation queue: the toolchain's Foundation lets whoever posts a notification to a queue wait for all of
    // that queue's operations, and so for this one, which waits for those who post.
    storing.addOperation(last)
  }

  /// Cancels what is left of a pack.
  func giveUp(_ pack: Pack) {
    dispatchPrecondition(condition: .onQueue(.main))
    guard let operations = plans.removeValue(forKey: pack.name) else { return }
    journal.write("give up \(pack.name)")
    ledger.note(.givenUp)
    // Last steps first: none may begin because the one before it has ended.
    for operation in operations.reversed() { operation.cancel() }
  }

  /// Ends the connections to the server.
  func close() { session.invalidateAndCancel() }

  /// Queues a pack's operations. Returns the one that sums it up.
  private func plan(_ pack: Pack) -> Operation {
    let sumUp = BlockOperation { [self] in summaries.add(PackSummary(of: pack, in: library)) }
    sumUp.addExecutionBlock { [journal] in journal.write("sum up \(pack.name)") }
    let publish = BlockOperation { [self] in published.add(pack) }
    publish.addDependency(sumUp)
    publish.queuePriority = pack.priority
    var operations: [Operation] = [publish]
    for document in pack.documents {
      let steps = plan(document, of: pack)
      sumUp.addDependency(steps[2])
      operations += steps
    }
    plans[pack.name] = operations
    storing.addOperation(sumUp)
    publishing.addOperation(publish)
    return sumUp
  }

  /// Queues the three steps of a document.
  private func plan(_ document: Document, of pack: Pack) -> [Operation] {
    let deliver = delivery(of: document, pack)
    let verify = VerifyOperation(document)
    let store = BlockOperation { [self] in self.store(document, of: pack, deliver, verify.verdict) }
    store.name = "store \(document.name)"
    verify.addDependency(deliver)
    store.addDependency(verify)
    for step in [deliver, verify, store] { step.queuePriority = pack.priority }
    work.enter()
    deliver.completionBlock = { [ledger, work] in
      ledger.note(.deliveriesEnded)
      work.leave()
    }
    network.addOperation(deliver)
    checking.addOperation(verify)
    storing.addOperation(store)
    return [deliver, verify, store]
  }

  private func delivery(of document: Document, _ pack: Pack) -> Delivery {
    let destination = workspace.incoming(document)
    switch pack.place {
    case .local: return CopyOperation(workspace.origin.appendingPathComponent(document.name), to: destination)
    case .server:
      return FetchOperation(server.url(of: document.name), to: destination, session: session, patience: pack.patience) {
        Message.post(.packIsSilent, pack: pack)
      }
    }
  }

  private func store(_ document: Document, of pack: Pack, _ delivery: Delivery, _ verdict: VerifyOperation.Verdict) {
    if case .unsound(let problem) = verdict { return problems.add(problem) }
    do {
      try library.add(document, of: pack, indexing: work)
      ledger.settle(delivery)
      journal.write("store \(document.name)")
      Message.post(.documentStored, pack: pack, document: document)
    } catch {
      problems.add("\(document.name): \(error.localizedDescription)")
    }
  }

  /// Lets the packs out in order of urgency; the barrier comes behind all of them.
  private func publish() {
    publishing.addBarrierBlock { [work] in work.leave() }
    publishing.isSuspended = false
  }
}
