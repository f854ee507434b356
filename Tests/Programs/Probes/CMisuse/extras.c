// extras.c: functions that no header declares: their misuse, and what they do better here than in the toolchain's library.
#define _GNU_SOURCE
#include "probe.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

extern dispatch_queue_t dispatch_workloop_create(const char *label);
extern dispatch_queue_t dispatch_workloop_create_inactive(const char *label);
extern void dispatch_workloop_set_qos_class(dispatch_queue_t loop, unsigned qos_class, uint64_t flags);
extern void dispatch_workloop_set_qos_class_floor(dispatch_queue_t loop, unsigned qos_class, int rank, uint64_t flags);
extern void dispatch_workloop_set_cpupercent(dispatch_queue_t loop, uint8_t percent, uint32_t refill);
extern bool dispatch_workloop_is_current(dispatch_queue_t loop);
extern dispatch_queue_t dispatch_workloop_copy_current(void);
extern bool _dispatch_workloop_should_yield_4NW(void);
extern void dispatch_set_qos_class_floor(dispatch_object_t object, unsigned qos_class, int rank);
extern void dispatch_set_qos_class(dispatch_object_t object, unsigned qos_class, int rank);
extern void dispatch_queue_set_width(dispatch_queue_t queue, long width);
extern void dispatch_queue_set_label_nocopy(dispatch_queue_t queue, const char *label);
extern dispatch_queue_t dispatch_queue_create_with_accounting_override_voucher(
    const char *label, dispatch_queue_attr_t attribute, void *voucher);
extern dispatch_queue_t _dispatch_runloop_root_queue_create_4CF(const char *label, unsigned long flags);
extern bool _dispatch_runloop_root_queue_perform_4CF(dispatch_queue_t queue);
extern void *_os_object_alloc(const void *table, size_t size);
extern void _os_object_retain(void *object), _os_object_release(void *object), _os_object_dealloc(void *object);
extern void _dispatch_prohibit_transition_to_multithreaded(bool prohibit);
extern bool _dispatch_is_fork_of_multithreaded_parent(void);
extern void dispatch_atfork_child(void);
extern void _dispatch_bug(size_t line, long value);
extern uint64_t dispatch_benchmark(size_t count, dispatch_block_t block);

// MARK: workloops

static char order[64];
static void note(void *text) { strcat(order, text); }
static void note_block(dispatch_queue_t queue, unsigned qos_class, const char *text) {
  dispatch_async(queue, dispatch_block_create_with_qos_class(0, qos_class, 0, ^{ strcat(order, text); }));
}

static void workloop_order(void) {
  dispatch_queue_t loop = dispatch_workloop_create_inactive("ordered");
  dispatch_async_f(loop, "d1", note);
  note_block(loop, 0x09, "b1");
  note_block(loop, 0x11, "u1");
  note_block(loop, 0x21, "x1");
  dispatch_queue_attr_t interactive = dispatch_queue_attr_make_with_qos_class(NULL, 0x21, 0);
  dispatch_queue_t urgent = dispatch_queue_create_with_target("urgent", interactive, loop);
  dispatch_async_f(urgent, "x2", note);
  note_block(loop, 0x19, "i1");
  dispatch_async_f(loop, "d2", note);
  dispatch_activate(loop);
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  note_block(loop, 0x09, "b2");
  dispatch_async(loop, dispatch_block_create_with_qos_class(0, 0x09, 0, ^{ dispatch_semaphore_signal(done); }));
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  puts(order);
}

static void order_above_a_floor(dispatch_queue_t loop) {
  note_block(loop, 0x11, "u");
  dispatch_async_f(loop, "n", note);
  note_block(loop, 0x09, "b");
  note_block(loop, 0x19, "i");
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_async(loop, ^{ dispatch_semaphore_signal(done); });
  dispatch_activate(loop);
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  puts(order);
}

static void workloop_floor(void) {
  dispatch_queue_t loop = dispatch_workloop_create_inactive("floor");
  dispatch_workloop_set_qos_class(loop, 0x09, 0);
  dispatch_workloop_set_qos_class_floor(loop, 0x15, 0, 0);
  order_above_a_floor(loop);
}

static void workloop_floor_of_an_object(void) {
  dispatch_queue_t loop = dispatch_workloop_create_inactive("floor");
  dispatch_workloop_set_qos_class(loop, 0x09, 0);
  dispatch_set_qos_class_floor(loop, 0x15, 0);
  order_above_a_floor(loop);
}

static void workloop_current(void) {
  dispatch_queue_t loop = dispatch_workloop_create("current");
  HOLDS(!dispatch_workloop_copy_current() && !_dispatch_workloop_should_yield_4NW());
  dispatch_queue_t inner = dispatch_queue_create_with_target("inner", NULL, loop);
  dispatch_async_and_wait(inner, ^{
    HOLDS(dispatch_workloop_is_current(loop));
    dispatch_queue_t copy = dispatch_workloop_copy_current();
    HOLDS(copy == loop);
    dispatch_release(copy);
  });
  dispatch_async_and_wait(loop, ^{
    HOLDS(!_dispatch_workloop_should_yield_4NW());
    note_block(loop, 0x09, "less");
    HOLDS(!_dispatch_workloop_should_yield_4NW());
    note_block(loop, 0x21, "more");
    HOLDS(_dispatch_workloop_should_yield_4NW());
  });
}

