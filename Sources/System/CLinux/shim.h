// Calls of Linux and of the GNU C library that Swift's own module of them leaves out.
#include <fcntl.h>
#include <asm/socket.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int pipe2(int descriptors[2], int flags);

static inline int lanyard_pidfd_open(pid_t process)
{
    return (int)syscall(SYS_pidfd_open, process, 0);
}

static inline int lanyard_pidfd_send_signal(int descriptor, int signal)
{
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, 0, 0);
}

static const int lanyard_so_peercred = SO_PEERCRED;

// Since Linux 6.5; headers may be older than the kernel.
#ifdef SO_PEERPIDFD
static const int lanyard_so_peerpidfd = SO_PEERPIDFD;
#else
static const int lanyard_so_peerpidfd = 77;
#endif

/// Starts a program that leads a group of its own, in the folder `/`, with no signal blocked or ignored. Programs that lose
/// their parent, and come from it, get it as their parent in place of the system's first process: it is their subreaper
/// (prctl(2)), whether they are in its session or not.
///
/// - Parameters:
///   - arguments: the first is the program's name; NULL ends them, as it does the environment.
///   - descriptors: which of this process's become 0, 1, 2 and so on there. Others are closed.
/// - Returns: 0, or the number of the error.
int lanyard_spawn(
    pid_t *process, const char *path, char *const arguments[], char *const environment[], const int descriptors[], int count);

/// Lets no other program of the user read this one's memory, or take it over: it is not dumpable (prctl(2)). Root still can.
void lanyard_hide_memory(void);

/// Gives free memory of the heap back to the system, and what is in memory of the files of this program and its libraries.
void lanyard_give_back_memory(void);

/// Has Swift's tasks run by somebody else than Dispatch. NIO's `unsafeTryInstall…GlobalExecutor` is the same, but looks the
/// hook up by its name, which a statically linked program does not have.
void lanyard_run_tasks(void (*enqueue)(void *job));
