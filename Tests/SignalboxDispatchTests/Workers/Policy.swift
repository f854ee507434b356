// Policy.swift: the parent of the suites about the pool's blocking policy: one test at a time, since they measure delays. Each
// runs in a process of its own, whose pool is untouched.
import Testing

@Suite("How the pool reacts to blocked workers", .serialized) enum Policy {}
