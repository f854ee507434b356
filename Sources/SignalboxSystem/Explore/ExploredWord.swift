// ExploredWord.swift: the machine's atomic word under the trait `Explore`: each operation is a point, at which an explorer may let
// others go first, and whose value it may choose. The memory, and the instruction that is run, are as without the trait.
#if Explore
import CSignalbox
public import Synchronization

/// What `Atomic` is without the trait, with the same names.
@frozen @usableFromInline
struct ExploredWord<Value: FixedWidthInteger & Sendable & AtomicRepresentable>: ~Copyable, Sendable {
  @usableFromInline let raw: Atomic<Value>
  @inlinable init(_ value: Value) { raw = Atomic(value) }

  @usableFromInline func load(ordering order: ExploreOrder) -> Value {
    at { word in
      let control = word.passes(.load, order)
      let value = sb_word_load(word.address, word.width, order.rawValue)
      return Value(truncatingIfNeeded: control?.loaded(word.address, UInt32(word.width), order.number, value) ?? value)
    }
  }

  /// The newest value; no point. relaxed: who reads it is alone with the word.
  @usableFromInline func loadUnseen() -> Value {
    at { word in Value(truncatingIfNeeded: sb_word_load(word.address, word.width, ExploreOrder.relaxed.rawValue)) }
  }

  @usableFromInline func store(_ value: Value, ordering order: ExploreOrder) {
    at { word in
      let control = word.passes(.store, order)
      // Nobody else runs meanwhile, where there is a control.
      let old = control == nil ? 0 : sb_word_load(word.address, word.width, ExploreOrder.relaxed.rawValue)
      sb_word_store(word.address, word.width, order.rawValue, UInt64(value))
      control?.changed(word.address, UInt32(word.width), order.number, old, UInt64(value), 1)
    }
  }

  @usableFromInline
  func compareExchange(expected: Value, desired: Value, ordering order: ExploreOrder) -> (exchanged: Bool, original: Value) {
    at { word in
      let control = word.passes(.update, order)
      let old = sb_word_swap(word.address, word.width, order.rawValue, UInt64(expected), UInt64(desired))
      let exchanged = old == UInt64(expected)
      control?.changed(
        word.address, UInt32(word.width), order.number, old, exchanged ? UInt64(desired) : old, exchanged ? 1 : 0)
      return (exchanged, Value(truncatingIfNeeded: old))
    }
  }

  @usableFromInline func exchange(_ value: Value, ordering order: ExploreOrder) -> Value {
    change(SB_WORD_EXCHANGE, value, order) { _ in value }
  }
  @usableFromInline
  func wrappingAdd(_ value: Value, ordering order: ExploreOrder) -> (oldValue: Value, newValue: Value) {
    let old = change(SB_WORD_ADD, value, order) { $0 &+ value }
    return (old, old &+ value)
  }
  @usableFromInline
  func wrappingSubtract(_ value: Value, ordering order: ExploreOrder) -> (oldValue: Value, newValue: Value) {
    wrappingAdd(0 &- value, ordering: order)
  }
  @usableFromInline
  func bitwiseOr(_ value: Value, ordering order: ExploreOrder) -> (oldValue: Value, newValue: Value) {
    let old = change(SB_WORD_OR, value, order) { $0 | value }
    return (old, old | value)
  }

  private func change(_ update: sb_word_update, _ value: Value, _ order: ExploreOrder, _ after: (Value) -> Value) -> Value {
    at { word in
      let control = word.passes(.update, order)
      let old = sb_word_change(word.address, word.width, order.rawValue, update, UInt64(value))
      let before = Value(truncatingIfNeeded: old)
      control?.changed(word.address, UInt32(word.width), order.number, old, UInt64(after(before)), 1)
      return before
    }
  }

  private func at<R>(_ body: (ExploredPlace) -> R) -> R {
    // SAFETY: an atomic does not move once another thread may reach it, and may be written through a pointer to it.
    withUnsafePointer(to: raw) {
      body(ExploredPlace(address: UnsafeMutableRawPointer(mutating: $0), width: Int32(MemoryLayout<Value>.size)))
    }
  }
}

/// Where a word is.
private struct ExploredPlace {
  let address: UnsafeMutableRawPointer
  let width: Int32

  /// Passes the point before an operation; nil: what the operation does is to be noted by nobody.
  func passes(_ point: ExplorePoint, _ order: ExploreOrder) -> ExploreControl? {
    explorePoint(point)
    ExploreWrites.pass(point, address)
    guard let control = ExploreControl.ofCaller,
      control.before(UInt32(point.rawValue), address, UInt32(width), order.number) != 0
    else { return nil }
    return control
  }
}

extension ExploreOrder {
  fileprivate var number: UInt32 { UInt32(rawValue) }
}
#endif
