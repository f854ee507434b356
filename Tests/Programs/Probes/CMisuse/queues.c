// queues.c: queues suspended, freed, waited for and retargeted in the wrong order, and what is allowed all the same.
#include "probe.h"

static dispatch_queue_t serial(const char *label) { return dispatch_queue_create(label, NULL); }
static dispatch_queue_t inactive(const char *label) {
  return dispatch_queue_create(label, dispatch_queue_attr_make_initially_inactive(NULL));
}

static void over_resume(void) {
  dispatch_queue_t queue = serial("over");
  dispatch_suspend(queue);
  dispatch_resume(queue);
  dispatch_resume(queue);
}

// The header lets only sources begin this way.
static void resume_of_an_inactive_queue(void) { dispatch_resume(inactive("asleep")); }

static void suspend_overflow(void) {
  dispatch_queue_t queue = serial("sleepy");
  for (int round = 0; round < 40000; round++) dispatch_suspend(queue);
}

static void freed_suspended(void) {
  dispatch_queue_t queue = serial("gone");
  dispatch_suspend(queue);
  dispatch_release(queue);
}

static void freed_inactive(void) { dispatch_release(inactive("asleep")); }

static void sync_again(void *queue) { dispatch_sync_f((dispatch_queue_t)queue, NULL, nothing); }

static void sync_onto_oneself(void) {
  dispatch_queue_t queue = serial("self");
  dispatch_sync_f(queue, queue, sync_again);
}

static void sync_onto_oneself_from_an_item(void) {
  dispatch_queue_t queue = serial("item");
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_async(group, queue, ^{ dispatch_sync(queue, ^{}); });
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
}

static void wait_onto_oneself(void) {
  dispatch_queue_t queue = serial("self");
  dispatch_async_and_wait(queue, ^{ dispatch_async_and_wait(queue, ^{}); });
}

static void sync_through_a_target_chain(void) {
  dispatch_queue_t base = serial("base");
  dispatch_queue_t middle = dispatch_queue_create_with_target("middle", NULL, base);
  dispatch_queue_t top = dispatch_queue_create_with_target("top", NULL, middle);
  dispatch_sync_f(base, top, sync_again);
}

static void barrier_inside_a_reader(void) {
  dispatch_queue_t queue = dispatch_queue_create("rw", DISPATCH_QUEUE_CONCURRENT);
  dispatch_sync(queue, ^{ dispatch_barrier_sync(queue, ^{}); });
}

static char key;

static void retarget_legacy(void) {
  dispatch_queue_t root = serial("root"), queue = serial("legacy");
  dispatch_queue_set_specific(root, &key, &key, NULL);
  dispatch_sync(queue, ^{ HOLDS(!dispatch_get_specific(&key)); });
  dispatch_set_target_queue(queue, root);
  dispatch_sync(queue, ^{ HOLDS(dispatch_get_specific(&key) == &key); });
  dispatch_set_target_queue(queue, NULL);
  dispatch_sync(queue, ^{ HOLDS(!dispatch_get_specific(&key)); });
  dispatch_release(queue);
  dispatch_release(root);
}

static void retarget_with_target(void) {
  dispatch_queue_t queue = dispatch_queue_create_with_target("fixed", NULL, serial("first"));
  dispatch_set_target_queue(queue, serial("second"));
}

static void retarget_once_inactive(void) {
  dispatch_queue_t queue = inactive("active");
  dispatch_set_target_queue(queue, serial("first"));
  dispatch_activate(queue);
  dispatch_set_target_queue(queue, serial("second"));
}

static void target_cycle(void) {
  dispatch_queue_t first = serial("first"), second = serial("second");
  dispatch_set_target_queue(first, second);
  dispatch_set_target_queue(second, first);
}

static void failed_assertion(void) { dispatch_assert_queue(serial("wanted")); }

static void failed_assertion_not(void) {
  dispatch_queue_t queue = serial("unwanted");
  dispatch_sync(queue, ^{ dispatch_assert_queue_not(queue); });
}

static void failed_assertion_barrier(void) {
  dispatch_queue_t queue = dispatch_queue_create("beside", DISPATCH_QUEUE_CONCURRENT);
  dispatch_sync(queue, ^{ dispatch_assert_queue_barrier(queue); });
}

const struct deed queue_deeds[] = {
    {"over-resume", over_resume},
    {"resume-of-an-inactive-queue", resume_of_an_inactive_queue},
    {"suspend-overflow", suspend_overflow},
    {"freed-suspended", freed_suspended},
    {"freed-inactive", freed_inactive},
    {"sync-onto-oneself", sync_onto_oneself},
    {"sync-onto-oneself-from-an-item", sync_onto_oneself_from_an_item},
    {"wait-onto-oneself", wait_onto_oneself},
    {"sync-through-a-target-chain", sync_through_a_target_chain},
    {"barrier-inside-a-reader", barrier_inside_a_reader},
    {"retarget-legacy", retarget_legacy},
    {"retarget-with-target", retarget_with_target},
    {"retarget-once-inactive", retarget_once_inactive},
    {"target-cycle", target_cycle},
    {"failed-assertion", failed_assertion},
    {"failed-assertion-not", failed_assertion_not},
    {"failed-assertion-barrier", failed_assertion_barrier},
    {0}};
