// main.swift: a program that knows nothing of Signalbox and uses Swift's concurrency only: its tasks reach libdispatch through
// the concurrency library. What it prints is the same at every run; times are compared, never printed.

await tasks()
await classes()
await cancellation()
await groups()
await children()
await actors()
try await time()
await rest()
print("end")
