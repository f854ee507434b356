// unwind.c: the calling thread's return addresses, quickly: by unwind tables whose rules are remembered for each place, so that a
// step costs a few loads once its place is known. Stacks of other threads, and of code with rarer rules, are stack.c's.
//
// C because it reads registers and the stack; there is no other logic in here than the format's. Allocates nothing, takes no lock,
// reads nothing outside of the stack's bounds and of mapped tables; where those bounds are unknown, the kernel reads for it.
#include "Shared/own_code.h"
#include "unwind.h"

#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// ---- Where the tables of an address are. glibc answers without a lock from 2.35 on; weak, so that older ones serve as well.

struct found_object {
  unsigned long long flags;
  void *start, *end;
  struct link_map *map;
  const uint8_t *header;  // .eh_frame_hdr
  unsigned long long reserved[8];
};
extern int find_object(void *, struct found_object *) __asm__("_dl_find_object") __attribute__((weak));

const char *sb_object_of(uintptr_t address) {
  struct found_object object;
  return &find_object && find_object((void *)address, &object) == 0 && object.map ? object.map->l_name : NULL;
}

// ---- A rule: where the caller's registers are, seen from one address in a function.

#if defined(__x86_64__)
enum { FRAME_POINTER = 6, STACK_POINTER = 7, RETURN_ADDRESS = 16, MOST_REGISTERS = 17 };
#elif defined(__aarch64__)
enum { FRAME_POINTER = 29, STACK_POINTER = 31, RETURN_ADDRESS = 30, MOST_REGISTERS = 32 };
#else
#error "unwind.c needs the numbers of this processor's registers"
#endif

static int is_distance(int64_t value) { return value < 0 && value >= -(8 << 15) && value % 8 == 0; }

static uint64_t pack(int kind, int kept, int64_t cfa, int64_t frame, int64_t address) {
  if (cfa < 0 || cfa >= 1ll << 31 || cfa % 8 || !is_distance(address) || !(kept || is_distance(frame))) return UNKNOWN;
  uint64_t saved = kept ? 0 : (uint64_t)(frame / 8) & 0xFFFF;
  return (uint64_t)(address / 8) << 48 | saved << 32 | (uint64_t)cfa | (kept ? KEPT : 0) | (uint64_t)kind;
}

// ---- Reading the tables.

struct reader {
  const uint8_t *at, *end;
  int failed;
};

