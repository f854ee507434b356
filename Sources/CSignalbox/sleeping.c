// sleeping.c: the call stack of a thread that sleeps in the kernel, by another thread, or by another process: from the two registers
// that the kernel shows of it, the place and the stack's end. The thread has no part in it, so no call of the program's ends early.
//
// The kernel does not show the frame pointer; only a dump has it. It comes, in this order:
//
// 1. from the place where a function on the way has saved it, as the unwind tables say; most functions of the C library need none;
// 2. from the first instructions of the function that needs it, which say how far below it the stack ends;
// 3. from the one place of the stack that can be the function's return address.
//
// What 2 and 3 find counts if a call of that function lies before the address, and if the tables lead from there to the thread's first
// function; for 2, which leaves no choice, a few calls are enough, as tables may be wrong further out: that of the toolchain's dispatchMain()
// leaves a push out. Where nothing counts the stack ends, and says so; so it does where what the tables lead to lies behind no call.
//
// C because it reads instructions and tables. Takes no lock and allocates nothing. Memory is copied by the kernel, which refuses what
// has gone; tables of libraries are read in place, as unwind.c does. Of another process a caller has both: how its memory is read, and
// copies of its files' tables.
#include "Shared/own_code.h"
#define _GNU_SOURCE
#include "unwind.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

// ---- Memory that may go, by pages of which the last two are kept.

enum { PAGE = 4096, PAGES = 2 };
struct memory {
  struct page { uintptr_t start; uint8_t bytes[PAGE]; } pages[PAGES];
  int next;
  const struct sb_other_process *other;  // whose memory; NULL: this process's
};

// Where the kernel copies no memory of processes, a pipe does: it refuses what is not there as well.
static int copy_by_pipe(uintptr_t from, void *to) {
  int ends[2], is_done = 0;
  if (sb_pipe(ends) < 0) return 0;
  if (sb_write(ends[1], (const void *)from, PAGE) == PAGE) is_done = sb_read(ends[0], to, PAGE) == PAGE;
  sb_close(ends[0]);
  sb_close(ends[1]);
  return is_done;
}

// A whole page; 0: it is not there.
static int read_page(struct memory *m, uintptr_t start, void *to) {
  if (m->other) return m->other->read(m->other->context, start, to, PAGE);
  int64_t got = sb_read_memory(start, to, PAGE);
  return got == PAGE || (got < 0 && got != -EFAULT && copy_by_pipe(start, to));
}

static const uint8_t *page_at(struct memory *m, uintptr_t start) {
  for (int i = 0; i < PAGES; i++)
    if (m->pages[i].start == start) return m->pages[i].bytes;
  struct page *page = &m->pages[m->next];
  if (!read_page(m, start, page->bytes)) return page->start = 0, NULL;
  m->next = (m->next + 1) % PAGES;
  page->start = start;
  return page->bytes;
}

static int copy(struct memory *m, uintptr_t from, void *to, size_t count) {
  uint8_t *out = to;
  while (count) {
    size_t offset = from % PAGE, piece = PAGE - offset < count ? PAGE - offset : count;
    const uint8_t *page = from / PAGE ? page_at(m, from - offset) : NULL;
    if (!page) return 0;
    memcpy(out, page + offset, piece);
    out += piece, from += piece, count -= piece;
  }
  return 1;
}

static int word_at(struct memory *m, uintptr_t from, uintptr_t *word) { return from % 8 == 0 && copy(m, from, word, sizeof *word); }

struct search {
  struct memory stack, code;
  const struct sb_other_process *other;
};

// ---- Tables: of what is loaded here, or of the other process's files, of which this one has copies.

static const struct sb_other_image *image_of(const struct search *s, uintptr_t address) {
  for (int i = 0; i < s->other->count; i++) {
    const struct sb_other_image *image = &s->other->images[i];
    if (address >= image->start && address < image->end) return image;
  }
  return NULL;
}

static struct sb_table table_of(const struct sb_other_image *image) {
  return (struct sb_table){image->header, image->copy, image->copy + image->size};
}

