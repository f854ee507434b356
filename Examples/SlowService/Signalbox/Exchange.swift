// Exchange.swift: asks another bank for rates. Its answers come by the same queue as the questions.

final class Exchange: Sendable {
  private let requests = DispatchQueue(label: "requests", attributes: .concurrent)
  private let answers = DispatchSemaphore(value: 0)
  private let patience: DispatchTimeInterval

  init(_ stage: Stage) { patience = stage.isHeld ? .never : .milliseconds(200) }

  /// Many customers ask at once, as at nine o'clock.
  func rush(_ count: Int, _ group: DispatchGroup) {
    requests.suspend()
    for _ in 0..<count { requests.async(group: group) { self.ask() } }
    requests.resume()
  }

  /// The second fault: the answer is handled by an item that needs a thread, and all threads wait here for answers.
  private func ask() {
    requests.async { self.handleAnswer() }
    _ = answers.wait(timeout: .now() + patience)
  }

  private func handleAnswer() { answers.signal() }

  /// The other bank answers by another way.
  func answer(_ count: Int) { for _ in 0..<count { answers.signal() } }
}
