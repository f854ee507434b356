// words.c: the two words that the thread sanitizer reads of queues, where the library says that they lie.
#include "program.h"

enum { WIDTH = 7, WIDTH_SIZE, TARGET = 13, TARGET_SIZE };

static void *at(const void *object, int field) { return (char *)object + dispatch_queue_offsets[field]; }
static const char *kind_of(const void *queue) { return *(uint16_t *)at(queue, WIDTH) == 1 ? "serial" : "concurrent"; }
static void *target_of(const void *object) { return *(void **)at(object, TARGET); }

// Whether the way from the object leads to the queue. It ends, or the sanitizer would not come back.
static bool leads(const void *object, const void *queue) {
  bool found = object == queue;
  while ((object = target_of(object))) found |= object == queue;
  return found;
}

void words(void) {
  say("bytes of a width", dispatch_queue_offsets[WIDTH_SIZE]);
  say("bytes of a target", dispatch_queue_offsets[TARGET_SIZE]);
  dispatch_queue_t main_queue = dispatch_get_main_queue(), global = dispatch_get_global_queue(0, 0);
  dispatch_queue_t base = dispatch_queue_create("base", NULL);
  dispatch_queue_t middle = dispatch_queue_create_with_target("middle", DISPATCH_QUEUE_CONCURRENT, base);
  dispatch_queue_t top = dispatch_queue_create_with_target("top", NULL, middle);
  dispatch_queue_t loop = dispatch_workloop_create("workloop");
  dispatch_queue_t bound = _dispatch_runloop_root_queue_create_4CF("bound", 0);
  say_text("main", kind_of(main_queue));
  say_text("global", kind_of(global));
  say_text("base", kind_of(base));
  say_text("middle", kind_of(middle));
  say_text("a run loop's", kind_of(bound));
  say("top leads to base", leads(top, base));
  say("base leads to top", leads(base, top));
  say("main ends", leads(main_queue, main_queue));
  say("global ends", leads(global, global));
  dispatch_set_target_queue(base, main_queue);
  dispatch_async(main_queue, ^{});
  _dispatch_main_queue_callback_4CF(NULL);
  say("top leads to main now", leads(top, main_queue));
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, top);
  say("a source leads on", target_of(source) != NULL && leads(target_of(source), main_queue));
  dispatch_source_t plain = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, NULL);
  say("so does one without a queue", target_of(plain) != NULL);
  dispatch_activate(source);
  dispatch_activate(plain);
  dispatch_release(source);
  dispatch_release(plain);
  dispatch_release(bound);
  dispatch_release(loop);
  dispatch_release(top);
  dispatch_release(middle);
  dispatch_release(base);
}
