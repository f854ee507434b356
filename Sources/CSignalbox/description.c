// description.c: the table that describes this process to whoever reads its memory, and the note by which it is found.
#include "Shared/own_code.h"
#define _GNU_SOURCE
#include "description.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/uio.h>

uint64_t sb_description[SB_DESCRIPTION_WORDS];

// A note of the name "Signalbox" and the kind 1. It says how far behind its own contents the table lies. A note stays where the symbols are
// taken out of a file, and lies among what is loaded.
__asm__(
    ".pushsection .note.signalbox, \"a\", %note\n"
    ".balign 4\n"
    ".long 10, 8, 1\n"
    ".asciz \"Signalbox\"\n"
    ".balign 4\n"
    ".quad sb_description - .\n"
    ".popsection\n");

int64_t sb_read_memory_of(int thread, uintptr_t address, void *buffer, size_t count) {
  struct iovec here = {buffer, count}, there = {(void *)address, count};
  ssize_t got = process_vm_readv(thread, &here, 1, &there, 1, 0);
  return got < 0 ? -errno : got;
}

bool sb_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1; }

// A kernel without Yama knows no such call, and needs none.
void sb_allow_readers(void) { prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); }
