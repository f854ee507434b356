// hooked.c: the mutexes of Foundation's lock objects, seen while the order of locks is validated: the entries of Foundation's import table
// that name the C library's functions lead here, tell `watch`, and go on to those functions. Nothing is rewritten unless asked for.
//
// C because it stands in the place of C functions. errno is theirs: what is reported in between leaves it alone.
#include "Shared/own_code.h"
#define _GNU_SOURCE
#include "csignalbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__GLIBC__) && __SIZEOF_POINTER__ == 8

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, DATA_SLOT = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, DATA_SLOT = R_AARCH64_GLOB_DAT };
#else
enum { JUMP_SLOT = -1, DATA_SLOT = -1 };
#endif

// Written before the first entry is, which is while images are loaded. Cleared in the child of a fork: another thread may have had the
// instruments' locks.
static struct sb_mutex_watch watch;
static int is_watched;
// A thread that tells takes no part meanwhile.
static __thread int tells __attribute__((tls_model("initial-exec")));

// The image, and the functions in it that make a lock object's mutex.
static struct { uintptr_t start, end; } image;
static const struct { const char *name; int kind; } makers[] = {
    {"$s10Foundation6NSLockCACycfC", SB_MUTEX_LOCK},
    {"$s10Foundation6NSLockCACycfc", SB_MUTEX_LOCK},
    {"$s10Foundation15NSRecursiveLockCACycfC", SB_MUTEX_RECURSIVE},
    {"$s10Foundation15NSRecursiveLockCACycfc", SB_MUTEX_RECURSIVE},
    {"$s10Foundation11NSConditionCACycfC", SB_MUTEX_CONDITION},
    {"$s10Foundation11NSConditionCACycfc", SB_MUTEX_CONDITION},
};
enum { MAKERS = sizeof makers / sizeof *makers };
static struct { uintptr_t start, size; } ranges[MAKERS];

int sb_is_watched_image(uintptr_t address) { return address - image.start < image.end - image.start; }

int sb_watched_maker(uintptr_t address) {
  for (int i = 0; i < MAKERS; i++)
    // A return address may lie behind the function's last instruction.
    if (address - 1 - ranges[i].start < ranges[i].size) return makers[i].kind;
  return SB_MUTEX_NONE;
}

static int begins(void) {
  if (!is_watched || tells) return 0;
  tells = 1;
  return 1;
}

#define TELL(...)            \
  do {                       \
    if (begins()) {          \
      int before = errno;    \
      watch.__VA_ARGS__;     \
      errno = before;        \
      tells = 0;             \
    }                        \
  } while (0)

static int hooked_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  int error = pthread_mutex_init(mutex, attributes);
  int kind = error ? SB_MUTEX_NONE : sb_watched_maker((uintptr_t)__builtin_return_address(0));
  if (kind != SB_MUTEX_NONE) TELL(made((uintptr_t)mutex, kind));
  return error;
}

static int hooked_destroy(pthread_mutex_t *mutex) {
  TELL(gone((uintptr_t)mutex));
  return pthread_mutex_destroy(mutex);
}

static int hooked_lock(pthread_mutex_t *mutex) {
  TELL(wanted((uintptr_t)mutex));
  int error = pthread_mutex_lock(mutex);
  if (!error) TELL(taken((uintptr_t)mutex));
  return error;
}

static int hooked_trylock(pthread_mutex_t *mutex) {
  int error = pthread_mutex_trylock(mutex);
  if (!error) TELL(taken((uintptr_t)mutex));
  return error;
}

static int hooked_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline) {
  int error = pthread_mutex_timedlock(mutex, deadline);
  if (!error) TELL(taken((uintptr_t)mutex));
  return error;
}

static int hooked_unlock(pthread_mutex_t *mutex) {
  TELL(given((uintptr_t)mutex));
  return pthread_mutex_unlock(mutex);
}

static int hooked_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  TELL(waits((uintptr_t)mutex, 0));
  int error = pthread_cond_wait(condition, mutex);
  TELL(wanted((uintptr_t)mutex));
  TELL(taken((uintptr_t)mutex));
  return error;
}

static int hooked_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  TELL(waits((uintptr_t)mutex, 1));
  int error = pthread_cond_timedwait(condition, mutex, deadline);
  TELL(wanted((uintptr_t)mutex));
  TELL(taken((uintptr_t)mutex));
  return error;
}

static const struct { const char *name; void *hook; } hooks[] = {
    {"pthread_mutex_init", hooked_init},       {"pthread_mutex_destroy", hooked_destroy},
    {"pthread_mutex_lock", hooked_lock},       {"pthread_mutex_trylock", hooked_trylock},
    {"pthread_mutex_timedlock", hooked_timedlock}, {"pthread_mutex_unlock", hooked_unlock},
    {"pthread_cond_wait", hooked_wait},        {"pthread_cond_timedwait", hooked_timedwait},
};
enum { HOOKS = sizeof hooks / sizeof *hooks };