static uint64_t rule_for(const struct search *s, uintptr_t address) {
  if (!s->other) return sb_rule_for(address);
  const struct sb_other_image *image = image_of(s, address);
  if (!image || !image->header) return UNKNOWN;
  struct sb_table table = table_of(image);
  return sb_rule_by(&table, address + (uintptr_t)image->distance);
}

static int function_of(const struct search *s, uintptr_t address, struct sb_function *function) {
  if (!s->other) return sb_function_of(address, function);
  const struct sb_other_image *image = image_of(s, address);
  if (!image || !image->header) return 0;
  struct sb_table table = table_of(image);
  if (!sb_function_by(&table, address + (uintptr_t)image->distance, function)) return 0;
  function->start -= (uintptr_t)image->distance;
  return 1;
}

// Whether the address lies in a program or library.
static int is_in_image(const struct search *s, uintptr_t address) {
  return s->other ? image_of(s, address) != NULL : sb_object_of(address) != NULL;
}

// ---- Calls: whether one lies before an address, and of what.

enum called { NO_CALL = 0, OF_ANOTHER, OF_SOMETHING, OF_FUNCTION };

#if defined(__x86_64__)

// Where a stub of the linker's goes on: `jmp *distance(%rip)`, behind `endbr64` and prefixes.
static uintptr_t behind_stub(struct search *s, uintptr_t stub) {
  uint8_t code[16];
  if (!copy(&s->code, stub, code, sizeof code)) return 0;
  size_t at = memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0 ? 4 : 0;
  if (code[at] == 0xf2) at++;
  if (code[at] != 0xff || code[at + 1] != 0x25) return 0;
  int32_t distance;
  memcpy(&distance, code + at + 2, 4);
  uintptr_t target;
  return word_at(&s->code, stub + at + 6 + (uintptr_t)(intptr_t)distance, &target) ? target : 0;
}

// The length of `call` by a register or memory whose second byte is given, the third behind it; 0: it is none.
static int indirect_length(uint8_t form, uint8_t index) {
  if ((form >> 3 & 7) != 2) return 0;
  int kind = form >> 6, base = form & 7, has_index = base == 4;
  if (kind == 3) return 2;
  if (kind == 0) return base == 5 ? 6 : has_index ? ((index & 7) == 5 ? 7 : 3) : 2;
  return (kind == 1 ? 3 : 6) + has_index;
}

static enum called call_before(struct search *s, uintptr_t address, uintptr_t function) {
  uint8_t code[8] = {0};
  if (address < PAGE || !copy(&s->code, address - 7, code, 7)) return NO_CALL;
  if (code[2] == 0xe8) {
    int32_t distance;
    memcpy(&distance, code + 3, 4);
    uintptr_t target = address + (uintptr_t)(intptr_t)distance;
    if (target == function) return OF_FUNCTION;
    uintptr_t behind = behind_stub(s, target);
    if (behind) return behind == function ? OF_FUNCTION : OF_ANOTHER;
    struct sb_function found;
    return function_of(s, target, &found) && found.start == target ? OF_ANOTHER : OF_SOMETHING;
  }
  for (int length = 2; length <= 7; length++)
    if (code[7 - length] == 0xff && indirect_length(code[8 - length], length > 2 ? code[9 - length] : 0) == length)
      return OF_SOMETHING;
  return NO_CALL;
}

