// Steps.swift: the program's own counter of instructions, for `signalbox bench --count`; a C target that steps the calling thread.
import BenchSupport
import InstructionCounter

/// Counts what the calling thread executes; nil where nothing can be counted.
func processStepper() -> Stepper? {
  let stepper = Stepper { limit, body in
    var counts = instruction_counts()
    let problem = withoutActuallyEscaping(body) { body in
      var body = body
      return withUnsafeMutablePointer(to: &body) { address in
        instructionCounterRun({ $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, address, limit, &counts)
      }
    }
    return problem == 0 ? Stepper.Count(instructions: counts.instructions, locked: counts.locked) : nil
  }
  return stepper.count(1_000_000, {}) == nil ? nil : stepper
}
