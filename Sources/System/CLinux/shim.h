// System calls and constants of Linux and the GNU C library that Swift's Glibc module does not have.
#include <fcntl.h>
#include <asm/socket.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <unistd.h>

int pipe2(int descriptors[2], int flags);

void *memmem(const void *text, size_t length, const void *word, size_t word_length);

static inline int lanyard_pidfd_open(pid_t process)
{
    return (int)syscall(SYS_pidfd_open, process, 0);
}

static inline int lanyard_pidfd_send_signal(int descriptor, int signal)
{
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, 0, 0);
}

/// Whether a program keeps the clock right, as the kernel knows it (adjtimex(2)).
/// - Returns: 1 or 0; -1 if the kernel does not tell, as in some containers.
static inline int lanyard_clock_is_kept(void)
{
    struct timex state = {0};
    if (adjtimex(&state) < 0) return -1;
    return !(state.status & STA_UNSYNC);
}

static const int lanyard_so_peercred = SO_PEERCRED;

// Defined here too, because the headers may be older than the kernel. Linux 6.5 and later have it.
#ifdef SO_PEERPIDFD
static const int lanyard_so_peerpidfd = SO_PEERPIDFD;
#else
static const int lanyard_so_peerpidfd = 77;
#endif

/// Starts a program in a process group of its own, in the folder `/`, with no signal blocked or ignored. The program is
/// a subreaper (prctl(2)): descendants whose parent exits become its children, even if they have their own session.
///
/// - Parameters:
///   - arguments: begins with the program's name. This array and the environment end with NULL.
///   - descriptors: descriptors of this process that become 0, 1, 2 and so on in the program. All others are closed
///     there.
/// - Returns: 0, or an errno value.
int lanyard_spawn(
    pid_t *process, const char *path, char *const arguments[], char *const environment[], const int descriptors[], int count);

/// Makes the process not dumpable (prctl(2)), so that no other program of the user can read its memory or trace it.
/// Root still can.
void lanyard_hide_memory(void);

/// Has the kernel kill this process as soon as the thread that has started it ends (prctl(2), `PR_SET_PDEATHSIG`). If that has
/// ended before, nothing happens.
void lanyard_end_with_parent(void);

/// Returns free heap memory to the system, and the pages of the program and its libraries that can be read from their
/// files again.
void lanyard_give_back_memory(void);

/// Makes Swift's global executor pass its jobs to `enqueue` instead of Dispatch. NIO's
/// `unsafeTryInstall…GlobalExecutor` does the same, but looks the hook up by name, which fails in a statically linked
/// program.
void lanyard_run_tasks(void (*enqueue)(void *job));