// Whether an instruction moves the stack's end by what only the running function knows, or by a number that is not counted yet.
// Bytes within an instruction may look like one: then too.
static int moves_stack(struct search *s, uintptr_t from, uintptr_t end) {
  uint8_t code[256 + 2];
  for (uintptr_t at = from; at + 3 <= end; at += 256) {
    size_t count = end - at < sizeof code ? end - at : sizeof code;
    if (!copy(&s->code, at, code, count)) return 1;
    for (size_t i = 0; i + 3 <= count; i++) {
      if ((code[i] & 0xf8) != 0x48) continue;  // 64 bits
      uint8_t what = code[i + 1], form = code[i + 2];
      int is_to_stack = (form & 0xc7) == 0xc4 && !(code[i] & 1), is_stack_from = (form & 0x38) == 0x20 && !(code[i] & 4);
      if ((what == 0x29 || what == 0x89) && is_to_stack) return 1;                         // sub, mov register, %rsp
      if ((what == 0x2b || what == 0x8b) && is_stack_from) return 1;                       // sub, mov memory, %rsp
      if (what == 0x8d && is_stack_from && !((form & 7) == 5 && form & 0xc0)) return 1;    // lea, but from the frame pointer
      if ((what == 0x81 || what == 0x83) && (form == 0xe4 || form == 0xec) && !(code[i] & 1)) return 1;  // and, sub number, %rsp
    }
  }
  return 0;
}

// How far below the frame pointer the stack ends while the function calls another; -1: its instructions do not say.
static intptr_t frame_size(struct search *s, const struct sb_function *f) {
  enum { FIRST = 48, LONGEST = 1 << 16 };
  uint8_t code[FIRST + 8] = {0};
  if (f->size > LONGEST || !copy(&s->code, f->start, code, f->size < FIRST ? f->size : FIRST)) return -1;
  size_t at = memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0 ? 4 : 0;
  if (code[at] != 0x55) return -1;  // push %rbp
  if (memcmp(code + at + 1, "\x48\x89\xe5", 3) && memcmp(code + at + 1, "\x48\x8b\xec", 3)) return -1;  // mov %rsp, %rbp
  intptr_t size = 0;
  for (at += 4; at < FIRST - 8; size += 8) {
    if (code[at] >= 0x50 && code[at] <= 0x57) at += 1;  // push
    else if (code[at] == 0x41 && code[at + 1] >= 0x50 && code[at + 1] <= 0x57) at += 2;
    else break;
  }
  if (code[at] == 0x48 && code[at + 1] == 0x83 && code[at + 2] == 0xec) {  // sub number, %rsp
    size += (int8_t)code[at + 3];
    at += 4;
  } else if (code[at] == 0x48 && code[at + 1] == 0x81 && code[at + 2] == 0xec) {
    int32_t more;
    memcpy(&more, code + at + 3, 4);
    size += more;
    at += 7;
  }
  return size < 0 || moves_stack(s, f->start + at, f->start + f->size) ? -1 : size;
}

#else

static enum called call_before(struct search *s, uintptr_t address, uintptr_t function) {
  uint32_t code;
  if (address < PAGE || address % 4 || !copy(&s->code, address - 4, &code, sizeof code)) return NO_CALL;
  if (code >> 26 == 0x25) {  // bl
    uintptr_t target = address - 4 + (uintptr_t)((intptr_t)((int32_t)(code << 6) >> 6) * 4);
    struct sb_function found;
    if (target == function) return OF_FUNCTION;
    // What lies in no table is the linker's way to another library.
    return function_of(s, target, &found) ? OF_ANOTHER : OF_SOMETHING;
  }
  return (code & 0xfffffc1f) == 0xd63f0000 || (code & 0xfefff800) == 0xd63f0800 ? OF_SOMETHING : NO_CALL;  // blr, blraa
}

static intptr_t frame_size(struct search *s, const struct sb_function *f) { return (void)s, (void)f, -1; }

#endif

// ---- The way.

struct frame {
  uintptr_t stack, pointer, address;
  int knows_pointer;
  int is_exact;  // the address is where the thread goes on, rather than behind a call
};

static uintptr_t looked_up(const struct frame *f) { return f->address - (f->is_exact ? 0 : 1); }

enum way { ON, END, NO_TABLE, NO_POINTER, UNREADABLE };

