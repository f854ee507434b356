// leftovers.c: what a run has begun and must end: groups that are entered, queues that are stopped. Here rather than in Swift, whose
// collections the thread sanitizer would see: threads under control write them in turn, and nothing else orders them.
#include "core.h"
#include "csignalbox_explore_inside.h"

enum { MOST_GROUPS = 1024, MOST_QUEUES = 256 };
static struct sbx_inside_group groups[MOST_GROUPS];
static uint64_t queues[MOST_QUEUES];
static uint32_t group_count, queue_count;

void sbx_inside_forget_leftovers(void) { group_count = queue_count = 0; }

static struct sbx_inside_group *find(uint64_t address) {
  for (uint32_t i = group_count; i > 0; i--) if (groups[i - 1].address == address) return &groups[i - 1];
  return 0;
}

int sbx_inside_enters(uint64_t address, int64_t change) {
  struct sbx_inside_group *group = find(address);
  if (!group && group_count == MOST_GROUPS) return 0;
  if (!group) {
    group = &groups[group_count++];
    group->address = address;
    group->count = 0;
    group->name[0] = 0;
  }
  group->count += change;
  return change > 0 && !group->name[0];
}

void sbx_inside_name_group(uint64_t address, const char *name) {
  struct sbx_inside_group *group = find(address);
  if (!group) return;
  uint32_t i = 0;
  for (; name[i] && i < sizeof group->name - 1; i++) group->name[i] = name[i];
  group->name[i] = 0;
}

const struct sbx_inside_group *sbx_inside_group_at(uint32_t index) { return index < group_count ? &groups[index] : 0; }

void sbx_inside_stop(uint64_t queue, int is_stopped) {
  uint32_t i = 0;
  while (i < queue_count && queues[i] != queue) i++;
  if (is_stopped && i == queue_count && i < MOST_QUEUES) queues[queue_count++] = queue;
  if (!is_stopped && i < queue_count) queues[i] = queues[--queue_count];
}

uint64_t sbx_inside_stopped_at(uint32_t index) { return index < queue_count ? queues[index] : 0; }

int sbx_inside_is_sanitized(void) {
#ifdef SBX_SANITIZED
  return 1;
#else
  return 0;
#endif
}

SANITIZED_AGAIN