struct table {
  uintptr_t base, anchor;
  const ElfW(Dyn) *dynamic;
  uintptr_t sealed, sealed_end;  // what the loader makes read-only once it has bound it
  int found;
};

static int find_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct table *table = context;
  uintptr_t low = UINTPTR_MAX, high = 0;
  struct table here = {.base = info->dlpi_addr, .anchor = table->anchor};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
    if (part->p_type == PT_LOAD && start < low) low = start;
    if (part->p_type == PT_LOAD && end > high) high = end;
    if (part->p_type == PT_DYNAMIC) here.dynamic = (const ElfW(Dyn) *)start;
    if (part->p_type == PT_GNU_RELRO) here.sealed = start, here.sealed_end = end;
  }
  if (!here.dynamic || table->anchor < low || table->anchor >= high) return 0;
  here.found = 1;
  *table = here;
  image.start = low;
  image.end = high;
  return 1;
}

// The loader has made addresses of these, but not on every machine.
static const void *place(const struct table *table, uintptr_t value) {
  return (const void *)(value < table->base ? table->base + value : value);
}

static int write_entry(const struct table *table, void **entry, void *hook) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)entry & ~(page - 1);
  // The loader seals whole pages.
  int is_sealed = start >= (table->sealed & ~(page - 1)) && start < (table->sealed_end & ~(page - 1));
  if (is_sealed && mprotect((void *)start, page, PROT_READ | PROT_WRITE)) return 0;
  __atomic_store_n(entry, hook, __ATOMIC_RELAXED);
  if (is_sealed) mprotect((void *)start, page, PROT_READ);
  return 1;
}

static unsigned rewrite(const struct table *table, const ElfW(Rela) *entries, size_t count, const ElfW(Sym) *symbols, const char *names) {
  unsigned done = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t type = ELF64_R_TYPE(entries[i].r_info);
    if (type != (uint32_t)JUMP_SLOT && type != (uint32_t)DATA_SLOT) continue;
    const char *name = names + symbols[ELF64_R_SYM(entries[i].r_info)].st_name;
    for (int h = 0; h < HOOKS; h++)
      if (!strcmp(name, hooks[h].name) && write_entry(table, (void **)(table->base + entries[i].r_offset), hooks[h].hook)) done |= 1u << h;
  }
  return done;
}

static int find_makers(void) {
  for (int i = 0; i < MAKERS; i++) {
    void *function = dlsym(RTLD_DEFAULT, makers[i].name);
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (!function || !dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return 0;
    ranges[i].start = (uintptr_t)function;
    ranges[i].size = symbol->st_size;
  }
  return 1;
}

static void forget(void) { is_watched = 0; }

int sb_watch_mutexes(struct sb_mutex_watch told) {
  struct table table = {.anchor = (uintptr_t)dlsym(RTLD_DEFAULT, "$s10Foundation6NSLockCN")};
  if (!table.anchor) return SB_WATCH_NOTHING;
  dl_iterate_phdr(find_image, &table);
  if (!table.found || !find_makers()) return SB_WATCH_FAILED;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  const ElfW(Rela) *calls = NULL, *data = NULL;
  size_t calls_size = 0, data_size = 0;
  for (const ElfW(Dyn) *entry = table.dynamic; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_SYMTAB) symbols = place(&table, entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) names = place(&table, entry->d_un.d_ptr);
    if (entry->d_tag == DT_JMPREL) calls = place(&table, entry->d_un.d_ptr);
    if (entry->d_tag == DT_PLTRELSZ) calls_size = entry->d_un.d_val;
    if (entry->d_tag == DT_RELA) data = place(&table, entry->d_un.d_ptr);
    if (entry->d_tag == DT_RELASZ) data_size = entry->d_un.d_val;
  }
  if (!symbols || !names || pthread_atfork(NULL, NULL, forget)) return SB_WATCH_FAILED;
  unsigned done = 0;
  watch = told;
  if (calls) done |= rewrite(&table, calls, calls_size / sizeof *calls, symbols, names);
  if (data) done |= rewrite(&table, data, data_size / sizeof *data, symbols, names);
  is_watched = done == (1u << HOOKS) - 1;  // some alone would show locks that are taken and never given back
  return is_watched ? SB_WATCH_BEGUN : SB_WATCH_FAILED;
}

#else

int sb_is_watched_image(uintptr_t address) { return (void)address, 0; }
int sb_watched_maker(uintptr_t address) { return (void)address, SB_MUTEX_NONE; }
int sb_watch_mutexes(struct sb_mutex_watch told) { return (void)told, SB_WATCH_FAILED; }

#endif