static void sync_onto_a_workloop(void) { dispatch_sync_f(dispatch_workloop_create("loop"), NULL, nothing); }
static void workloop_set_up_late(void) { dispatch_workloop_set_qos_class_floor(dispatch_workloop_create("busy"), 0x19, 0, 0); }
static void workloop_percent(void) { dispatch_workloop_set_cpupercent(dispatch_workloop_create_inactive("all"), 101, 1); }
static void no_workloop(void) { dispatch_workloop_set_qos_class(dispatch_queue_create("plain", NULL), 0x19, 0); }

// MARK: queues

static void class_after_activation(void) { dispatch_set_qos_class(dispatch_queue_create("active", NULL), 0x19, 0); }
static void class_of_a_group(void) { dispatch_set_qos_class(dispatch_group_create(), 0x19, 0); }
static void width_of_a_serial_queue(void) { dispatch_queue_set_width(dispatch_queue_create("narrow", NULL), 4); }
static void width_of_the_main_queue(void) { dispatch_queue_set_width(dispatch_get_main_queue(), 4); }
static void width_of_a_global_queue(void) { dispatch_queue_set_width(dispatch_get_global_queue(0, 0), 4); }
static void second_label(void) { dispatch_queue_set_label_nocopy(dispatch_queue_create("first", NULL), "second"); }

static void queue_with_a_voucher(void) {
  dispatch_queue_t queue = dispatch_queue_create_with_accounting_override_voucher("with a voucher", NULL, NULL);
  dispatch_sync(queue, ^{ puts(dispatch_queue_get_label(NULL)); });
}

static void sync_onto_the_own_run_loop(void) {
  dispatch_sync_f(_dispatch_runloop_root_queue_create_4CF("mine", 0), NULL, nothing);
}
static void perform_of_another_queue(void) { _dispatch_runloop_root_queue_perform_4CF(dispatch_queue_create("plain", NULL)); }

// MARK: objects and the process

static void object_after_its_end(void) {
  static void (*table[2])(void *) = {nothing, nothing};
  void *object = _os_object_alloc(table, 16);
  _os_object_release(object);
  _os_object_retain(object);
}
static void deallocated_queue(void) { _os_object_dealloc(dispatch_queue_create("no such object", NULL)); }

static void thread_although_forbidden(void) {
  _dispatch_prohibit_transition_to_multithreaded(true);
  dispatch_async_f(dispatch_get_global_queue(0, 0), NULL, nothing);
}
static void forbidden_too_late(void) {
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  dispatch_async(dispatch_get_global_queue(0, 0), ^{ dispatch_semaphore_signal(semaphore); });
  dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
  _dispatch_prohibit_transition_to_multithreaded(true);
}

static void child_of_a_fork(void) {
  dispatch_atfork_child();
  HOLDS(!_dispatch_is_fork_of_multithreaded_parent());
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  dispatch_async(dispatch_get_global_queue(0, 0), ^{ dispatch_semaphore_signal(semaphore); });
  dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
  pid_t child = fork();
  if (child == 0) {
    dispatch_atfork_child();
    _exit(_dispatch_is_fork_of_multithreaded_parent() ? 7 : 8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  HOLDS(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  HOLDS(!_dispatch_is_fork_of_multithreaded_parent());
}

static void bug(void) { _dispatch_bug(12, 34); }

static void benchmark(void) {
  uint64_t average = dispatch_benchmark(10, ^{ usleep(2000); });
  HOLDS(average >= 2000000 && average < 2000000000);
}

const struct deed extra_deeds[] = {
    {"workloop-order", workloop_order},
    {"workloop-floor", workloop_floor},
    {"workloop-floor-of-an-object", workloop_floor_of_an_object},
    {"workloop-current", workloop_current},
    {"sync-onto-a-workloop", sync_onto_a_workloop},
    {"workloop-set-up-late", workloop_set_up_late},
    {"workloop-percent", workloop_percent},
    {"no-workloop", no_workloop},
    {"class-after-activation", class_after_activation},
    {"class-of-a-group", class_of_a_group},
    {"width-of-a-serial-queue", width_of_a_serial_queue},
    {"width-of-the-main-queue", width_of_the_main_queue},
    {"width-of-a-global-queue", width_of_a_global_queue},
    {"second-label", second_label},
    {"queue-with-a-voucher", queue_with_a_voucher},
    {"sync-onto-the-own-run-loop", sync_onto_the_own_run_loop},
    {"perform-of-another-queue", perform_of_another_queue},
    {"object-after-its-end", object_after_its_end},
    {"deallocated-queue", deallocated_queue},
    {"thread-although-forbidden", thread_although_forbidden},
    {"forbidden-too-late", forbidden_too_late},
    {"child-of-a-fork", child_of_a_fork},
    {"bug", bug},
    {"benchmark", benchmark},
    {NULL, NULL},
};
