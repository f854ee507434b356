// SamplerState.swift: what the pool's sampler does, and whether it hears a thread that asks for a glance, in one word.
// Pure: no atomics, no threads.
//
//   asleep   it sleeps until it is called
//   period   it sleeps until its next sample, or until a glance is asked for
//   soon     a glance is asked for, or under way
//   deaf     it sleeps until its next sample: no worker wakes it, since it has glanced often enough; or there is no sampler

@usableFromInline package struct SamplerState: WordState {
  @usableFromInline package var rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  @inlinable package static var asleep: Self { Self(rawValue: 0) }
  @inlinable package static var period: Self { Self(rawValue: 1) }
  @inlinable package static var soon: Self { Self(rawValue: 2) }
  @inlinable package static var deaf: Self { Self(rawValue: 3) }

  /// Whether a thread that asks for a glance now changes the word.
  @inlinable @inline(__always) package var hears: Bool { rawValue < 2 }

  // MARK: steps of any thread; `wakes`: that thread wakes the sampler after the swap

  /// A sample is to be taken within a period.
  @inlinable package func afterCall() -> (next: Self, wakes: Bool) { self == .asleep ? (.period, true) : (self, false) }

  /// Something is left to a worker that runs: a glance is to be taken soon.
  @inlinable package func afterAsk() -> (next: Self, wakes: Bool) { hears ? (.soon, true) : (self, false) }

  // MARK: steps of the sampler

  /// The glance has ended. `mayGlance`: another may follow before the next sample.
  @inlinable package func afterGlance(mayGlance: Bool) -> Self { self == .soon ? (mayGlance ? .period : .deaf) : self }

  /// A sample was taken. `mayGlance`: a glance may follow.
  @inlinable package func afterSample(mayGlance: Bool) -> Self { self == .deaf && mayGlance ? .period : self }

  /// There was nothing to do in several samples. A glance that was asked for meanwhile comes first.
  @inlinable package func afterQuiet() -> (next: Self, sleeps: Bool) { self == .soon ? (self, false) : (.asleep, true) }

  @usableFromInline package var brokenInvariant: String? { rawValue > 3 ? "a state that there is none of" : nil }
}
