// csignalbox.h: what Swift cannot say: the thread slot, syscall wrappers with one result each, processor instructions.
// No logic lives here, every decision is in SignalboxSystem; the exceptions are ending.c, hooked.c, spawn.c, stack.c,
// sleeping.c, unwind.c and signals.c, which say why.
#ifndef CSIGNALBOX_H
#define CSIGNALBOX_H

#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifndef SB_INLINE
// Always inlined, so never a frame in a stack that would have to be distinguished from the program's.
#define SB_INLINE static inline __attribute__((always_inline))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The thread sanitizer's runtime, in a program that was built with it: null elsewhere.
extern void __tsan_acquire(void *_Nullable address) __attribute__((weak));
extern void __tsan_release(void *_Nullable address) __attribute__((weak));

// Hidden: two copies of these in one process (a program's own and the C face's library) must never meet.
#pragma GCC visibility push(hidden)

// Free places that one thread has for queues (PlaceTable.swift): the first, 0 for none, and how many more it takes. All
// zero: none, and it takes none.
struct sb_place_cache {
  uint32_t first;
  uint32_t room;
};

// A part of a task that runs on a thread: where its entry in the register of tasks lies (TaskRegister.swift), 0: the
// item is no task's; the entry's counts, which name the part; its function's row; and when the part began, in ticks.
struct sb_part {
  uintptr_t entry;
  uint64_t counts;
  uint64_t row;
  uint64_t began;
};
// Items run inside one another: the parts of the outermost ones are kept, this many.
enum { SB_PARTS = 3 };

// One per thread; all zero until the thread first needs it.
struct sb_thread {
  uint64_t owner;        // slot id and generation, laid out as QueueState's owner field; 0 before enrolment
  void *_Nullable frames;          // innermost thread frame
  void *_Nullable worker;          // the pool's worker running on this thread, or null
  void *_Nullable nodes;           // free item nodes, a singly linked list
  uint64_t node_count;
  void *_Nullable pages;           // free item pages, a singly linked list
  uint64_t page_count;
  void *_Nullable perform;         // the parallel apply this thread takes part in, or null
  uint64_t tid;
  uint64_t is_main;      // 0 not asked yet, 1 the process's first thread, 2 another
  uint64_t wait_spin;    // how long spinning for an answer has been worth it lately (AdaptiveSpin)
  uint64_t search_spin;  // the same for a worker's search
  uintptr_t stack_low;   // bounds of the stack, 0 until asked for
  uintptr_t stack_high;
  void *_Nullable held;            // what the lock-order instrument knows of this thread, or null
  void *_Nullable operations;      // innermost operation frame (OperationFrame), or null
  uint64_t shared_count;           // reader-writer locks held for reading: how many, and the first of them
  uint64_t shared[8];
  void *_Nullable foundation;      // what Foundation's classes keep of this thread (ThreadLocals.swift), or null
  uint64_t is_ending;              // 1 from the first time that the thread's end was noticed: its caches stay empty
  void *_Nullable left_target;     // of a chain of queues that goes: see TargetRelease (DispatchQueue+Target.swift)
  void *_Nullable engine;          // what this thread's work runs on, where that is not the process's (PrivateEngine.swift), or null
  void *_Nullable clocks;          // the same for what it arms (PrivateClocks.swift)
  void *_Nullable ring;            // where the recorder writes what this thread does (Ring.swift), or null
  struct sb_place_cache places;    // free places for queues (QueueRegistry.swift)
  uintptr_t job;                   // the job of a task that runs here, and for whom (QueueJob.swift); 0: none that counts
  uint64_t items;                  // how many items run here, one inside the other, whose begin the register of tasks got
  struct sb_part parts[SB_PARTS];
};
SB_INLINE struct sb_part *_Nonnull sb_thread_parts(struct sb_thread *_Nonnull thread) { return thread->parts; }
// Where a record's words lie, for who reads another thread's by way of the kernel.
enum { SB_THREAD_FRAMES = offsetof(struct sb_thread, frames), SB_THREAD_SHARED = offsetof(struct sb_thread, shared_count) };
SB_INLINE uint64_t *_Nonnull sb_thread_shared(struct sb_thread *_Nonnull thread) { return thread->shared; }

// initial-exec: a plain %fs-relative access in executables and in libraries loaded at start, and it survives dlopen.
extern __thread struct sb_thread sb_thread_self __attribute__((tls_model("initial-exec")));
SB_INLINE struct sb_thread *_Nonnull sb_thread_get(void) { return &sb_thread_self; }

