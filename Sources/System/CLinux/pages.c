#define _GNU_SOURCE
#include "shim.h"

#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>

static int give_back(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size, (void)context;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int number = 0; number < object->dlpi_phnum; number++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[number];
        // Skip segments that were writable, for example for relocations: their contents may differ from the file and
        // would be lost.
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W)
            continue;
        const uintptr_t address = object->dlpi_addr + segment->p_vaddr;
        const uintptr_t start = address & -page, end = (address + segment->p_filesz + page - 1) & -page;
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void lanyard_hide_memory(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void lanyard_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

void lanyard_give_back_memory(void)
{
    malloc_trim(0);
    dl_iterate_phdr(give_back, NULL);
}