static uint64_t number(struct reader *r, int size) {
  uint64_t value = 0;
  if (r->end - r->at < size) return r->failed = 1, r->at = r->end, 0;
  memcpy(&value, r->at, (size_t)size);
  r->at += size;
  return value;
}
static uint64_t unsigned_leb(struct reader *r) {
  uint64_t value = 0;
  for (int shift = 0; shift < 63 && r->at < r->end; shift += 7) {
    uint8_t byte = *r->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  return r->failed = 1, 0;
}
static int64_t signed_leb(struct reader *r) {
  uint64_t value = 0;
  for (int shift = 0; shift < 63 && r->at < r->end;) {
    uint8_t byte = *r->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
    if (!(byte & 0x80)) return (int64_t)(byte & 0x40 && shift < 64 ? value | ~(uint64_t)0 << shift : value);
  }
  return r->failed = 1, 0;
}
static void skip(struct reader *r, uint64_t count) {
  if (count > (uint64_t)(r->end - r->at)) r->failed = 1, count = (uint64_t)(r->end - r->at);
  r->at += count;
}
// An address in one of the encodings that compilers use here: absolute, or relative to its own place; never indirect.
static uintptr_t pointer(struct reader *r, int encoding) {
  uintptr_t base = (encoding & 0x70) == 0x10 ? (uintptr_t)r->at : 0;
  if (encoding & 0x80 || (encoding & 0x70) > 0x10) r->failed = 1;
  switch (encoding & 0x0f) {
    case 0x00: case 0x04: case 0x0c: return base + number(r, 8);
    case 0x03: return base + number(r, 4);
    case 0x0b: return base + (uintptr_t)(int64_t)(int32_t)number(r, 4);
    default: r->failed = 1; return 0;
  }
}

struct common {
  uint64_t code_unit;
  int64_t data_unit;
  int encoding, is_augmented, is_signal;
  struct reader program;
};

static int is_in(const struct sb_table *t, const uint8_t *at, uint64_t count) {
  return at >= t->low && at <= t->high && count <= (uint64_t)(t->high - at);
}

static struct reader entry(const struct sb_table *t, const uint8_t *at) {
  struct reader r = {at, at, 1};
  if (!is_in(t, at, 4)) return r;
  r = (struct reader){at, at + 4, 0};
  uint64_t length = number(&r, 4);
  // 64-bit tables: no linker makes them.
  if (length == 0xffffffff || !is_in(t, r.at, length)) r.failed = 1;
  r.end = r.at + (r.failed ? 0 : length);
  return r;
}

static int read_common(const struct sb_table *t, const uint8_t *at, struct common *c) {
  struct reader r = entry(t, at);
  if (number(&r, 4) != 0) return 0;
  int version = (int)number(&r, 1);
  const char *augmentation = (const char *)r.at;
  while (r.at < r.end && *r.at) r.at++;
  if (r.at == r.end) return 0;
  r.at++;
  c->code_unit = unsigned_leb(&r);
  c->data_unit = signed_leb(&r);
  uint64_t return_register = version == 1 ? number(&r, 1) : unsigned_leb(&r);
  if ((version != 1 && version != 3) || return_register != RETURN_ADDRESS) return 0;
  if (*augmentation && *augmentation != 'z') return 0;
  if (*augmentation == 'z') {
    uint64_t size = unsigned_leb(&r);
    struct reader data = r;
    skip(&r, size);
    c->is_augmented = 1;
    while (*++augmentation) switch (*augmentation) {
        case 'R': c->encoding = (int)number(&data, 1); break;
        case 'L': number(&data, 1); break;
        case 'P': {
          int encoding = (int)number(&data, 1);
          pointer(&data, encoding & 0x7f);
          break;
        }
        case 'S': c->is_signal = 1; break;
        case 'B': break;  // return addresses are signed: taken off when they are read
        default: return 0;
      }
  }
  c->program = r;
  return !r.failed;
}

struct place {
  int cfa_register, cfa_is_expression;
  int64_t cfa;
  // Of the two registers: 0 kept, 1 saved at the offset, 2 anything else.
  struct saved { int how; int64_t offset; } frame, address;
};

static void save(struct place *p, uint64_t which, int how, int64_t offset) {
  struct saved value = {how, offset};
  if (which == FRAME_POINTER) p->frame = value;
  if (which == RETURN_ADDRESS) p->address = value;
}

// Runs the instructions until those for `target`.
static int run(struct reader r, const struct common *c, uintptr_t location, uintptr_t target, struct place *p,
               const struct place *initial) {
  struct place stack[8];
  int depth = 0;
  while (r.at < r.end && !r.failed) {
    uint8_t code = *r.at++, low = code & 0x3f;
    uint64_t which;
    switch (code & 0xc0 ? code & 0xc0 : code) {
      case 0x40: location += low * c->code_unit; break;
      case 0x80: save(p, low, 1, (int64_t)unsigned_leb(&r) * c->data_unit); break;
      case 0xc0: case 0x06:
        which = code == 0x06 ? unsigned_leb(&r) : low;
        if (which == FRAME_POINTER) p->frame = initial->frame;
        if (which == RETURN_ADDRESS) p->address = initial->address;
        break;
      case 0x00: case 0x2d: break;
      case 0x01: location = pointer(&r, c->encoding); break;
      case 0x02: location += number(&r, 1) * c->code_unit; break;
      case 0x03: location += number(&r, 2) * c->code_unit; break;
      case 0x04: location += number(&r, 4) * c->code_unit; break;
      case 0x05: which = unsigned_leb(&r); save(p, which, 1, (int64_t)unsigned_leb(&r) * c->data_unit); break;
      case 0x11: which = unsigned_leb(&r); save(p, which, 1, signed_leb(&r) * c->data_unit); break;
      case 0x07: save(p, unsigned_leb(&r), 2, 0); break;
      case 0x08: save(p, unsigned_leb(&r), 0, 0); break;
      case 0x09: case 0x14: case 0x15: which = unsigned_leb(&r); unsigned_leb(&r); save(p, which, 3, 0); break;
      case 0x0a: if (depth == 8) return 0; stack[depth++] = *p; break;
      case 0x0b: if (!depth) return 0; *p = stack[--depth]; break;
      case 0x0c: p->cfa_register = (int)unsigned_leb(&r); p->cfa = (int64_t)unsigned_leb(&r); p->cfa_is_expression = 0; break;
      case 0x12: p->cfa_register = (int)unsigned_leb(&r); p->cfa = signed_leb(&r) * c->data_unit; p->cfa_is_expression = 0; break;
      case 0x0d: p->cfa_register = (int)unsigned_leb(&r); break;
      case 0x0e: p->cfa = (int64_t)unsigned_leb(&r); break;
      case 0x13: p->cfa = signed_leb(&r) * c->data_unit; break;
      case 0x0f: p->cfa_is_expression = 1; skip(&r, unsigned_leb(&r)); break;
      case 0x10: case 0x16: save(p, unsigned_leb(&r), 3, 0); skip(&r, unsigned_leb(&r)); break;
      case 0x2e: unsigned_leb(&r); break;
      default: return 0;
    }
    if (location > target) return 1;
  }
  return !r.failed;
}

// The entry for the address: in the sorted table behind the header.
static const uint8_t *find_entry(const struct sb_table *t, uintptr_t address) {
  const uint8_t *header = t->header;
  if (!is_in(t, header, 16) || header[0] != 1 || header[2] != 0x03 || header[3] != 0x3b) return NULL;
  struct reader r = {header + 4, header + 16, 0};
  pointer(&r, header[1]);
  uint64_t count = number(&r, 4);
  const int32_t *table = (const int32_t *)r.at;
  if (!is_in(t, r.at, count * 8)) return NULL;
  uint64_t low = 0, high = count;
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if ((uintptr_t)header + (intptr_t)table[middle * 2] <= address) low = middle + 1;
    else high = middle;
  }
  return low && !r.failed ? header + table[(low - 1) * 2 + 1] : NULL;
}