// Calls function(first, second); an exception that leaves it ends the program (barrier.c).
void sb_call_barred(const void *_Nonnull function, void *_Nullable first, uintptr_t second);

// The function that calls a block, which is its argument, and releases it: of the C face, null where that is not
// linked.
extern const void *_Nullable const sb_block_caller __attribute__((weak));
SB_INLINE const void *_Nullable sb_block_caller_value(void) { return &sb_block_caller ? sb_block_caller : 0; }

// The file name of the library that this code is part of; empty in a program. Asks the loader at the first call only,
// which in the child of a fork may be one too late.
const char *_Nonnull sb_own_library(void);

// The path of the file that the loader took the symbol from; null if there is none.
const char *_Nullable sb_file_defining(const char *_Nonnull symbol);

// The signal mask of threads of ours.
void sb_worker_mask(sigset_t *_Nonnull mask);

// The first byte is non-zero while anything optional is switched on; above it stands how often lock-order validation
// was switched on: see Instruments.swift. The processors of Linux and Swift have the low byte first.
extern uint64_t sb_instruments;
SB_INLINE uint8_t *_Nonnull sb_instruments_address(void) { return (uint8_t *)&sb_instruments; }
SB_INLINE uint64_t *_Nonnull sb_instruments_word(void) { return &sb_instruments; }

// The subscribers of events, one for each bit of that byte: written while images are loaded (Events.swift). Here
// because Swift checks each read of a variable that other code may write, by two calls.
typedef void (*sb_subscriber)(uint8_t kind, uintptr_t object, uint64_t second, uint64_t third, uintptr_t site);
extern sb_subscriber _Nullable sb_subscriber_table[8];
SB_INLINE sb_subscriber _Nullable *_Nonnull sb_subscribers(void) { return sb_subscriber_table; }

// Non-zero in the child of a fork.
extern uint8_t sb_forked_child;
SB_INLINE uint8_t *_Nonnull sb_forked_child_address(void) { return &sb_forked_child; }

// Slot tables: how often each id was given out, and the ids that are free. Untouched pages cost nothing.
#define SB_SLOT_COUNT 65536
extern uint8_t sb_slot_generations[SB_SLOT_COUNT];
SB_INLINE uint8_t *_Nonnull sb_slot_generations_address(void) { return sb_slot_generations; }
extern uint16_t sb_slot_free[SB_SLOT_COUNT];
SB_INLINE uint16_t *_Nonnull sb_slot_free_address(void) { return sb_slot_free; }

// A table of places (PlaceTable.swift): how many were handed out for the first time, the sheaves that no thread has,
// and its segments, each by the address at which its place 0 would lie. All zero at first.
enum { SB_PLACE_SEGMENTS = 17 };
struct sb_places {
  uint64_t used;
  uint64_t free;
  uint64_t padding[6];  // the others are read with every queue that is made, and hardly ever change
  uint64_t segments[SB_PLACE_SEGMENTS];
};
// That of the process's queues.
extern struct sb_places sb_queue_places;
SB_INLINE struct sb_places *_Nonnull sb_queue_places_address(void) { return &sb_queue_places; }

// Which thread has the slot, and where its record (struct sb_thread) is: read by whoever reads other threads.
struct sb_slot {
  uint64_t who;     // the owner value in the low half, the kernel's number of the thread above; 0: nobody
  uint64_t record;
};
extern struct sb_slot sb_slots[SB_SLOT_COUNT];
SB_INLINE struct sb_slot *_Nonnull sb_slot_at(uint64_t slot) { return &sb_slots[slot]; }

