// kinds.c: who can make a descriptor ready: the process itself, what it has started, or anybody. Kept as descriptors are made and closed.
#include "face.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

// What is not made here, or not known, is somebody else's.
enum { UNKNOWN = 0, EVENT = 1, PIPE = 2, SET = 3, SOCKET = 4 };
enum { MOST_DESCRIPTORS = 4096 };
static uint8_t kinds[MOST_DESCRIPTORS];
// The file of a pipe or socket: the number may have gone to another by a way that is not seen (`fclose`).
static uint64_t files[MOST_DESCRIPTORS];
// The epoll set that a descriptor is in, plus one.
static uint16_t member[MOST_DESCRIPTORS];
// Whether a set may hold something besides its members here: a descriptor that is in two sets, or was closed without being taken out (a
// copy of it may live on), or has too high a number.
static uint8_t holds_more[MOST_DESCRIPTORS];
// One more than the highest that was noted.
static int end;

static int is_known(int descriptor) { return descriptor >= 0 && descriptor < MOST_DESCRIPTORS; }

static uint64_t file_of(int descriptor) {
  struct stat status;
  return CALL(SYS_fstat, descriptor, &status, 0, 0, 0, 0) == 0 ? status.st_ino : 0;
}
static void note(int descriptor, int kind) {
  if (!is_known(descriptor)) return;
  kinds[descriptor] = (uint8_t)kind;
  files[descriptor] = kind == PIPE || kind == SOCKET ? file_of(descriptor) : 0;
  member[descriptor] = 0;
  holds_more[descriptor] = 0;
  if (descriptor >= end) end = descriptor + 1;
}
static void forget(int descriptor) {
  if (!is_known(descriptor)) return;
  if (member[descriptor] && kinds[descriptor] != EVENT) holds_more[member[descriptor] - 1] = 1;
  for (int i = 0; kinds[descriptor] == SET && i < end; i++) if (member[i] == descriptor + 1) member[i] = 0;
  note(descriptor, UNKNOWN);
}

EXPORT int epoll_ctl(int set, int operation, int descriptor, struct epoll_event *event) {
  int result = REAL(epoll_ctl)(set, operation, descriptor, event);
  if (result == 0 && is_known(set)) {
    if (!is_known(descriptor)) holds_more[set] = 1;
    else if (operation == EPOLL_CTL_DEL) member[descriptor] = 0;
    else if (operation == EPOLL_CTL_ADD) {
      if (member[descriptor]) holds_more[member[descriptor] - 1] = 1;
      member[descriptor] = (uint16_t)(set + 1);
    }
  }
  sbx_io_changed();
  return result;
}

// --- whose a socket's other end is ---

// An address, longer than any that is compared.
struct address { struct sockaddr_storage of; socklen_t size; };
static int ask(long question, int descriptor, struct address *address) {
  *address = (struct address){.size = sizeof address->of};
  return CALL(question, descriptor, &address->of, &address->size, 0, 0, 0) == 0 && address->size > sizeof(sa_family_t);
}
static int are_alike(const struct address *one, const struct address *other) {
  return one->size == other->size && memcmp(&one->of, &other->of, one->size) == 0;
}
static int option(int descriptor, int which) {
  int value = 0;
  socklen_t size = sizeof value;
  return CALL(SYS_getsockopt, descriptor, SOL_SOCKET, which, &value, &size, 0) == 0 ? value : 0;
}
// Whether another socket of this process has `own` as its peer, and the address `peer` unless that is null.
static int is_other_end(int descriptor, const struct address *own, const struct address *peer) {
  for (int i = 0; i < end; i++) {
    struct address its;
    if (i == descriptor || kinds[i] != SOCKET || !ask(SYS_getpeername, i, &its) || !are_alike(own, &its)) continue;
    if (!peer || (ask(SYS_getsockname, i, &its) && are_alike(peer, &its))) return 1;
  }
  return 0;
}
static int is_bound_here(const struct address *address) {
  for (int i = 0; i < end; i++) {
    struct address its;
    if (kinds[i] == SOCKET && ask(SYS_getsockname, i, &its) && are_alike(address, &its)) return 1;
  }
  return 0;
}
static int kind_of_socket(int descriptor) {
  if (option(descriptor, SO_ACCEPTCONN)) return SBX_LISTENING;
  struct address own, peer;
  int has_own = ask(SYS_getsockname, descriptor, &own), has_peer = ask(SYS_getpeername, descriptor, &peer);
  if (option(descriptor, SO_TYPE) == SOCK_DGRAM) {
    // Connected, it takes from its peer alone; else from anybody who knows of it.
    if (has_peer && is_bound_here(&peer)) return SBX_INHERITED;
    if (has_own && !has_peer && is_other_end(descriptor, &own, 0)) return SBX_LISTENING;
  } else if (has_own && has_peer && is_other_end(descriptor, &own, &peer)) {
    return SBX_INHERITED;
  }
  struct { int process, user, group; } credentials = {0, 0, 0};
  socklen_t size = sizeof credentials;
  if (option(descriptor, SO_DOMAIN) == AF_UNIX &&
      CALL(SYS_getsockopt, descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size, 0) == 0 &&
      credentials.process == (int)CALL(SYS_getpid, 0, 0, 0, 0, 0, 0)) return SBX_INHERITED;
  return SBX_OUTER;
}