// What the tables say of the function at an address: where it lies, and the instructions that make its rules.
struct described {
  struct sb_function function;
  struct common common;
  struct reader program;
};

static int describe_by(const struct sb_table *t, uintptr_t address, struct described *d) {
  const uint8_t *at = find_entry(t, address);
  if (!at) return 0;
  struct reader r = entry(t, at);
  const uint8_t *field = r.at;
  memset(&d->common, 0, sizeof d->common);
  if (!read_common(t, field - number(&r, 4), &d->common)) return 0;
  uintptr_t start = pointer(&r, d->common.encoding), size = pointer(&r, d->common.encoding & 0x0f);
  if (r.failed || address < start || address - start >= size) return 0;
  if (d->common.is_augmented) skip(&r, unsigned_leb(&r));
  d->function = (struct sb_function){start, size, d->common.is_signal};
  d->program = r;
  return 1;
}

// The table of what is loaded here. Its bytes are the loader's, and whole.
static int describe(uintptr_t address, struct described *d) {
  struct found_object object;
  if (!&find_object || find_object((void *)address, &object) || !object.header) return 0;
  struct sb_table table = {object.header, NULL, (const uint8_t *)UINTPTR_MAX};
  return describe_by(&table, address, d);
}

int sb_function_of(uintptr_t address, struct sb_function *function) {
  struct described d;
  if (!describe(address, &d)) return 0;
  *function = d.function;
  return 1;
}

int sb_function_by(const struct sb_table *table, uintptr_t address, struct sb_function *function) {
  struct described d;
  if (!describe_by(table, address, &d)) return 0;
  *function = d.function;
  return 1;
}