// What a sleeping thread waits for, one per slot: written by its own thread before it parks, read by whoever searches
// for cycles. All 64-bit words, so that every access can be atomic (WaitRecord.swift). Untouched pages cost nothing.
enum { SB_WAIT_WORDS = 6, SB_WAIT_FRAMES = 16, SB_WAIT_SHARED = 8, SB_WAIT_STACK = 64 };
// What is remembered of a walk along the stack: where it began, and where each address but the first was, as distances
// from the end of the stack, which another thread's may be. If all are still there, so is the stack that was seen.
struct sb_walk_memo {
  uint64_t begin, high, count;
  uint64_t changes;  // how often another stack was found
  uint32_t slots[SB_WAIT_STACK];
};
struct sb_wait {
  uint64_t sequence;       // odd while it is being written
  uint64_t owner;          // the waiting thread
  uint64_t tid;
  uint64_t what;           // kind of wait and flags; 0: not waiting
  uint64_t object;         // address of the object waited for
  uint64_t since;          // uptime, nanoseconds
  uint64_t park;           // address of the word slept on, and the value it had; 0: not to be judged by it
  uint64_t park_value;
  uint64_t counts;         // words, frames, shared locks and return addresses in use: 8 bits each
  uint64_t words[SB_WAIT_WORDS];    // where the owner of what is waited for is written
  uint64_t frames[SB_WAIT_FRAMES];  // what the thread is inside of, innermost first
  uint64_t shared[SB_WAIT_SHARED];  // reader-writer locks it holds for reading
  uint64_t stack[SB_WAIT_STACK];    // return addresses
  struct sb_walk_memo memo;         // of these; its own thread's alone
};
extern struct sb_wait sb_waits[SB_SLOT_COUNT];
SB_INLINE struct sb_wait *_Nonnull sb_wait_at(uint64_t slot) { return &sb_waits[slot]; }
SB_INLINE struct sb_walk_memo *_Nonnull sb_wait_memo(uint64_t slot) { return &sb_waits[slot].memo; }
SB_INLINE const uint32_t *_Nonnull sb_memo_slots(const struct sb_walk_memo *_Nonnull memo) { return memo->slots; }

// What the lock instruments know of each thread (HeldStack.swift): the address of its memory, which is never unmapped,
// or 0.
extern uint64_t sb_held[SB_SLOT_COUNT];
SB_INLINE uint64_t *_Nonnull sb_held_at(uint64_t slot) { return &sb_held[slot]; }

// Set by the pool: told before and after one of its workers sleeps in a lock or condition.
struct sb_block_hook {
  void (*_Nullable before)(int long_wait);
  void (*_Nullable after)(int long_wait);
};
extern struct sb_block_hook sb_block_hook;
SB_INLINE struct sb_block_hook *_Nonnull sb_block_hook_address(void) { return &sb_block_hook; }

SB_INLINE void sb_prefetch(const void *_Nonnull address) { __builtin_prefetch(address); }
SB_INLINE void sb_prefetch_to_write(const void *_Nonnull address) { __builtin_prefetch(address, 1); }

SB_INLINE void sb_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb");
#endif
}

// No instruction: the compiler moves no access of memory across it.
SB_INLINE void sb_keep_order(void) { __asm__ __volatile__("" ::: "memory"); }

// A cheap counter that grows with time, for measuring short spans against each other.
SB_INLINE uint64_t sb_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return 0;
#endif
}

