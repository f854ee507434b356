// FunctionCall.swift: a C function with its context, as one thing that can be carried to another thread; and absent arguments.
import SignalboxDispatch

/// A C function and the context to call it with.
struct FunctionCall: @unchecked Sendable {
  // SAFETY: a pair of words that this module never looks behind. Whoever hands a context to a queue answers for what it
  // points to: that it lives until the call and is not shared without a lock, exactly as in C.
  let function: dispatch_function_t
  let context: UnsafeMutableRawPointer?

  init(_ function: @escaping dispatch_function_t, _ context: UnsafeMutableRawPointer?) {
    self.function = function
    self.context = context
  }

  func callAsFunction() { function(context) }
}

/// The object behind an argument that C lets be NULL in the type but not in fact; stops the program if it is.
@inline(__always)
func present<T>(_ argument: T?, _ function: StaticString = #function) -> T {
  if let argument { return argument }
  absent(function)
}

@inline(never)
private func absent(_ function: StaticString) -> Never {
  Engine.stop("\(function) was given nil where an object is needed; look at what should have made that object")
}
