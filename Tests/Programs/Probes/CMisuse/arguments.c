// arguments.c: arguments that the headers answer with NULL or with no effect, and objects that are NULL.
#include "probe.h"

static void shared_queue_keeps(dispatch_queue_t queue) {
  dispatch_semaphore_t ran = dispatch_semaphore_create(0);
  for (int round = 0; round < 1000; round++) dispatch_release(queue);
  for (int round = 0; round < 500; round++) dispatch_retain(queue);
  dispatch_suspend(queue);
  dispatch_suspend(queue);
  for (int round = 0; round < 5; round++) dispatch_resume(queue);
  dispatch_suspend(queue);
  dispatch_activate(queue);
  dispatch_set_context(queue, ran);
  HOLDS(dispatch_get_context(queue) == NULL);
  dispatch_set_finalizer_f(queue, nothing);
  dispatch_set_target_queue(queue, dispatch_queue_create("elsewhere", NULL));
  if (queue != dispatch_get_main_queue()) {
    dispatch_async(queue, ^{ dispatch_semaphore_signal(ran); });
    HOLDS(dispatch_semaphore_wait(ran, dispatch_time(DISPATCH_TIME_NOW, 20 * (int64_t)NSEC_PER_SEC)) == 0);
    dispatch_release(ran);
  }
}

static void global_queues(void) {
  const long kinds[] = {0x21, 0x19, 0x15, 0x11, 0x09, 2, 0, -2, INT16_MIN};
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    dispatch_queue_t queue = dispatch_get_global_queue(kinds[kind], 0);
    shared_queue_keeps(queue);
    HOLDS(queue == dispatch_get_global_queue(kinds[kind], 0));
  }
}

static void main_still_runs(void *context) {
  (void)context;
  puts("done");
  exit(0);
}

static void main_queue(void) {
  shared_queue_keeps(dispatch_get_main_queue());
  dispatch_async_f(dispatch_get_main_queue(), NULL, main_still_runs);
  dispatch_main();
}

static void null_results(void) {
  const long kinds[] = {1, -1, 3, 7, 0x20, 0x22, 12345, INT16_MIN - 1L, INTPTR_MAX, INTPTR_MIN};
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) HOLDS(!dispatch_get_global_queue(kinds[kind], 0));
  HOLDS(!dispatch_get_global_queue(0, 1));
  HOLDS(!dispatch_get_global_queue(0, 4));
  HOLDS(!dispatch_get_global_queue(0, UINTPTR_MAX));
  HOLDS(!dispatch_queue_attr_make_with_qos_class(NULL, 1, 0));
  HOLDS(!dispatch_queue_attr_make_with_qos_class(DISPATCH_QUEUE_CONCURRENT, 0x22, 0));
  HOLDS(!dispatch_queue_attr_make_with_qos_class(NULL, 0x15, 1));
  HOLDS(!dispatch_queue_attr_make_with_qos_class(NULL, 0x15, -16));
  HOLDS(!dispatch_queue_attr_make_with_autorelease_frequency(NULL, 3));
  HOLDS(!dispatch_block_create((dispatch_block_flags_t)0x40, ^{}));
  HOLDS(!dispatch_block_create((dispatch_block_flags_t)-1L, ^{}));
  HOLDS(!dispatch_block_create_with_qos_class(0, 1, 0, ^{}));
  HOLDS(!dispatch_block_create_with_qos_class(0, 0x15, 1, ^{}));
  HOLDS(!dispatch_block_create_with_qos_class(0, 0x15, -16, ^{}));
  HOLDS(!dispatch_block_create_with_qos_class((dispatch_block_flags_t)0x40, 0x15, 0, ^{}));
  HOLDS(!dispatch_source_create(null(), 0, 0, NULL));
  HOLDS(!dispatch_source_create((dispatch_source_type_t)"no type", 0, 0, NULL));
  HOLDS(!dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 2, NULL));
  HOLDS(!dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 7, 0, NULL));
}

static void unknown_attribute(void) {
  static char nowhere;
  (void)dispatch_queue_create("odd", (dispatch_queue_attr_t)&nowhere);
}

// Private to Apple, in no header.
size_t dispatch_source_get_extended_data(dispatch_source_t source, unsigned long *data, size_t size);
void dispatch_source_cancel_and_wait(dispatch_source_t source);
void dispatch_source_set_mandatory_cancel_handler_f(dispatch_source_t source, dispatch_function_t handler);

static dispatch_source_t made(dispatch_source_type_t type) { return dispatch_source_create(type, 0, 0, NULL); }