// Each returns the call's result, or the negated errno.
// Sleepers choose a non-empty set of bits; wakers reach those with a bit of theirs.
int sb_futex_wait(const uint32_t *_Nonnull word, uint32_t expected, const struct timespec *_Nullable deadline, int realtime, uint32_t set);
int sb_futex_wake(const uint32_t *_Nonnull word, int count, uint32_t set);
// Copies memory of this process that may not be there any more: how many bytes, or the negated errno.
int64_t sb_read_memory(uintptr_t address, void *_Nonnull buffer, size_t count);
// A memory barrier on every running thread of this process; -EPERM before it has been registered for.
int sb_membarrier(void);
int sb_membarrier_register(void);
int sb_gettid(void);
// Whether a thread of this process has that number of the kernel's.
int sb_thread_exists(int thread);
// Zero while this process has a thread of that number.
int sb_thread_probe(int tid);
int sb_set_thread_name(const char *_Nonnull name);
// The number of the processor that runs the calling thread at this moment; -1: unknown.
int sb_processor(void);
// By how much the kernel may prolong the calling thread's sleeps, to wake it with others; 0: as it was when the thread
// was made.
void sb_set_timer_slack(unsigned long nanoseconds);
int sb_thread_spawn(void *_Nullable (*_Nonnull body)(void *_Nonnull), void *_Nonnull argument, size_t stack_size);
// The signals that the calling thread blocks: bit n - 1 for signal n.
uint64_t sb_own_signals(void);
// The same as sb_thread_spawn, with that signal mask.
int sb_thread_spawn_open(void *_Nullable (*_Nonnull body)(void *_Nonnull), void *_Nonnull argument, size_t stack_size, uint64_t signals);
// Ends the calling thread, running its end's handlers.
void sb_thread_exit(void) __attribute__((noreturn));
// The niceness of a thread of this process, by the kernel's number: set it; 20 minus it, -1 if there is no such thread.
int sb_set_niceness(int thread, int niceness);
int sb_niceness(int thread);
// How the kernel is to serve a thread of this process, by the kernel's number, 0 for the caller: as one that computes
// for long, with that niceness, in turns of that many nanoseconds (0: the kernel's own length). -errno when it refuses.
int sb_settle_thread(int thread, int is_batch, int niceness, uint64_t slice);
// What programs started from workers shall have blocked: bit n - 1 for signal n (spawn.c).
extern uint64_t sb_program_signals;
// Whether a thread's mask, as the kernel showed it, is one that the thread has for a moment only.
int sb_mask_is_passing(uint64_t mask);
SB_INLINE uint64_t *_Nonnull sb_program_signals_address(void) { return &sb_program_signals; }
// In the child of a fork: a worker's full mask becomes the program's.
void sb_restore_signals_in_child(void);
int sb_thread_at_exit(void (*_Nonnull handler)(void));
int sb_stack_bounds(uintptr_t *_Nonnull low, uintptr_t *_Nonnull high);
int sb_at_fork(void (*_Nonnull before)(void), void (*_Nonnull in_parent)(void), void (*_Nonnull in_child)(void));
int sb_at_fork_child(void (*_Nonnull handler)(void));
int sb_affinity_count(void);
int sb_epoll_create(void);
enum { SB_EPOLL_ADD = 1, SB_EPOLL_REMOVE = 2, SB_EPOLL_MODIFY = 3 };  // the kernel's numbers
int sb_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t data);
int sb_epoll_wait(int epoll, uint64_t *_Nonnull data, uint32_t *_Nonnull events, int capacity, const struct timespec *_Nullable timeout);
// What kind of open file a descriptor names, and which: for telling a descriptor from another that got its number.
struct sb_status {
  uint64_t device, inode;
  uint64_t special;      // of a device file: which device
  int64_t size;          // of a regular file: bytes
  uint32_t kind;         // the kernel's S_IFMT bits
};
int sb_status(int descriptor, struct sb_status *_Nonnull status);
int64_t sb_offset(int descriptor);
// Bytes that can be read, bytes that are written and not yet taken by the other side, the most that may be.
int sb_bytes_readable(int descriptor);
int sb_bytes_unsent(int descriptor);
int sb_send_buffer(int descriptor);
int sb_pipe_capacity(int descriptor);
// Whether the file lies in memory alone, on a tmpfs.
int sb_is_in_memory(int descriptor);
int sb_eventfd(void);
int sb_timerfd(int clock);
int sb_timerfd_arm(int descriptor, int64_t seconds, int64_t nanoseconds, int cancel_on_set);
int64_t sb_read(int descriptor, void *_Nonnull buffer, size_t count);
int64_t sb_write(int descriptor, const void *_Nonnull buffer, size_t count);
// A write that raises no SIGPIPE, whatever the thread's mask.
int64_t sb_write_quiet(int descriptor, const void *_Nonnull buffer, size_t count);
int64_t sb_getrandom(void *_Nonnull buffer, size_t count);
// Reading and writing for others. An offset below zero is the file pointer, which then moves.
enum { SB_PIECES = 64 };
struct sb_piece {
  const void *_Nonnull base;
  size_t count;
};
enum { SB_WRITE_PLAIN, SB_WRITE_QUIET, SB_WRITE_SOCKET };  // the latter two raise no SIGPIPE
int64_t sb_read_at(int descriptor, void *_Nonnull buffer, size_t count, int64_t offset);
int64_t sb_write_pieces(int descriptor, const struct sb_piece *_Nonnull pieces, int count, int64_t offset, int how);
int sb_open(const char *_Nonnull path, int flags, mode_t mode);
int sb_close(int descriptor);
// The status flags (O_NONBLOCK and others), and setting them.
int sb_status_flags(int descriptor);
int sb_set_status_flags(int descriptor, int flags);
// The caller's return addresses (unwind.c), innermost first; of frames below the address `above` none: 0 leaves out
// nothing. The stack ends at `high`.
int sb_walk(uintptr_t *_Nonnull frames, int capacity, uintptr_t above, uintptr_t high);
// The same without functions of this library, where it is one of its own and no part of the program.
int sb_walk_program(uintptr_t *_Nonnull frames, int capacity, uintptr_t above, uintptr_t high);
// The same as sb_walk for who has walked before and kept what he got, at `known`: 0 if that is still the stack, and
// `frames` is left alone. At most SB_WAIT_STACK addresses.
int sb_walk_again(struct sb_walk_memo *_Nonnull memo, const uint64_t *_Nonnull known, uintptr_t *_Nonnull frames, int capacity,
                  uintptr_t high);
