// remote_mirror.h: the toolchain's own reader of Swift's tasks in another process (libswiftRemoteMirror), loaded when a
// test asks for it: what it says of a task is held against what Signalbox's reader says.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A symbol in the process that is read.
struct mirror_symbol {
  const char *name;
  uint64_t address;
};

// What the library says of a task. Its pointers are good until the next call.
struct mirror_task {
  // Why there is no answer, in words; NULL: there is one.
  const char *error;
  // With which it was queued last; 0: it never was.
  uint32_t priority;
  bool is_child, is_group_child, is_async_let, is_cancelled, is_running, is_queued;
  // The number of the task, and the function with which it goes on.
  uint64_t number, function;
  // Tasks that are its children: each `async let`; of a group the first, or all where the task is a child itself.
  const uint64_t *children;
  size_t child_count;
  // The functions with which those go on that await it, the innermost first.
  const uint64_t *frames;
  size_t frame_count;
};

struct mirror;

// Loads the library at `path` and prepares it to read a process, whose symbols it asks for by name. The symbols are
// copied. NULL: there is no such library, or it lacks a function.
struct mirror *mirror_open(const char *path, int32_t process, const struct mirror_symbol *symbols, size_t count);
struct mirror_task mirror_task(struct mirror *mirror, uint64_t address);
void mirror_close(struct mirror *mirror);
