// PoolEnvironment.swift: what the environment says about the pool.
import SignalboxSystem

enum PoolEnvironment {
  /// The largest number of workers that the environment allows; nil where it names none. Says once what cannot be understood.
  static let bound: UInt64? = {
    guard let text = Environment.value("SIGNALBOX_MAX_THREADS") else { return nil }
    if let number = UInt64(text), (1...32_000).contains(number) { return number }
    Misuse.report("SIGNALBOX_MAX_THREADS=\(text) is not a number from 1 to 32000: \(Tuning.workerBound) is used")
    return nil
  }()

  /// How many processors the environment says that the pool may keep busy; nil where it says nothing. Says once what cannot be understood.
  static let processors: Int? = {
    guard let text = Environment.value("SIGNALBOX_PROCESSORS") else { return nil }
    if let number = Int(text), (1...1_024).contains(number) { return number }
    Misuse.report("SIGNALBOX_PROCESSORS=\(text) is not a number from 1 to 1024: affinity and control groups decide")
    return nil
  }()

  /// Whether waits that could not be helped are reported one by one, and not only counted (Inversions).
  static let reportsInversions: Bool = {
    switch Environment.value("SIGNALBOX_INVERSIONS") {
    case nil, "count": return false
    case "report": return true
    case let text?:
      Misuse.report("SIGNALBOX_INVERSIONS=\(text) is not \"count\" or \"report\": they are counted")
      return false
    }
  }()
}
