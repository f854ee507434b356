// kinds.h: the calls behind source kinds: processes, files, memory stalls, ports. As csignalbox.h: one call, one result, no logic.
#ifndef CSIGNALBOX_KINDS_H
#define CSIGNALBOX_KINDS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

// Each returns the call's result, or the negated errno. Descriptors close on exec, and reading or writing them never waits.
int sb_pidfd_open(int process);

// The socket on which the kernel reports forks, execs and ends of processes: opening, joining its group, asking and hearing.
// `sender` is 0 for what the kernel itself has sent.
int sb_process_connector(void);
int sb_process_connector_bind(int descriptor);
int64_t sb_netlink_receive(int descriptor, void *_Nonnull buffer, size_t count, uint32_t *_Nonnull sender);

int sb_inotify_open(void);
int sb_inotify_add(int inotify, const char *_Nonnull path, uint32_t mask);
int sb_inotify_remove(int inotify, int watch);

// The number of the mount that the descriptor was opened through.
int sb_mount_of(int descriptor, uint64_t *_Nonnull mount);

// A pair of connected sockets that keep messages apart: the first for the receiver, the second for senders.
int sb_message_pair(int ends[_Nonnull 2]);
// One message; -EAGAIN when there is no room or none waits. Sending raises no SIGPIPE. Receiving tells the message's whole size.
int64_t sb_message_send(int descriptor, const void *_Nonnull buffer, size_t count);
int64_t sb_message_receive(int descriptor, void *_Nonnull buffer, size_t count);
// The size of the message that waits, which stays.
int64_t sb_message_peek(int descriptor);
// The kind of a socket, as socket() takes it.
int sb_socket_kind(int descriptor);
int sb_message_socket_kind(void);
// The same open file under another number.
int sb_duplicate(int descriptor);
// Whether a program that is exec'd inherits the descriptor.
int sb_set_inherited(int descriptor, int inherited);
// What the program does with a signal.
enum { SB_SIGNAL_DEFAULT = 0, SB_SIGNAL_IGNORED = 1, SB_SIGNAL_HANDLED = 2 };
int sb_signal_disposition(int number);
// The address of the program's function for a signal; 0 where there is none.
uintptr_t sb_signal_function(int number);
// What of POLLIN, POLLPRI, POLLOUT, POLLERR and POLLHUP holds now.
int sb_poll_now(int descriptor, int events);
// Opens a file; `writable` for reading and writing, else for reading.
int sb_open_private(const char *_Nonnull path, int writable);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
