// Present.swift: arguments that C lets be NULL in the type but not in fact.
import SignalboxDispatch

/// The object behind an argument that C lets be NULL in the type but not in fact; stops the program if it is.
@inline(__always)
func present<T>(_ argument: T?, _ function: StaticString = #function) -> T {
  if let argument { return argument }
  absent(function)
}

@inline(never)
private func absent(_ function: StaticString) -> Never {
  Engine.stop("\(function) was given nil where an object is needed; check the call that should have made that object")
}