// From a signal's handler to what the signal has interrupted.
static enum way leave_handler(struct search *s, struct frame *f) {
#if defined(__x86_64__)
  uintptr_t registers = f->stack + offsetof(ucontext_t, uc_mcontext.gregs);
  if (!word_at(&s->stack, registers + REG_RIP * 8, &f->address) || !word_at(&s->stack, registers + REG_RBP * 8, &f->pointer) ||
      !word_at(&s->stack, registers + REG_RSP * 8, &f->stack))
    return UNREADABLE;
  f->knows_pointer = f->is_exact = 1;
  return ON;
#else
  return (void)s, (void)f, NO_TABLE;
#endif
}

// To the caller, by a rule that needs nothing that is not known.
static enum way apply(struct search *s, struct frame *f, uint64_t rule) {
  uintptr_t cfa = ((rule & KIND) == FROM_STACK ? f->stack : f->pointer) + sb_rule_cfa(rule), address;
  if (cfa <= f->stack || cfa & 7) return NO_TABLE;
  if (!(rule & KEPT)) {
    if (!word_at(&s->stack, cfa + sb_rule_frame(rule), &f->pointer)) return UNREADABLE;
    f->knows_pointer = 1;
  }
  if (!word_at(&s->stack, cfa + sb_rule_address(rule), &address)) return UNREADABLE;
  f->stack = cfa;
  f->address = sb_plain(address);
  f->is_exact = 0;
  return f->address ? ON : END;
}

// To the caller; NO_POINTER leaves the frame as it is.
static enum way climb(struct search *s, struct frame *f) {
  uint64_t rule = rule_for(s, looked_up(f));
  struct sb_function function;
  switch (rule & KIND) {
    case OUTERMOST: return END;
    case FROM_STACK: return apply(s, f, rule);
    case FROM_FRAME: return f->knows_pointer ? apply(s, f, rule) : NO_POINTER;
    default: break;
  }
  if (function_of(s, looked_up(f), &function) && function.is_signal) return leave_handler(s, f);
  if (!f->knows_pointer) return NO_TABLE;
  // A frame pointer may lead on where there is no table; what it leads to must be behind a call.
  struct frame before = *f;
  if (apply(s, f, BY_FRAME) == ON && is_in_image(s, f->address) && call_before(s, f->address, 0) != NO_CALL) return ON;
  *f = before;
  return NO_TABLE;
}

// ---- The frame pointer of a function that needs it.

// Whether the frame's address may be a caller's. What a signal's handler returns to, and what has no caller, lie behind no call.
static enum called is_called(struct search *s, const struct frame *f, uintptr_t function) {
  if (f->is_exact) return OF_SOMETHING;
  enum called called = call_before(s, f->address, function);
  if (called != NO_CALL) return called;
  struct sb_function found;
  uintptr_t place = looked_up(f);
  if (!is_in_image(s, place)) return NO_CALL;
  return (rule_for(s, place) & KIND) == OUTERMOST || (function_of(s, place, &found) && found.is_signal) ? OF_SOMETHING : NO_CALL;
}

struct suspect {
  struct sb_function function;  // whose return address is sought
  uint64_t rule;
  uintptr_t stack;              // where its stack ends
};

// Whether the return address at `slot` is the function's, and `frame` what it leads to then.
static enum called judge(struct search *s, const struct suspect *of, uintptr_t slot, struct frame *frame) {
  struct frame f = {.stack = of->stack, .knows_pointer = 1};
  f.pointer = slot - sb_rule_address(of->rule) - sb_rule_cfa(of->rule);
  if (f.pointer < of->stack || apply(s, &f, of->rule) != ON) return NO_CALL;
  if (f.address >> 47) return NO_CALL;  // the kernel's half, or a number
  *frame = f;
  return is_called(s, &f, of->function.start);
}

// Whether the tables lead from the frame to the thread's first function, or through `enough` calls. `others`: that a frame of the same function
// lies on the way.
static int leads_out(struct search *s, struct frame f, const struct sb_function *function, int enough, int *others) {
  for (int i = 0; i < enough; i++) {
    if (looked_up(&f) - function->start < function->size) *others = 1;
    switch (climb(s, &f)) {
      case ON: break;
      case END: return 1;
      default: return 0;
    }
    if (is_called(s, &f, 0) == NO_CALL) return 0;
  }
  return 1;
}