// Goes on from the last of `count` addresses, whose registers are given, on a stack whose end is not known. How many
// there are then.
int sb_walk_on(uintptr_t *_Nonnull frames, int count, int capacity, uintptr_t stack, uintptr_t pointer);
// The stack pointer before the call of a function that has the frame pointer `frame` at the address `place`, by the
// unwind tables.
uintptr_t sb_above_frame(uintptr_t frame, uintptr_t place);
// The path of the program or library that is loaded at the address, empty for the program itself; null where that is
// not known without a lock.
const char *_Nullable sb_object_of(uintptr_t address);
// Stacks by unwind tables (stack.c): whether that is possible here without locks; the caller's own, from its caller
// outward. How many addresses, or the negated errno.
enum { SB_UNWIND_FRAMES = 128 };
int sb_unwind_ready(void);
int sb_unwind_self(uintptr_t *_Nonnull frames, int capacity);
// Another thread's, which is asked by the signal; not to be called by two threads at once. -ETIMEDOUT: it does not
// answer.
int sb_unwind_thread(int tid, int number, int milliseconds, uintptr_t *_Nonnull frames, int capacity);
// The same of a thread that sleeps in the kernel with these registers (sleeping.c), which has no part in it; from its
// program counter outward. At least one. Why it ended goes to `end`. A thread that goes on meanwhile makes addresses
// wrong, and harms nothing: who asks finds out whether it has.
enum sb_stack_end { SB_STACK_WHOLE, SB_STACK_NO_TABLE, SB_STACK_NO_POINTER, SB_STACK_UNREADABLE };
int sb_unwind_sleeping(uintptr_t place, uintptr_t stack, uintptr_t *_Nonnull frames, int capacity, int *_Nonnull end);
// The same of a thread of another process, running or in a dump. A file that it has mapped lies from `start` to `end`;
// `copy` has the bytes with the unwind table whose `header` is one of them, null if there is none, and lies `distance`
// bytes behind the same bytes over there.
struct sb_other_image {
  uintptr_t start, end;
  intptr_t distance;
  const uint8_t *_Nullable header, *_Nullable copy;
  size_t size;
};
struct sb_other_process {
  // Copies all of the bytes, and returns 1; or 0.
  int (*_Nonnull read)(const void *_Nullable context, uintptr_t from, void *_Nonnull to, size_t count);
  const void *_Nullable context;
  const struct sb_other_image *_Nonnull images;
  int count;
};
// `pointer`: the frame pointer, of a thread in a dump; null where it is not known.
int sb_unwind_other(const struct sb_other_process *_Nullable process, uintptr_t place, uintptr_t stack, const uintptr_t *_Nullable pointer,
                    uintptr_t *_Nonnull frames, int capacity, int *_Nonnull end);
