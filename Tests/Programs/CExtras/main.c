// main.c: a C program that uses the functions which the toolchain's library exports and no header declares. It prints only what
// is the same at every run, and leaves out what that library does in its own way (Differences/c-face.json).
#include "program.h"

#include <stdlib.h>
#include <unistd.h>

static void queues(void) {
  static const char late[] = "late";
  dispatch_queue_t queue = dispatch_queue_create(NULL, NULL);
  dispatch_queue_set_label_nocopy(queue, late);
  say_text("label given later", dispatch_queue_get_label(queue));
  say("and not copied", dispatch_queue_get_label(queue) == late);
  dispatch_sync(queue, ^{ say("the current one's too", dispatch_queue_get_label(NULL) == late); });
  dispatch_queue_set_label_nocopy(queue, NULL);
  say_text("taken away", dispatch_queue_get_label(queue));
  dispatch_release(queue);
  dispatch_queue_set_label_nocopy(dispatch_get_main_queue(), "other");
  say_text("main keeps its label", dispatch_queue_get_label(dispatch_get_main_queue()));

  int rank = 1;
  queue = dispatch_queue_create("classed", dispatch_queue_attr_make_initially_inactive(NULL));
  dispatch_set_qos_class_fallback(queue, 0x11);
  say("a fallback is no class", dispatch_queue_get_qos_class(queue, &rank));
  dispatch_set_qos_class_floor(queue, 0x19, -2);
  say("floor", dispatch_queue_get_qos_class(queue, &rank));
  say("its rank", rank);
  dispatch_set_qos_class(queue, 0x11, -1);
  say("class", dispatch_queue_get_qos_class(queue, &rank));
  say("its rank", rank);
  dispatch_set_qos_class(queue, 0x77, 0);
  say("an unknown one is none", dispatch_queue_get_qos_class(queue, &rank));
  dispatch_activate(queue);
  dispatch_sync(queue, ^{ say_text("it runs", dispatch_queue_get_label(NULL)); });
  dispatch_release(queue);
}

static void blocks(void) {
  dispatch_block_t block = dispatch_block_create_with_voucher(0, NULL, ^{ say_text("block", "with voucher"); });
  block();
  say("waited", dispatch_block_wait(block, DISPATCH_TIME_FOREVER));
  block = dispatch_block_create_with_voucher_and_qos_class(0, NULL, 0x19, -1, ^{ say_text("block", "with both"); });
  block();
  say("unknown flags", dispatch_block_create_with_voucher(0x1000, NULL, ^{}) == NULL);
  say("unknown class", dispatch_block_create_with_voucher_and_qos_class(0, NULL, 0x77, 0, ^{}) == NULL);
  block = _dispatch_block_create(0, NULL, 0, ^{ say_text("block", "never"); });
  dispatch_block_cancel(block);
  block();
  say("cancelled", dispatch_block_testcancel(block));
}

static void workloops(void) {
  dispatch_queue_t loop = dispatch_workloop_create("workloop");
  say_text("workloop", dispatch_queue_get_label(loop));
  dispatch_async_and_wait(loop, ^{ say("current inside", dispatch_workloop_is_current(loop)); });
  say("and not outside", dispatch_workloop_is_current(loop));
  __block long sum = 0;
  dispatch_group_t group = dispatch_group_create();
  for (long number = 0; number < 1000; number++) dispatch_group_async(group, loop, ^{ sum = sum * 7 % 10007 + number; });
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  say("a thousand in order", sum);
  dispatch_queue_t inner = dispatch_queue_create_with_target("inner", NULL, loop);
  dispatch_sync(inner, ^{ dispatch_assert_queue(loop); });
  dispatch_async_and_wait(inner, ^{ say_text("through a queue", dispatch_queue_get_label(NULL)); });
  dispatch_release(inner);
  dispatch_release(group);
  dispatch_release(loop);
  loop = dispatch_workloop_create_inactive(NULL);
  dispatch_workloop_set_autorelease_frequency(loop, DISPATCH_AUTORELEASE_FREQUENCY_WORK_ITEM);
  dispatch_workloop_set_qos_class(loop, 0x11, 0);
  dispatch_workloop_set_qos_class_floor(loop, 0x15, 0, 0);
  dispatch_workloop_set_cpupercent(loop, 50, 100);
  dispatch_activate(loop);
  dispatch_async_and_wait(loop, ^{ say_text("set up", dispatch_queue_get_label(NULL)); });
  dispatch_release(loop);
}

static void say_it(void *text) { say_text("performed", text); }

