// Spinner.swift: spins with growing pauses, then lets other threads run: for waits on a thread between two instructions.
import SignalboxSystem

struct Spinner {
  private var rounds = 0
  mutating func wait() {
    rounds += 1
    if rounds > spinRounds(8) { return Parking.yield() }
    for _ in 0..<(1 << rounds) { spinPause() }
  }
}