int sbx_kind_of(int descriptor) {
  if (!is_known(descriptor) || (files[descriptor] && files[descriptor] != file_of(descriptor))) return SBX_OUTER;
  switch (kinds[descriptor]) {
    case EVENT: return SBX_INNER;
    case PIPE: return SBX_INHERITED;
    case SOCKET: return kind_of_socket(descriptor);
    case SET: break;
    default: return SBX_OUTER;
  }
  int worst = holds_more[descriptor] ? SBX_OUTER : SBX_INNER;
  for (int i = 0; i < end && worst != SBX_OUTER; i++) {
    if (member[i] != descriptor + 1) continue;
    int kind = sbx_kind_of(i);
    if (kind > worst) worst = kind;
  }
  return worst;
}

// --- what is made, and of which kind ---

EXPORT int epoll_create1(int flags) {
  fork_here();
  int result = REAL(epoll_create1)(flags);
  note(result, SET);
  return result;
}
EXPORT int epoll_create(int size) {
  fork_here();
  int result = REAL(epoll_create)(size);
  note(result, SET);
  return result;
}
EXPORT int eventfd(unsigned value, int flags) {
  fork_here();
  int result = REAL(eventfd)(value, flags);
  note(result, EVENT);
  return result;
}
EXPORT int pipe2(int ends[2], int flags) {
  fork_here();
  int result = REAL(pipe2)(ends, flags);
  if (result == 0) { note(ends[0], PIPE); note(ends[1], PIPE); }
  return result;
}
EXPORT int pipe(int ends[2]) { return pipe2(ends, 0); }
EXPORT int socketpair(int domain, int type, int protocol, int ends[2]) {
  fork_here();
  int result = REAL(socketpair)(domain, type, protocol, ends);
  if (result == 0) { note(ends[0], PIPE); note(ends[1], PIPE); }
  return result;
}
EXPORT int socket(int domain, int type, int protocol) {
  fork_here();
  int result = REAL(socket)(domain, type, protocol);
  note(result, SOCKET);
  return result;
}
void sbx_note_socket(int descriptor) { note(descriptor, SOCKET); }
void sbx_forget_timer(int descriptor);
// A copy is of the kind of what it is a copy of, but for a set, whose members it does not know.
static void note_copy(int result, int descriptor) {
  if (!sbx_self || result < 0 || result == descriptor) return;
  forget(result);
  sbx_forget_timer(result);
  int kind = is_known(descriptor) ? kinds[descriptor] : UNKNOWN;
  note(result, kind == SET ? UNKNOWN : kind);
}
EXPORT int dup(int descriptor) {
  int result = REAL(dup)(descriptor);
  note_copy(result, descriptor);
  return result;
}
EXPORT int dup3(int descriptor, int number, int flags) {
  int result = REAL(dup3)(descriptor, number, flags);
  note_copy(result, descriptor);
  return result;
}
EXPORT int dup2(int descriptor, int number) {
  int result = REAL(dup2)(descriptor, number);
  note_copy(result, descriptor);
  return result;
}

EXPORT int close(int descriptor) {
  if (sbx_self) {
    forget(descriptor);
    sbx_forget_timer(descriptor);
    sbx_io_changed();
  }
  return REAL(close)(descriptor);
}
EXPORT int close_range(unsigned first, unsigned last, int flags) {
  for (unsigned i = first; sbx_self && !(flags & CLOSE_RANGE_CLOEXEC) && i <= last && i < (unsigned)end; i++) {
    forget((int)i);
    sbx_forget_timer((int)i);
  }
  sbx_io_changed();
  return REAL(close_range)(first, last, flags);
}
EXPORT int shutdown(int descriptor, int how) {
  sbx_io_changed();
  return REAL(shutdown)(descriptor, how);
}

SANITIZED_AGAIN
