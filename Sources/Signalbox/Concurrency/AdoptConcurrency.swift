// AdoptConcurrency.swift: Swift's tasks on Signalbox's pool in a program that links Signalbox. The executors that are installed are
// AdoptedExecutors.swift.
@_spi(ExperimentalCustomExecutors) import _Concurrency

/// Makes Swift's tasks run on Signalbox's pool from now on, without `signalbox run`: tasks and actors without an executor of their own,
/// sleeps of tasks, and `MainActor`, whose jobs become items of `DispatchQueue.main`.
///
/// ```
/// @main struct Server {
///   static func main() async {
///     Signalbox.adoptConcurrency()
///     …
///   }
/// }
/// ```
/// Jobs that were enqueued before still run on the toolchain's threads; what their tasks do after their next wait runs on the pool.
/// The toolchain's Dispatch keeps threads of its own, and runs what is submitted to it: Foundation's networking, for instance.
/// Executors that the program itself has written, and tasks that prefer them, stay as they are.
///
/// Further calls have no effect.
///
/// Thread safety: call it before any other thread uses tasks, as the first thing in `main`: the runtime reads without a lock what is
/// set here. Afterwards, any thread. Complexity: O(1).
public func adoptConcurrency() { _ = adoption }

private let adoption: Void = _createExecutors(factory: AdoptedExecutors.self)
