// Allocations.swift: the program's own counter of malloc calls, for the bench; a C target that stands in front of the allocator.
import BenchSupport

#if canImport(AllocationCounter)
import AllocationCounter

/// Counts the calls of the malloc family of this whole process; nil where a sanitizer owns the allocator.
func processAllocationCounter() -> BenchSupport.AllocationCounter? {
  guard allocationCounterWorks() != 0 else { return nil }
  return .init(start: { allocationCounterStart() }, stop: { allocationCounterStop() })
}
#else
/// Nil: this build has no counter in front of the allocator.
func processAllocationCounter() -> AllocationCounter? { nil }
#endif