static uint64_t rule_of(const struct described *d, uintptr_t address) {
  if (d->function.is_signal) return UNKNOWN;
  struct place initial = {0}, place;
  if (!run(d->common.program, &d->common, 0, UINTPTR_MAX, &initial, &initial)) return UNKNOWN;
  place = initial;
  if (!run(d->program, &d->common, d->function.start, address, &place, &initial) || place.cfa_is_expression) return UNKNOWN;
  if (place.address.how == 2) return OUTERMOST;
  if (place.address.how != 1 || place.frame.how == 3) return UNKNOWN;
  int kind = place.cfa_register == STACK_POINTER ? FROM_STACK : place.cfa_register == FRAME_POINTER ? FROM_FRAME : UNKNOWN;
  return kind ? pack(kind, place.frame.how != 1, place.cfa, place.frame.offset, place.address.offset) : UNKNOWN;
}

static uint64_t make_rule(uintptr_t address) {
  struct described d;
  return describe(address, &d) ? rule_of(&d, address) : UNKNOWN;
}

uint64_t sb_rule_by(const struct sb_table *table, uintptr_t address) {
  struct described d;
  return describe_by(table, address, &d) ? rule_of(&d, address) : UNKNOWN;
}

// ---- Rules that are known. A place is taken by a swap and never given back: of a library that is unloaded the rules stay, and give
// another one in its place wrong frames, never a wrong access.

enum { PLACES = 1 << 14, PROBES = 8, TAKEN = 1 };
static struct { uintptr_t address; uint64_t rule; } known[PLACES];

