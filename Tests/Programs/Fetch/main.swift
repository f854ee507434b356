// main.swift: a program that talks to a server of its own by URLSession: with completion handlers, tasks, a delegate, uploads and
// cancellation. What it prints is the same at every run. It knows nothing of Signalbox.
import Dispatch
import Foundation
import FoundationNetworking
import ProgramSupport

begin(patience: 180)

let server = Server()

func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(server.port)/\(path)")! }

/// A number that handlers share.
final class Counter: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by `lock`.
  private let lock = NSLock()
  private var number = 0
  func add(_ value: Int) { lock.withLock { number += value } }
  var value: Int { lock.withLock { number } }
}

func handlers(_ session: URLSession, _ count: Int) -> String {
  let (group, right) = (DispatchGroup(), Counter())
  for number in 0..<count {
    group.enter()
    session.dataTask(with: url("\(number * 100)")) { data, response, _ in
      let isRight = data?.count == number * 100 && (response as? HTTPURLResponse)?.statusCode == 200
      right.add(isRight ? 1 : 0)
      group.leave()
    }
    .resume()
  }
  return group.wait(timeout: .now() + 120) == .success ? "\(right.value)" : "never"
}

func posted(_ session: URLSession) -> String {
  var request = URLRequest(url: url("echo"))
  request.httpMethod = "POST"
  let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
  let (done, right) = (DispatchSemaphore(value: 0), Counter())
  session.uploadTask(with: request, from: body) { data, _, _ in
    right.add(data == body ? 1 : 0)
    done.signal()
  }
  .resume()
  return done.wait(timeout: .now() + 120) == .success ? "\(right.value)" : "never"
}

func cancelled(_ session: URLSession) -> String {
  let (done, right) = (DispatchSemaphore(value: 0), Counter())
  let task = session.dataTask(with: url("slow")) { _, _, error in
    right.add((error as? URLError)?.code == .cancelled ? 1 : 0)
    done.signal()
  }
  task.resume()
  task.cancel()
  return done.wait(timeout: .now() + 120) == .success ? "\(right.value)" : "never"
}

/// Counts bytes and ends on its own queue.
final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // SAFETY of @unchecked: the counters guard themselves.
  let (bytes, ends) = (Counter(), Counter())
  let done = DispatchGroup()
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { bytes.add(data.count) }
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    ends.add(error == nil ? 1 : 0)
    done.leave()
  }
}

func delegated() -> String {
  let delegate = Delegate()
  let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
  for _ in 0..<10 {
    delegate.done.enter()
    session.dataTask(with: url("200000")).resume()
  }
  let outcome = delegate.done.wait(timeout: .now() + 60)
  session.finishTasksAndInvalidate()
  return outcome == .success ? "\(delegate.ends.value) with \(delegate.bytes.value) bytes" : "never"
}

func refused(_ session: URLSession) async -> String {
  do {
    _ = try await session.data(from: URL(string: "http://127.0.0.1:1/")!)
    return "answered"
  } catch {
    return (error as? URLError)?.code == .cannotConnectToHost ? "cannot connect" : "\(error)"
  }
}

func tasks(_ session: URLSession, _ count: Int) async -> Int {
  await withTaskGroup(of: Int.self) { group in
    for number in 0..<count {
      group.addTask { ((try? await session.data(from: url("\(number)")))?.0.count).map { $0 == number ? 1 : 0 } ?? 0 }
    }
    return await group.reduce(0, +)
  }
}

func all(_ session: URLSession) async {
  print("completion handlers:", handlers(session, 60))
  print("posted:", posted(session))
  print("cancelled:", cancelled(session))
  print("delegate:", delegated())
  print("tasks:", await tasks(session, 40))
  print("missing:", ((try? await session.data(from: url("missing")))?.1 as? HTTPURLResponse)?.statusCode ?? 0)
  print("nobody there:", await refused(session))
}

let session = URLSession(configuration: .ephemeral)
await all(session)
await all(session)
print("completion handlers in the end:", handlers(session, 200))
session.invalidateAndCancel()