static void run_loop_queues(void) {
  say("unknown flags", _dispatch_runloop_root_queue_create_4CF("none", 1) == NULL);
  dispatch_queue_t queue = _dispatch_runloop_root_queue_create_4CF("loop", 0);
  say("nothing to perform", _dispatch_runloop_root_queue_perform_4CF(queue));
  dispatch_async_f(queue, "one", say_it);
  dispatch_async(queue, ^{ say_text("performed", dispatch_queue_get_label(NULL)); });
  dispatch_queue_t inner = dispatch_queue_create_with_target("inner", NULL, queue);
  dispatch_async_f(inner, "three, in a queue", say_it);
  dispatch_async_f(inner, "four, in the same", say_it);
  say("more", _dispatch_runloop_root_queue_perform_4CF(queue));
  say("more", _dispatch_runloop_root_queue_perform_4CF(queue));
  say("more", _dispatch_runloop_root_queue_perform_4CF(queue));
  _dispatch_runloop_root_queue_wakeup_4CF(queue);
  say("more after a wakeup", _dispatch_runloop_root_queue_perform_4CF(queue));
  dispatch_async(queue, ^{
    say_text("outer", "begins");
    say("nested", _dispatch_runloop_root_queue_perform_4CF(queue));
    say_text("outer", "ends");
  });
  dispatch_async_f(queue, "inside of another", say_it);
  say("more", _dispatch_runloop_root_queue_perform_4CF(queue));
  say("more", _dispatch_runloop_root_queue_perform_4CF(queue));
  // Another thread's sync runs here.
  pid_t thread = gettid();
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_async(dispatch_get_global_queue(0, 0), ^{
    dispatch_sync(queue, ^{ say("sync on the loop's thread", gettid() == thread); });
    dispatch_semaphore_signal(done);
  });
  while (dispatch_semaphore_wait(done, in_milliseconds(1))) _dispatch_runloop_root_queue_perform_4CF(queue);
  dispatch_suspend(queue);
  dispatch_async_f(queue, "although suspended", say_it);
  say("more", _dispatch_runloop_root_queue_perform_4CF(queue));
  dispatch_resume(queue);
  dispatch_async_f(queue, done, signal_it);
  dispatch_release(inner);
  dispatch_release(queue);
  wait_for(done);
  say_text("accepted before the last release", "ran");
  dispatch_release(done);
}

// MARK: objects

static const char *stage;
static void external_end(void *object) { say_text(stage, "external references gone"); (void)object; }
static void end(void *object) {
  say_text(stage, "all gone");
  _os_object_dealloc(object);
}
static void finalizer(void *context) { dispatch_semaphore_signal(context); }

static void objects(void) {
  void (*table[2])(void *) = {external_end, end};
  stage = "object";
  uint64_t *object = _os_object_alloc_realized(table, 64);
  say("table", object[0] == (uintptr_t)table);
  say("zeroed", (object[1] | object[2] | object[7]) == 0);
  say("retained", _os_object_retain(object) == object && _os_object_retain_internal(object) == object);
  say("counts", (long)object[1]);
  _os_object_release_internal(object);
  _os_object_release(object);
  _os_object_release(object);
  say("resurrected", _os_object_retain_with_resurrect(object) == object);
  say("counts", (long)object[1]);
  _os_object_release(object);
  _os_object_retain_internal_n(object, 3);
  _os_object_release_internal_n(object, 4);
  _os_object_release_internal(object);
  stage = "without the first function";
  table[0] = NULL;
  _os_object_release(_os_object_alloc(table, 16));
  say("without a table", *(void **)_os_object_alloc(NULL, 16) != NULL);

  dispatch_semaphore_t gone = dispatch_semaphore_create(0);
  dispatch_queue_t queue = dispatch_queue_create("counted", NULL);
  dispatch_set_context(queue, gone);
  dispatch_set_finalizer_f(queue, finalizer);
  _os_object_retain_internal_n(queue, 2);
  _os_object_retain(queue);
  dispatch_release(queue);
  _os_object_release_internal_n(queue, 2);
  say("a queue lives", dispatch_semaphore_wait(gone, DISPATCH_TIME_NOW) != 0);
  _os_object_release(queue);
  wait_for(gone);
  say_text("a queue", "is gone");
  dispatch_release(gone);
}

// MARK: the process

static void process(void) {
  say("threads at the beginning", _dispatch_is_multithreaded());
  _dispatch_prohibit_transition_to_multithreaded(true);
  dispatch_queue_t queue = dispatch_queue_create("alone", NULL);
  dispatch_sync(queue, ^{ say_text("sync", "needs none"); });
  dispatch_release(queue);
  _dispatch_prohibit_transition_to_multithreaded(false);
  static void *word;
  dispatch_async_f(dispatch_get_global_queue(0, 0), &word, (dispatch_function_t)write_word);
  say("the word came", _dispatch_wait_for_enqueuer(&word) == (void *)77);
  say("threads now", _dispatch_is_multithreaded());
  for (uint32_t parameter = 0; parameter < 4; parameter++) _dispatch_iocntl(parameter, 1);
  _dispatch_poll_for_events_4launchd();
  dispatch_atfork_prepare();
  dispatch_atfork_parent();
  __block int calls = 0;
  dispatch_benchmark(10, ^{ calls++; });
  say("measured calls", calls);
  say("none take no time", (long)dispatch_benchmark_f(0, NULL, say_it));
}

int main(void) {
  process();
  queues();
  blocks();
  workloops();
  run_loop_queues();
  objects();
  turns();
  words();
  return 0;
}
