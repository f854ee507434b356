// linked.c: the libdispatch this image is linked with, by weak references: null in a program that contains none.
#include "Shared/own_code.h"
#include "csignalbox.h"

extern char _dispatch_main_q[] __attribute__((weak));
extern int _dispatch_get_main_queue_port_4CF(void) __attribute__((weak));
extern void _dispatch_main_queue_callback_4CF(void *) __attribute__((weak));
extern void dispatch_async_f(void *, void *, void (*)(void *)) __attribute__((weak));
extern void dispatch_queue_set_specific(void *, const void *, void *, void (*)(void *)) __attribute__((weak));
extern void *dispatch_get_specific(const void *) __attribute__((weak));

struct sb_libdispatch sb_linked_libdispatch(void) {
  return (struct sb_libdispatch){
      .main_queue = _dispatch_main_q,
      .port = (void *)_dispatch_get_main_queue_port_4CF,
      .callback = (void *)_dispatch_main_queue_callback_4CF,
      .async = (void *)dispatch_async_f,
      .set_specific = (void *)dispatch_queue_set_specific,
      .get_specific = (void *)dispatch_get_specific,
  };
}
