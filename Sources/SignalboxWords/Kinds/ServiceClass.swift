// ServiceClass.swift: the five classes of service in their order. What is served as which class is the pool's to say,
// and which class an item has the queue's.

/// A class of service, from the most urgent on. Work that has none is served as `standard`.
@frozen @usableFromInline
package enum ServiceClass: Int, Sendable {
  case interactive, initiated, standard, utility, background

  /// How many classes there are.
  @inlinable package static var count: Int { background.rawValue + 1 }
}
