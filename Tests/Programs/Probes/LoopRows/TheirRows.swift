// TheirRows.swift: the rows of Foundation's own classes, as a program uses them that knows nothing else. Ours are OurRows.swift.
import Dispatch
import Foundation
import Glibc

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

enum TheirRows {
  typealias Done = @Sendable () -> Void

  /// Begins the row; false if it is none of these.
  static func begin(_ row: Row, _ done: @escaping Done) -> Bool {
    switch row {
    case .processWait: waitForProcess(done)
    case .processHandler: process(done)
    case .pipeHandler, .pipeNotice, .pipeEnd, .pipeReady: pipe(row, done)
    case .connection: connection(done)
    case .theirTimer: RunLoop.current.add(Timer(timeInterval: 0.02, repeats: false) { _ in done() }, forMode: .default)
    case .theirBlock: RunLoop.current.perform(done)
    case .theirIdleNotice, .theirSoonNotice: notice(row == .theirIdleNotice ? .whenIdle : .asap, done)
    case .sessionOnQueue: session(nil, done)
    case .sessionOnMain: session(.main, done)
    case .theirMainQueue: soon { DispatchQueue.main.async(execute: done) }
    case .theirMainOperation: soon { OperationQueue.main.addOperation(done) }
    case .mainActor: soon { Task { @MainActor in done() } }
    default: return false
    }
    return true
  }

  /// On another thread, when the loop sleeps, mostly.
  private static func soon(_ body: @escaping Done) {
    Thread.detachNewThread {
      usleep(20_000)
      body()
    }
  }

  private static func shell(_ command: String) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    return process
  }

  /// Waits within the loop: a run within a run.
  private static func waitForProcess(_ done: @escaping Done) {
    let timer = Timer(timeInterval: 0.01, repeats: false) { _ in
      let process = shell("sleep 0.05; exit 7")
      guard (try? process.run()) != nil else { return say("no process") }
      process.waitUntilExit()
      if process.terminationStatus == 7 { done() } else { say("status \(process.terminationStatus)") }
    }
    RunLoop.current.add(timer, forMode: .default)
  }

  private static func process(_ done: @escaping Done) {
    let process = shell("exit 7")
    process.terminationHandler = { if $0.terminationStatus == 7 { done() } }
    guard (try? process.run()) != nil else { return say("no process") }
    Kept.keep(process)
  }

  /// A pipe that is written to a little later, and then closed.
  private static func pipe(_ row: Row, _ done: @escaping Done) {
    let pipe = Pipe()
    let (handle, bytes) = (pipe.fileHandleForReading, Data("some bytes".utf8))
    Kept.keep(pipe)
    func observe(_ name: Notification.Name, _ isMeant: @escaping @Sendable (Notification) -> Bool) {
      Kept.keep(
        NotificationCenter.default.addObserver(forName: name, object: handle, queue: nil) { if isMeant($0) { done() } })
    }
    switch row {
    case .pipeHandler: handle.readabilityHandler = { if $0.availableData == bytes { done() } }
    case .pipeNotice:
      observe(FileHandle.readCompletionNotification) { $0.userInfo?[NSFileHandleNotificationDataItem] as? Data == bytes }
      handle.readInBackgroundAndNotify()
    case .pipeEnd:
      observe(.NSFileHandleReadToEndOfFileCompletion) { $0.userInfo?[NSFileHandleNotificationDataItem] as? Data == bytes }
      handle.readToEndOfFileInBackgroundAndNotify()
    default:
      observe(.NSFileHandleDataAvailable) { ($0.object as? FileHandle)?.availableData == bytes }
      handle.waitForDataInBackgroundAndNotify()
    }
    let writer = dup(pipe.fileHandleForWriting.fileDescriptor)
    pipe.fileHandleForWriting.closeFile()
    soon {
      _ = bytes.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
      close(writer)
    }
  }

  private static func connection(_ done: @escaping Done) {
    guard let listener = Listener() else { return say("no socket") }
    let handle = FileHandle(fileDescriptor: listener.descriptor, closeOnDealloc: false)
    Kept.keep(handle)
    Kept.keep(
      // The toolchain's notice does not carry the new handle.
      NotificationCenter.default.addObserver(forName: .NSFileHandleConnectionAccepted, object: handle, queue: nil) { _ in done()
      }
    )
    handle.acceptConnectionInBackgroundAndNotify()
    soon { listener.connect() }
  }

  private static func notice(_ style: NotificationQueue.PostingStyle, _ done: @escaping Done) {
    let name = Notification.Name("row")
    Kept.keep(NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in done() })
    NotificationQueue.default.enqueue(Notification(name: name), postingStyle: style)
  }

  private static func session(_ queue: OperationQueue?, _ done: @escaping Done) {
    guard let listener = Listener(), let url = URL(string: "http://127.0.0.1:\(listener.port)/") else {
      return say("no socket")
    }
    Thread.detachNewThread { listener.answer("as you asked") }
    let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
    Kept.keep(session)
    session.dataTask(with: url) { data, _, error in
      if data == Data("as you asked".utf8) { done() } else { say("no answer: \(String(describing: error))") }
    }.resume()
  }
}
