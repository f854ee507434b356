// InstructionCounter.h: counts the instructions that the calling thread executes in user mode, one by one.
#ifndef INSTRUCTION_COUNTER_H
#define INSTRUCTION_COUNTER_H

struct instruction_counts {
  /// Instructions executed by the calling thread; each round of a repeated string instruction counts.
  long instructions;
  /// Of these, the ones that lock the bus or a cache line.
  long locked;
};

/// Calls `body(context)` while another process steps the calling thread, and counts; some 2 us an instruction. Other threads run at
/// full speed and are not counted. Returns 0; or an error number: ENOSYS on a processor whose instructions it does not know, EPERM
/// where the kernel refuses that, ETIMEDOUT if the body takes more than `limit` instructions (it is then finished without counting).
int instructionCounterRun(void (*body)(void *), void *context, long limit, struct instruction_counts *counts);

#endif
