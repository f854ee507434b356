// addresses.c: where the system refuses to put programs at the same addresses each time: what is mapped and allocated from here on lies
// at the same places in each process all the same. Code, static data and the main thread's stack stay where the kernel has put them.
//
// The kernel takes the highest gap that is large enough. So all gaps above a fixed address are filled with mappings that hold nothing,
// and the next one begins there. The C library's heap cannot grow in place any more, which makes it map memory as well.
#include "face.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

// Large enough for all that the kernel draws: at most two to the power of forty bytes on x86-64.
#define SPAN (1ull << 42)

static int fill(uint64_t start, uint64_t end) {
  return mmap((void *)start, end - start, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) ==
         (void *)start;
}

// Reads on to the next line of /proc/self/maps, and its two numbers. 0 at the end.
struct lines { int file; long count, at; char text[2048]; };
static int next_letter(struct lines *lines) {
  if (lines->at == lines->count) {
    lines->count = CALL(SYS_read, lines->file, lines->text, sizeof lines->text, 0, 0, 0);
    lines->at = 0;
    if (lines->count <= 0) { lines->count = 0; return -1; }
  }
  return lines->text[lines->at++];
}
static int next_mapping(struct lines *lines, uint64_t *start, uint64_t *end) {
  uint64_t numbers[2] = {0, 0};
  int which = 0, letter;
  while ((letter = next_letter(lines)) >= 0 && letter != '\n') {
    if (which > 1) continue;
    if (letter >= '0' && letter <= '9') numbers[which] = numbers[which] << 4 | (uint64_t)(letter - '0');
    else if (letter >= 'a' && letter <= 'f') numbers[which] = numbers[which] << 4 | (uint64_t)(letter - 'a' + 10);
    else which++;
  }
  *start = numbers[0];
  *end = numbers[1];
  return letter >= 0;
}

// Everything from the fixed address up to the last mapping below the main thread's stack.
static int fill_gaps(void) {
  struct lines lines = {.file = (int)CALL(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0)};
  if (lines.file < 0) return 0;
  uint64_t stack = KEY(&lines), base = stack & ~(SPAN - 1), last = base, start, end;
  int is_done = base > KEY(sbrk(0));
  while (is_done && next_mapping(&lines, &start, &end)) {
    if (stack >= start && stack < end) break;
    if (end <= base) continue;
    is_done = start >= base && (start == last || fill(last, start));
    last = end;
  }
  CALL(SYS_close, lines.file, 0, 0, 0, 0, 0);
  return is_done;
}

// What the heap has left where it began is taken and never given back.
static void leave_heap(void) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = (KEY(sbrk(0)) + page - 1) & ~(page - 1);
  if (!fill(end, end + page)) return;
  // The heap is far below all mappings.
  uint64_t limit = KEY(&limit) & ~(SPAN - 1);
  limit -= limit / 16;
  for (size_t size = 64 << 10; size >= 24; size = size > 1040 ? size / 2 > 1040 ? size / 2 : 1040 : size - 16) {
    for (;;) {
      void *taken = malloc(size);
      if (!taken) return;
      if (KEY(taken) <= limit) continue;
      free(taken);
      break;
    }
  }
}

void sbx_fix_addresses(void) {
  if (fill_gaps()) leave_heap();
}

SANITIZED_AGAIN