// Whether the slot is on the way from the frame outward.
static int leads_to(struct search *s, struct frame f, uintptr_t slot) {
  for (int i = 0; i < SB_UNWIND_FRAMES && f.stack <= slot; i++)
    if (climb(s, &f) != ON) return 0;
    else if (f.stack == slot + 8) return 1;
  return 0;
}

enum { SEARCHED = 1 << 16, FEW_CALLS = 4 };  // bytes of the stack; as told at the beginning

static enum way find_pointer(struct search *s, struct frame *f) {
  struct suspect of = {.rule = rule_for(s, looked_up(f)), .stack = f->stack};
  if (!function_of(s, looked_up(f), &of.function)) return NO_POINTER;
  struct frame best = {0}, found;
  int others = 0;
  intptr_t size = frame_size(s, &of.function);
  if (size >= 0) {
    uintptr_t slot = f->stack + (uintptr_t)size + sb_rule_cfa(of.rule) + sb_rule_address(of.rule);
    // A function may be reached by a jump, from one that was called: so the call may be of another.
    if (judge(s, &of, slot, &best) == NO_CALL || !leads_out(s, best, &of.function, FEW_CALLS, &others)) return NO_POINTER;
    return *f = best, ON;
  }
  enum called best_called = NO_CALL;
  uintptr_t best_slot = 0, word;
  int is_first = 1;
  for (uintptr_t slot = f->stack; slot < f->stack + SEARCHED && word_at(&s->stack, slot, &word); slot += 8) {
    enum called called = judge(s, &of, slot, &found);
    // A frame of another function, which lies on the way from the first, tells nothing.
    if (called == NO_CALL || (best_slot && !others && leads_to(s, best, slot))) continue;
    int on_its_way = 0;
    if (!leads_out(s, found, &of.function, SB_UNWIND_FRAMES, &on_its_way)) continue;
    // What calls another function may have been left long ago, or that function may have jumped to this one.
    if (called != OF_ANOTHER) {
      if (best_slot) return NO_POINTER;  // two that may be it
      if (called == OF_SOMETHING && !is_first) return NO_POINTER;
      best = found, best_slot = slot, best_called = called, others = on_its_way;
    }
    is_first = 0;
  }
  // The function calls itself, or did: which of its frames is the innermost is not known.
  if (!best_slot || (others && best_called != OF_FUNCTION)) return NO_POINTER;
  return *f = best, ON;
}

int sb_unwind_other(const struct sb_other_process *other, uintptr_t place, uintptr_t stack, const uintptr_t *pointer,
                    uintptr_t *frames, int capacity, int *end) {
  struct search s;
  for (int i = 0; i < PAGES; i++) s.stack.pages[i].start = s.code.pages[i].start = 0;
  s.stack.next = s.code.next = 0;
  s.other = s.stack.other = s.code.other = other;
  struct frame f = {.stack = stack, .address = place, .is_exact = 1};
  if (pointer) f.pointer = *pointer, f.knows_pointer = 1;
  int count = 0;
  *end = SB_STACK_WHOLE;
  while (count < capacity) {
    // All are return addresses to a reader, behind the instruction that is meant.
    frames[count++] = f.address + (f.is_exact ? 1 : 0);
    enum way way = climb(&s, &f);
    if (way == NO_POINTER) way = find_pointer(&s, &f);
    if (way == ON && is_called(&s, &f, 0) == NO_CALL) way = NO_TABLE;
    switch (way) {
      case ON: continue;
      case END: break;
      case NO_TABLE: *end = SB_STACK_NO_TABLE; break;
      case NO_POINTER: *end = SB_STACK_NO_POINTER; break;
      case UNREADABLE: *end = SB_STACK_UNREADABLE; break;
    }
    break;
  }
  return count;
}

int sb_unwind_sleeping(uintptr_t place, uintptr_t stack, uintptr_t *frames, int capacity, int *end) {
  return sb_unwind_other(NULL, place, stack, NULL, frames, capacity, end);
}
