// access.c: the parts of what is shared, for Swift.
#include "layout.h"

size_t sbx_shared_size(void) { return sizeof(struct sbx_shared); }
struct sbx_control *sbx_control_of(struct sbx_shared *shared) { return &shared->control; }
struct sbx_outcome *sbx_outcome_of(struct sbx_shared *shared) { return &shared->outcome; }
struct sbx_run *sbx_run_of(struct sbx_shared *shared) { return &shared->run; }
struct sbx_tree *sbx_tree_of(struct sbx_shared *shared) { return &shared->tree; }
struct sbx_thread *sbx_thread_at(struct sbx_shared *shared, uint32_t number) {
  return &shared->threads[number < SBX_MAX_THREADS ? number : 0];
}
struct sbx_object *sbx_object_numbered(struct sbx_shared *shared, uint32_t number) {
  return &shared->objects[number < SBX_MAX_OBJECTS ? number : 0];
}
struct sbx_decision *sbx_decisions_of(struct sbx_shared *shared) { return shared->decisions; }
struct sbx_decision *sbx_plan_of(struct sbx_shared *shared) { return shared->plan; }

struct sbx_step *sbx_step_at(struct sbx_shared *shared, uint32_t number) {
  uint32_t steps = shared->outcome.steps;
  if (number == 0 || number > steps || steps - number >= SBX_MAX_STEPS) return 0;
  return &shared->steps[number % SBX_MAX_STEPS];
}
struct sbx_stack *sbx_stack_at(struct sbx_shared *shared, uint32_t number) {
  struct sbx_stack *stack = &shared->stacks[number % SBX_MAX_STACKS];
  return number && stack->step == number ? stack : 0;
}

// The address of a thread's record is another in the command than in the program: its distance from the first is the same.
uint32_t sbx_thread_named_by(struct sbx_shared *shared, uint64_t address) {
  for (uint32_t i = 1; i <= shared->thread_count; i++) if (shared->threads[i].record == address) return i;
  return 0;
}
uint32_t sbx_object_named_by(struct sbx_shared *shared, uint64_t address) {
  for (uint32_t i = shared->object_count; i > 0; i--) if (shared->objects[i].address == address) return i;
  return 0;
}

SANITIZED_AGAIN
