// objects.c: groups, semaphores, once, blocks and sources in the wrong order.
#define _GNU_SOURCE
#include "probe.h"

#include <dlfcn.h>

static void unbalanced_leave(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_enter(group);
  dispatch_group_leave(group);
  dispatch_group_leave(group);
}

// A thousand million calls take too long: finds the word that counts members by what one of them does to it (GroupState.swift),
// and sets it two below the most it can hold.
static void enter_overflow(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_enter(group);
  volatile uint64_t *words = (volatile uint64_t *)group;
  for (int index = 2; index < 8; index++) {
    if (words[index] != 4) continue;
    words[index] = (((uint64_t)1 << 30) - 2) << 2;
    dispatch_group_enter(group);
    puts("the last one fits");
    dispatch_group_enter(group);
  }
}

// A job whose class names a function that is none of the Swift runtime's.
static void job_of_an_unknown_runtime(void) {
  void (*submit)(dispatch_queue_t, void *, unsigned) =
      (void (*)(dispatch_queue_t, void *, unsigned))dlsym(RTLD_DEFAULT, "dispatch_async_swift_job");
  static void *class[4] = {0, 0, 0, (void *)job_of_an_unknown_runtime};
  static void *job[8] = {class};
  if (submit) submit(dispatch_get_global_queue(0, 0), job, 0);
}

static void semaphore_freed_below_its_start(void) {
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(2);
  dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
  dispatch_release(semaphore);
}

static void negative_semaphore(void) {
  HOLDS(dispatch_semaphore_create(-1) == NULL);
  HOLDS(dispatch_semaphore_create(INTPTR_MIN) == NULL);
}

static dispatch_once_t token;
static void once_again(void *context) {
  (void)context;
  dispatch_once_f(&token, NULL, once_again);
}

static void once_inside_itself(void) { dispatch_once_f(&token, NULL, once_again); }

static void wait_for_a_plain_block(void) {
  dispatch_block_wait(^{ puts("plain"); }, DISPATCH_TIME_FOREVER);
}

static dispatch_source_t timer(void) { return dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, NULL); }

static void over_resumed_source(void) {
  dispatch_source_t source = timer();
  dispatch_resume(source);  // activates
  dispatch_resume(source);
}

static void source_freed_suspended(void) {
  dispatch_source_t source = timer();
  dispatch_activate(source);
  dispatch_suspend(source);
  dispatch_release(source);
}

static void source_retargeted_when_active(void) {
  dispatch_source_t source = timer();
  dispatch_set_target_queue(source, dispatch_get_global_queue(0, 0));
  dispatch_activate(source);
  dispatch_set_target_queue(source, dispatch_queue_create("late", NULL));
}

const struct deed object_deeds[] = {
    {"unbalanced-leave", unbalanced_leave},
    {"enter-overflow", enter_overflow},
    {"semaphore-freed-below-its-start", semaphore_freed_below_its_start},
    {"negative-semaphore", negative_semaphore},
    {"once-inside-itself", once_inside_itself},
    {"wait-for-a-plain-block", wait_for_a_plain_block},
    {"over-resumed-source", over_resumed_source},
    {"source-freed-suspended", source_freed_suspended},
    {"source-retargeted-when-active", source_retargeted_when_active},
    {"job-of-an-unknown-runtime", job_of_an_unknown_runtime},
    {0}};