static void source_arguments(void) {
  const dispatch_source_type_t types[] = {DISPATCH_SOURCE_TYPE_DATA_ADD, DISPATCH_SOURCE_TYPE_DATA_OR,
                                          DISPATCH_SOURCE_TYPE_DATA_REPLACE};
  for (int i = 0; i < 3; i++) {
    HOLDS(!dispatch_source_create(types[i], 1, 0, NULL));
    HOLDS(!dispatch_source_create(types[i], 0, 1, NULL));
  }
  const uintptr_t handles[] = {UINTPTR_MAX, 0x80000000UL, 0x100000000UL};
  for (int i = 0; i < 3; i++) {
    HOLDS(!dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, handles[i], 0, NULL));
    HOLDS(!dispatch_source_create(DISPATCH_SOURCE_TYPE_WRITE, handles[i], 0, NULL));
    HOLDS(!dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, handles[i], 0, NULL));
  }
  HOLDS(!dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, 0, 1, NULL));
  HOLDS(!dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, 0, 0, NULL));
  HOLDS(!dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, 1, 1, NULL));
  HOLDS(!dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, 65, 0, NULL));
  HOLDS(!dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, 9, 0, NULL));
  HOLDS(!dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, 19, 0, NULL));
  dispatch_source_t far = dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, 0x7fffffff, 0, NULL);
  HOLDS(far && dispatch_source_get_handle(far) == 0x7fffffff && dispatch_source_get_mask(far) == 0);
  dispatch_release(far);
}

static void source_ends(void) {
  dispatch_semaphore_t told = dispatch_semaphore_create(0);
  dispatch_source_t source = made(DISPATCH_SOURCE_TYPE_DATA_ADD);
  dispatch_source_set_event_handler(source, ^{ dispatch_semaphore_signal(told); });
  dispatch_activate(source);
  dispatch_source_merge_data(source, 5);
  dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  unsigned long data[3] = {7, 7, 7};
  HOLDS(dispatch_source_get_extended_data(source, data, 8) == 8 && data[0] == 5 && data[1] == 7);
  HOLDS(dispatch_source_get_extended_data(source, data, 24) == 16 && data[0] == 5 && data[1] == 0 && data[2] == 0);
  dispatch_source_cancel_and_wait(source);
  HOLDS(dispatch_source_testcancel(source));
  dispatch_release(source);
  source = made(DISPATCH_SOURCE_TYPE_DATA_OR);
  dispatch_source_cancel_and_wait(source);
  HOLDS(dispatch_source_testcancel(source));
  dispatch_release(source);
  dispatch_release(told);
}

static void merge_into_a_timer(void) { dispatch_source_merge_data(made(DISPATCH_SOURCE_TYPE_TIMER), 1); }

static void cancel_and_wait_with_a_handler(void) {
  dispatch_source_t source = made(DISPATCH_SOURCE_TYPE_DATA_ADD);
  dispatch_source_set_cancel_handler_f(source, nothing);
  dispatch_source_cancel_and_wait(source);
}

static void mandatory_cancel(void) {
  dispatch_source_t source = made(DISPATCH_SOURCE_TYPE_DATA_OR);
  dispatch_source_set_mandatory_cancel_handler_f(source, nothing);
  dispatch_activate(source);
  dispatch_release(source);
}

static void null_queue(void) { dispatch_async((dispatch_queue_t)null(), ^{}); }
static void null_queue_sync(void) { dispatch_sync_f((dispatch_queue_t)null(), NULL, nothing); }
static void null_block(void) { dispatch_async(dispatch_get_global_queue(0, 0), (dispatch_block_t)null()); }
static void null_group(void) { dispatch_group_enter((dispatch_group_t)null()); }
static void null_semaphore(void) { dispatch_semaphore_signal((dispatch_semaphore_t)null()); }
static void null_object(void) { dispatch_release((dispatch_queue_t)null()); }
static void null_source(void) { dispatch_source_cancel((dispatch_source_t)null()); }

const struct deed argument_deeds[] = {
    {"global-queues", global_queues},
    {"main-queue", main_queue},
    {"null-results", null_results},
    {"unknown-attribute", unknown_attribute},
    {"source-arguments", source_arguments},
    {"source-ends", source_ends},
    {"merge-into-a-timer", merge_into_a_timer},
    {"cancel-and-wait-with-a-handler", cancel_and_wait_with_a_handler},
    {"mandatory-cancel", mandatory_cancel},
    {"null-queue", null_queue},
    {"null-queue-sync", null_queue_sync},
    {"null-block", null_block},
    {"null-group", null_group},
    {"null-semaphore", null_semaphore},
    {"null-object", null_object},
    {"null-source", null_source},
    {0}};
