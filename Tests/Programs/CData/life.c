// life.c: how data is made and how it ends: constants, destructors, contexts.
//
// DISPATCH_DATA_DESTRUCTOR_MUNMAP does not occur: the toolchain's library stops the program there (Differences/c-face.json).
#include "program.h"

void constants(void) {
  dispatch_data_t empty = dispatch_data_empty;
  for (int round = 0; round < 3; round++) dispatch_release(empty);
  dispatch_retain(empty);
  say("size of no bytes", (long)dispatch_data_get_size(empty));
  say("a copy of no bytes is that constant", dispatch_data_create("x", 0, NULL, DISPATCH_DATA_DESTRUCTOR_DEFAULT) == empty);
  say("malloc'd no bytes are", dispatch_data_create(malloc(1), 0, NULL, DISPATCH_DATA_DESTRUCTOR_FREE) == empty);
  const void *nowhere = empty == NULL ? "" : NULL;  // hidden from the compiler, which would warn
  say("bytes nowhere are", dispatch_data_create(nowhere, 5, NULL, DISPATCH_DATA_DESTRUCTOR_DEFAULT) == empty);
  void *bytes = &bytes;
  say("no bytes to write are", dispatch_data_create_alloc(0, &bytes) == empty && bytes == NULL);
  const void *place = &place;
  size_t size = 1;
  say("in a row they are", dispatch_data_create_map(empty, &place, &size) == empty && place == NULL && size == 0);
  say("a part of them is", dispatch_data_create_subrange(empty, 0, 5) == empty);
  say("their region is", dispatch_data_copy_region(empty, 0, &size) == empty && size == 0);
  dispatch_data_t data = dispatch_data_create("hello", 5, NULL, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
  say("joined to data they give that", dispatch_data_create_concat(data, empty) == data);
  say("data joined to them too", dispatch_data_create_concat(empty, data) == data);
  say("a whole part is the data", dispatch_data_create_subrange(data, 0, 5) == data);
  say("one region in a row is the data", dispatch_data_create_map(data, NULL, NULL) == data);
  say("part behind the end", (long)dispatch_data_get_size(dispatch_data_create_subrange(data, 5, 1)));
  dispatch_data_t part = dispatch_data_create_subrange(data, 3, SIZE_MAX);
  say("part beyond the end", (long)dispatch_data_get_size(part));
  dispatch_release(part);
  say("region behind the end", dispatch_data_copy_region(data, 5, &size) == empty && size == 5);
  for (int round = 0; round < 5; round++) dispatch_release(data);
}

static dispatch_queue_t marked;
static char mark_key;
static dispatch_semaphore_t ended;

static void tell_end(void *what) {
  printf("%s %s\n", (const char *)what, dispatch_get_specific(&mark_key) ? "on the queue" : "elsewhere");
  fflush(stdout);
  dispatch_semaphore_signal(ended);
}

static void wait_for_end(void) { dispatch_semaphore_wait(ended, DISPATCH_TIME_FOREVER); }

void destructors(void) {
  ended = dispatch_semaphore_create(0);
  marked = dispatch_queue_create("marked", NULL);
  dispatch_queue_set_specific(marked, &mark_key, marked, NULL);
  dispatch_release(dispatch_data_create("bytes", 5, marked, ^{ tell_end("a block"); }));
  wait_for_end();
  dispatch_release(dispatch_data_create("bytes", 5, NULL, ^{ tell_end("a block without a queue"); }));
  wait_for_end();
  dispatch_release(dispatch_data_create_f("a function, given the bytes,", 5, marked, tell_end));
  wait_for_end();
  dispatch_data_t none = dispatch_data_create("no bytes", 0, marked, ^{ tell_end("a block of no bytes"); });
  wait_for_end();
  dispatch_release(none);
  dispatch_data_t data = dispatch_data_create("bytes", 5, NULL, ^{ tell_end("a block of retargeted data"); });
  dispatch_set_target_queue(data, marked);
  dispatch_release(data);
  wait_for_end();
  dispatch_release(dispatch_data_create(malloc(100), 100, NULL, DISPATCH_DATA_DESTRUCTOR_FREE));
  dispatch_release(dispatch_data_create_f(malloc(100), 100, NULL, free));
  const void *place;
  data = dispatch_data_create("constant", 8, NULL, _dispatch_data_destructor_none);
  dispatch_release(dispatch_data_create_map(data, &place, NULL));
  say("bytes of nobody stay where they are", memcmp(place, "constant", 8) == 0);
  dispatch_release(data);
  void *own;
  data = dispatch_data_create_alloc(64, &own);
  memset(own, 7, 64);
  say_digest("bytes written later", digest_contents(FIRST_DIGEST, data));
  dispatch_release(data);
}

void finalizers(void) {
  dispatch_data_t data = dispatch_data_create("bytes", 5, marked, ^{ tell_end("first the destructor"); });
  dispatch_set_context(data, "then the finalizer");
  say_text("context", dispatch_get_context(data));
  dispatch_set_finalizer_f(data, tell_end);
  dispatch_data_t part = dispatch_data_create_subrange(data, 1, 2);
  dispatch_release(data);
  dispatch_sync(marked, ^{ say("a part keeps it", (long)dispatch_data_get_size(part)); });
  dispatch_release(part);
  wait_for_end();
  wait_for_end();
  data = dispatch_data_create("bytes", 5, marked, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
  dispatch_set_context(data, "a finalizer of copied bytes");
  dispatch_set_finalizer_f(data, tell_end);
  dispatch_release(data);
  wait_for_end();
  dispatch_release(marked);
  dispatch_release(ended);
}
