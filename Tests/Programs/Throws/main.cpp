// main.cpp: a C++ program whose callback throws. Nobody may catch that on the library's side of the call: the program ends by
// std::terminate, that is SIGABRT, and what it had printed before stands.
#include <dispatch/dispatch.h>

#include <cstdio>
#include <stdexcept>
#include <sys/resource.h>

static void fail(void *) { throw std::runtime_error("thrown from a callback"); }

int main() {
  // This end is wanted: no core file for it.
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  dispatch_queue_t queue = dispatch_queue_create("throwing", nullptr);
  dispatch_sync(queue, ^{
    try {
      throw 1;
    } catch (int) {
      std::puts("caught inside the callback");
    }
  });
  std::fflush(stdout);
  dispatch_async_f(queue, nullptr, fail);
  dispatch_sync(queue, ^{ std::puts("never"); });
  std::puts("never either");
  std::fflush(stdout);
  return 0;
}