__attribute__((noinline)) static uint64_t remember(uintptr_t address, size_t first) {
  for (size_t i = 0; i < PROBES; i++) {
    size_t place = (first + i) % PLACES;
    // acquire U1: pairs with U2; the rule is there.
    uintptr_t found = __atomic_load_n(&known[place].address, __ATOMIC_ACQUIRE);
    if (found == address) return known[place].rule;
    if (found) continue;
    uint64_t rule = make_rule(address);
    if (!__atomic_compare_exchange_n(&known[place].address, &found, TAKEN, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return rule;
    known[place].rule = rule;
    // release U2: publishes the rule.
    __atomic_store_n(&known[place].address, address, __ATOMIC_RELEASE);
    return rule;
  }
  return make_rule(address);
}

static inline uint64_t rule_for(uintptr_t address) {
  size_t first = (size_t)(address * 0x9E3779B97F4A7C15u >> 50);
  // acquire U1: see there.
  if (__atomic_load_n(&known[first].address, __ATOMIC_ACQUIRE) == address) return known[first].rule;
  return remember(address, first);
}

uint64_t sb_rule_for(uintptr_t address) { return rule_for(address); }

// ---- The walk.

// The registers at the call that `address` returns to.
struct frame { uintptr_t stack, pointer, address; };

// Without bounds an address that is wrong is the kernel's to refuse.
static int read_by_kernel(uintptr_t from, uintptr_t *value) {
  struct iovec to = {value, sizeof *value}, at = {(void *)from, sizeof *value};
  return syscall(SYS_process_vm_readv, getpid(), &to, 1ul, &at, 1ul, 0ul) == sizeof *value;
}

// Goes to the caller; `slot` is where the return address to it was. 0: there is none, or it cannot be found.
enum { DIRECTLY = 0, BY_KERNEL = 1 };
__attribute__((always_inline, no_sanitize("address", "thread"))) static inline int step(struct frame *f, uintptr_t high,
                                                                                       uintptr_t *slot, int how) {
  // The call lies before the address that it returns to.
  uint64_t rule = rule_for(f->address - 1);
  int kind = (int)(rule & KIND);
  if (kind == OUTERMOST) return 0;
  // No table, or a rare rule: the frame pointer may lead further.
  if (kind == UNKNOWN) rule = BY_FRAME;
  uintptr_t cfa = (kind == FROM_STACK ? f->stack : f->pointer) + sb_rule_cfa(rule);
  *slot = cfa + sb_rule_address(rule);
  // Each step stays inside the stack and goes up. Both places lie below the CFA.
  if (cfa <= f->stack || cfa > high || cfa & 7 || *slot < f->stack) return 0;
  uintptr_t address;
  if (!(rule & KEPT)) {
    uintptr_t saved = cfa + sb_rule_frame(rule);
    if (saved < f->stack) return 0;
    if (how == DIRECTLY) f->pointer = *(uintptr_t *)saved;
    else if (!read_by_kernel(saved, &f->pointer)) return 0;
  }
  if (how == DIRECTLY) address = *(uintptr_t *)*slot;
  else if (!read_by_kernel(*slot, &address)) return 0;
  f->stack = cfa;
  f->address = sb_plain(address);
  return f->address != 0;
}

uintptr_t sb_above_frame(uintptr_t frame, uintptr_t place) {
  uint64_t rule = rule_for(place);
  return frame + sb_rule_cfa((rule & KIND) == FROM_FRAME ? rule : BY_FRAME);
}

// In a function of its own, which has a frame pointer therefore. How far above that the function's stack began is the compiler's choice.
#define CALLER \
  {sb_above_frame((uintptr_t)__builtin_frame_address(0), sb_here()), *(uintptr_t *)__builtin_frame_address(0), \
   (uintptr_t)__builtin_return_address(0)}

__attribute__((noinline, no_sanitize("address", "thread"))) int sb_walk(uintptr_t *frames, int capacity, uintptr_t above,
                                                                       uintptr_t high) {
  struct frame f = CALLER;
  uintptr_t slot;
  int count = 0;
  do {
    if (count >= capacity) break;
    if (f.stack > above) frames[count++] = f.address;
  } while (step(&f, high, &slot, DIRECTLY));
  return count;
}

// Where this library lies; nothing if it is part of the program.
static struct { uintptr_t start, size; int known; } own;
static void find_own(void) {
  struct found_object object;
  if (&find_object && find_object((void *)sb_walk, &object) == 0 && object.map && *object.map->l_name) {
    // Several threads that come here at once write the same.
    __atomic_store_n(&own.start, (uintptr_t)object.start, __ATOMIC_RELAXED);
    __atomic_store_n(&own.size, (uintptr_t)object.end - (uintptr_t)object.start, __ATOMIC_RELAXED);
  }
  // release U3: publishes the range to U4.
  __atomic_store_n(&own.known, 1, __ATOMIC_RELEASE);
}

__attribute__((noinline, no_sanitize("address", "thread"))) int sb_walk_program(uintptr_t *frames, int capacity, uintptr_t above,
                                                                               uintptr_t high) {
  // acquire U4: pairs with U3.
  if (!__atomic_load_n(&own.known, __ATOMIC_ACQUIRE)) find_own();
  struct frame f = CALLER;
  uintptr_t slot, start = own.start, size = own.size;
  int count = 0;
  do {
    if (count >= capacity) break;
    if (f.stack > above && f.address - start >= size) frames[count++] = f.address;
  } while (step(&f, high, &slot, DIRECTLY));
  return count;
}

__attribute__((noinline, no_sanitize("address", "thread"))) int sb_walk_again(struct sb_walk_memo *memo, const uint64_t *known,
                                                                             uintptr_t *frames, int capacity, uintptr_t high) {
  struct frame f = CALLER;
  if (memo->begin == f.stack && memo->high == high && memo->count && known[0] == f.address) {
    uint64_t index = 1;
    while (index < memo->count && *(uintptr_t *)(high - memo->slots[index]) == known[index]) index++;
    if (index == memo->count) return 0;
  }
  uintptr_t slot = 0;
  int count = 0;
  memo->begin = f.stack;
  memo->high = high;
  memo->changes++;
  do {
    if (count >= capacity) break;
    memo->slots[count] = (uint32_t)(high - slot);
    frames[count++] = f.address;
  } while (step(&f, high, &slot, DIRECTLY));
  // The distances have 32 bits: further down a stack of that size nothing is remembered.
  memo->count = high - memo->begin > UINT32_MAX ? 0 : (uint64_t)count;
  return count;
}

__attribute__((no_sanitize("address", "thread"))) int sb_walk_on(uintptr_t *frames, int count, int capacity, uintptr_t stack,
                                                                uintptr_t pointer) {
  struct frame f = {stack, pointer, frames[count - 1]};
  uintptr_t slot;
  // What a frame pointer that is none leads to is no code.
  while (count < capacity && step(&f, UINTPTR_MAX, &slot, BY_KERNEL) && sb_object_of(f.address)) frames[count++] = f.address;
  return count;
}
