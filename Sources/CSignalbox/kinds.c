// kinds.c: the bodies of the wrappers declared in kinds.h. One call each; errno becomes a negative result.
#include "Shared/own_code.h"
#define _GNU_SOURCE
#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The same number on all processors; older headers lack it.
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000U
#endif

static long result(long value) { return value < 0 ? -errno : value; }

int sb_pidfd_open(int process) { return (int)result(syscall(SYS_pidfd_open, process, 0)); }

int sb_process_connector(void) {
  return (int)result(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR));
}

int sb_process_connector_bind(int descriptor) {
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
  return (int)result(bind(descriptor, (struct sockaddr *)&address, sizeof address));
}

int64_t sb_netlink_receive(int descriptor, void *buffer, size_t count, uint32_t *sender) {
  struct sockaddr_nl address = {.nl_pid = ~0u};
  socklen_t size = sizeof address;
  long received = result(recvfrom(descriptor, buffer, count, MSG_DONTWAIT, (struct sockaddr *)&address, &size));
  *sender = address.nl_pid;
  return received;
}

int sb_inotify_open(void) { return (int)result(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)); }

int sb_inotify_add(int inotify, const char *path, uint32_t mask) { return (int)result(inotify_add_watch(inotify, path, mask)); }

int sb_inotify_remove(int inotify, int watch) { return (int)result(inotify_rm_watch(inotify, watch)); }

int sb_mount_of(int descriptor, uint64_t *mount) {
  struct statx facts = {0};
  long asked = result(statx(descriptor, "", AT_EMPTY_PATH, STATX_MNT_ID, &facts));
  if (asked < 0) return (int)asked;
  if (!(facts.stx_mask & STATX_MNT_ID)) return -ENOSYS;  // before Linux 5.8
  *mount = facts.stx_mnt_id;
  return 0;
}

int sb_message_pair(int ends[2]) {
  return (int)result(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends));
}

int64_t sb_message_send(int descriptor, const void *buffer, size_t count) {
  return result(send(descriptor, buffer, count, MSG_DONTWAIT | MSG_NOSIGNAL));
}

int64_t sb_message_receive(int descriptor, void *buffer, size_t count) {
  return result(recv(descriptor, buffer, count, MSG_DONTWAIT | MSG_TRUNC));
}

int64_t sb_message_peek(int descriptor) {
  char none;
  return result(recv(descriptor, &none, 0, MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC));
}

int sb_socket_kind(int descriptor) {
  int kind = 0;
  socklen_t size = sizeof kind;
  long asked = result(getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size));
  return asked < 0 ? (int)asked : kind;
}

int sb_message_socket_kind(void) { return SOCK_SEQPACKET; }

int sb_duplicate(int descriptor) { return (int)result(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }

int sb_set_inherited(int descriptor, int inherited) {
  return (int)result(fcntl(descriptor, F_SETFD, inherited ? 0 : FD_CLOEXEC));
}

int sb_signal_disposition(int number) {
  struct sigaction now;
  long asked = result(sigaction(number, NULL, &now));
  if (asked < 0) return (int)asked;
  if (now.sa_flags & SA_SIGINFO) return SB_SIGNAL_HANDLED;
  return now.sa_handler == SIG_DFL ? SB_SIGNAL_DEFAULT : now.sa_handler == SIG_IGN ? SB_SIGNAL_IGNORED : SB_SIGNAL_HANDLED;
}

uintptr_t sb_signal_function(int number) {
  struct sigaction now;
  if (sigaction(number, NULL, &now)) return 0;
  if (now.sa_flags & SA_SIGINFO) return (uintptr_t)now.sa_sigaction;
  return now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN ? 0 : (uintptr_t)now.sa_handler;
}

int sb_poll_now(int descriptor, int events) {
  struct pollfd one = {.fd = descriptor, .events = (short)events};
  long ready = result(poll(&one, 1, 0));
  return ready <= 0 ? (int)ready : one.revents;
}

int sb_open_private(const char *path, int writable) {
  return (int)result(open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}
