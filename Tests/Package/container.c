// container.c: runs a command in another root as Docker would by default: with its capabilities only, and with what its default filter of
// system calls refuses refused. For Scripts/check-package.
//
//   container ROOT COMMAND [ARGUMENT...]
//
// Docker's filter names the calls that are permitted; this one names those that are not, of the ones that Linux has. ptrace and
// process_vm_readv are refused as well, as Docker does on older kernels, and so is io_uring, as its newer releases do.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#else
#error "container.c knows x86-64 and aarch64"
#endif

// All calls after this one are refused, too: the filter does not know them.
enum { newest = SYS_futex_waitv };

static const int refused[] = {
  SYS_acct, SYS_add_key, SYS_bpf, SYS_clock_settime, SYS_delete_module, SYS_fanotify_init, SYS_finit_module, SYS_fsconfig, SYS_fsmount,
  SYS_fsopen, SYS_fspick, SYS_get_mempolicy, SYS_init_module, SYS_io_uring_enter, SYS_io_uring_register, SYS_io_uring_setup, SYS_kcmp,
  SYS_kexec_load, SYS_keyctl, SYS_mbind, SYS_migrate_pages, SYS_mount, SYS_mount_setattr, SYS_move_mount, SYS_move_pages,
  SYS_nfsservctl, SYS_open_by_handle_at, SYS_open_tree, SYS_perf_event_open, SYS_pidfd_getfd, SYS_pivot_root, SYS_process_madvise,
  SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace, SYS_quotactl, SYS_quotactl_fd, SYS_reboot, SYS_request_key, SYS_set_mempolicy,
  SYS_setdomainname, SYS_sethostname, SYS_setns, SYS_settimeofday, SYS_swapoff, SYS_swapon, SYS_syslog, SYS_umount2, SYS_unshare,
  SYS_userfaultfd, SYS_vhangup,
#ifdef __x86_64__
  SYS__sysctl, SYS_afs_syscall, SYS_create_module, SYS_get_kernel_syms, SYS_getpmsg, SYS_ioperm, SYS_iopl, SYS_kexec_file_load,
  SYS_putpmsg, SYS_query_module, SYS_security, SYS_sysfs, SYS_tuxcall, SYS_uselib, SYS_ustat, SYS_vserver,
#endif
};

// The kinds of addresses and kernels that a program may ask for; "as it is" is asked by all ones.
static const unsigned permitted_personalities[] = {0, 8, 0x20000, 0x20008, 0xffffffff};

// CLONE_NEWNS and the others that make namespaces.
enum { namespaces = 0x7e020000, vsock = 40 };

static const int kept[] = {
  CAP_AUDIT_WRITE, CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_KILL, CAP_MKNOD, CAP_NET_BIND_SERVICE, CAP_NET_RAW,
  CAP_SETFCAP, CAP_SETGID, CAP_SETPCAP, CAP_SETUID, CAP_SYS_CHROOT,
};

static struct sock_filter code[256];
static unsigned short length;

static void add(unsigned short what, unsigned char if_true, unsigned char if_false, unsigned value) {
  code[length++] = (struct sock_filter){what, if_true, if_false, value};
}
static void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)offset); }
static void answer(unsigned value) { add(BPF_RET | BPF_K, 0, 0, value); }
static void refuse_if_equal(unsigned value, int error) {
  add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
  answer(SECCOMP_RET_ERRNO | (unsigned)error);
}
static size_t argument(int number) { return offsetof(struct seccomp_data, args) + 8 * (size_t)number; }

static int install(void) {
  load(offsetof(struct seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, MACHINE);
  answer(SECCOMP_RET_ERRNO | EPERM);
  load(offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) refuse_if_equal((unsigned)refused[i], EPERM);
  refuse_if_equal(SYS_clone3, ENOSYS);
  add(BPF_JMP | BPF_JGT | BPF_K, 0, 1, newest);
  answer(SECCOMP_RET_ERRNO | EPERM);

  unsigned short count = sizeof permitted_personalities / sizeof *permitted_personalities;
  add(BPF_JMP | BPF_JEQ | BPF_K, 0, (unsigned char)(2 * count + 2), SYS_personality);
  load(argument(0));
  for (int i = 0; i < count; i++) {
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, permitted_personalities[i]);
    answer(SECCOMP_RET_ALLOW);
  }
  answer(SECCOMP_RET_ERRNO | EPERM);
  add(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, SYS_clone);
  load(argument(0));
  add(BPF_JMP | BPF_JSET | BPF_K, 0, 1, namespaces);
  answer(SECCOMP_RET_ERRNO | EPERM);
  answer(SECCOMP_RET_ALLOW);
  add(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SYS_socket);
  load(argument(0));
  refuse_if_equal(vsock, EPERM);
  answer(SECCOMP_RET_ALLOW);

  struct sock_fprog program = {length, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int drop(void) {
  for (int right = 0; right <= 63; right++) {
    int is_kept = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) is_kept |= kept[i] == right;
    // Numbers that this kernel does not have are refused.
    if (!is_kept && prctl(PR_CAPBSET_DROP, right, 0, 0, 0) && errno != EINVAL) return -1;
  }
  return 0;
}

int main(int count, char **words) {
  if (count < 3) {
    fprintf(stderr, "usage: container ROOT COMMAND [ARGUMENT...]\n");
    return 64;
  }
  if (chroot(words[1]) || chdir("/")) return perror(words[1]), 69;
  if (drop()) return perror("container: capabilities"), 69;
  if (install()) return perror("container: the filter of system calls"), 69;
  execvp(words[2], words + 2);
  return perror(words[2]), 127;
}