// Whether the function at `address` is the one that answers such a request.
int sb_unwinds(uintptr_t address);
// The Swift runtime's ways with names (names.c): as people say it, in full; from malloc, or null where the runtime is
// none that knows.
char *_Nullable sb_name_for_people(const char *_Nonnull name, size_t length);
char *_Nullable sb_name_in_full(const char *_Nonnull name, size_t length);
int sb_is_thunk(const char *_Nonnull name);
// What the runtime of Swift's tasks says of them (runtime.c): the word that each begins with, its bytes, the version of
// the layout, and the runtime's functions with which a task begins and with which one goes on that has waited for
// another. 0: it is not there.
struct sb_task_runtime {
  uintptr_t kind, size;
  uint32_t version;
  uintptr_t starters[2], resumers[2];
};
int sb_read_task_runtime(struct sb_task_runtime *_Nonnull runtime);
// Where that runtime keeps its words of a thread, one of which is the task that the thread runs (runtime.c): how far
// from the thread's `sb_thread` they begin, the same for all threads, and how many bytes they are. 0 bytes: it is not
// known.
struct sb_task_words {
  intptr_t distance;
  size_t size;
};
struct sb_task_words sb_task_words(void);
// An address in the code of each of Signalbox's modules in this image (code.c), and how many there are; null for none.
const uintptr_t *_Nullable sb_code_marks(size_t *_Nonnull count);
// Whether the address lies in Signalbox's own C code.
int sb_is_own_code(uintptr_t address);
// Whether nobody has told the system what to do with the signal.
int sb_signal_is_free(int number);
// Ends the program by SIGABRT (ending.c), without the Swift runtime's backtrace; whether a handler is the one that
// makes it.
void sb_end(void) __attribute__((noreturn));
int sb_is_backtracer(uintptr_t handler);
// Signals that are monitored (signals.c): each subscription to a signal must be ended. Counts grow before the event
// becomes readable.
void sb_signal_event(int descriptor);
int sb_signal_watch(int number);
void sb_signal_unwatch(int number);
uint64_t sb_signal_count(int number);
// Whether the calling thread takes the signal.
int sb_signal_take_here(int number, int whether);
// In the child of a fork: signals do what the program asked for.
void sb_signals_in_child(void);
int sb_secure_execution(void);
// Whether the program runs under the thread sanitizer; what follows has no effect otherwise.
SB_INLINE int sb_is_sanitized(void) { return __tsan_acquire != 0; }
// Where a function of the sanitizer's runtime lies; 0 without it.
SB_INLINE uintptr_t sb_sanitizer_address(void) { return (uintptr_t)__tsan_acquire; }
// What comes before `release` of an address comes before what follows the next `acquire` of it.
SB_INLINE void sb_sanitizer_acquire(uintptr_t address) { if (__tsan_acquire) __tsan_acquire((void *)address); }
SB_INLINE void sb_sanitizer_release(uintptr_t address) { if (__tsan_release) __tsan_release((void *)address); }
// What is needed of a libdispatch to reach its main queue.
struct sb_libdispatch {
  void *_Nullable main_queue;
  void *_Nullable port;
  void *_Nullable callback;
  void *_Nullable async;
  void *_Nullable set_specific;
  void *_Nullable get_specific;
};
// The one this image is linked with; all null without one.
struct sb_libdispatch sb_linked_libdispatch(void);
// The address of a symbol that is loaded, or null. Loads nothing.
void *_Nullable sb_find_symbol(const char *_Nonnull name);
// Where the executable or library that holds `address` begins, or null.
const void *_Nullable sb_image_of(const void *_Nonnull address);
// The calling thread's name, 15 bytes and a zero.
void sb_own_thread_name(char *_Nonnull name);
int sb_at_process_exit(void (*_Nonnull handler)(void));
// Waits until one of two descriptors is readable or at its end: bit 0 for the first, bit 1 for the second, 0 after the
// time. A negative descriptor is left out.
int sb_poll_readable(int descriptors[_Nonnull 2], int milliseconds);
// The mutexes of Foundation's lock objects (hooked.c). The thread that uses one reports: it was made; it is no more;
// it is waited for without limit; it is held; it is about to be given back; a condition is about to give it back and to
// wait.
enum { SB_MUTEX_NONE = -1, SB_MUTEX_LOCK, SB_MUTEX_RECURSIVE, SB_MUTEX_CONDITION };
struct sb_mutex_watch {
  void (*_Nonnull made)(uintptr_t mutex, int kind);
  void (*_Nonnull gone)(uintptr_t mutex);
  void (*_Nonnull wanted)(uintptr_t mutex);
  void (*_Nonnull taken)(uintptr_t mutex);
  void (*_Nonnull given)(uintptr_t mutex);
  void (*_Nonnull waits)(uintptr_t mutex, int is_timed);
};
// Begins to report, for the life of the process and not in its forked children: while images are loaded, and no other
// thread runs. Foundation is not there; or it is another than is known, and nothing is reported.
enum { SB_WATCH_NOTHING, SB_WATCH_BEGUN, SB_WATCH_FAILED };
int sb_watch_mutexes(struct sb_mutex_watch watch);
// Whether the address lies in Foundation's image; which kind of mutex is made by the function it returns to.
int sb_is_watched_image(uintptr_t address);
int sb_watched_maker(uintptr_t address);
// The process is killed when the thread that started it ends.
int sb_end_with_parent(void);
int sb_leave_no_core(void);
// Programs that are started from here on lie at the same addresses each time; a container may refuse.
int sb_fix_addresses(void);
// Both ends close on exec: the first is read from, the second written to.
int sb_pipe(int *_Nonnull ends);
// A file in memory, without a name; closes on exec.
int sb_memory_file(void);
// Has a program about to be spawned close all descriptors from `first` on; without effect before glibc 2.34.
void sb_spawn_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first);
char *_Nullable *_Nullable sb_environment(void);
int64_t sb_attribute_size(const char *_Nonnull path, const char *_Nonnull name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
