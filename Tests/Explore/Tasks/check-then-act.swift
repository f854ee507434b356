// check-then-act.swift: a buyer asks an actor whether a seat is free, and has it taken by a second call.
// Between the two calls another buyer can have asked too, and the seat is sold twice. (`think` is not the actor's: without it the
// compiler leaves out the way back from the actor, and the two calls are one stay.)
// Fix: one call asks and takes, and an actor does nothing else between two lines that do not wait.
import Glibc

actor Office {
  private var free = 1

  var hasFreeSeat: Bool { free > 0 }
  func take() {
    free -= 1
    if free < 0 { fail("a seat was sold twice") }
  }
  func takeIfFree() { if free > 0 { take() } }
}

func prepare(_ rounds: Int = 1) {
  var sum = 1
  for step in 0..<(rounds * 10_000) { sum = sum &* 31 &+ step }
  precondition(rounds == 0 || sum != 1)
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

func think() {}

func buy(from office: Office) async {
  #if MENDED
  await office.takeIfFree()
  #else
  if await office.hasFreeSeat {
    think()
    await office.take()
  }
  #endif
}

@main struct Program {
  static func main() async {
    let office = Office()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<2 {
        group.addTask {
          prepare(number * 3)
          await buy(from: office)
        }
      }
    }
  }
}
