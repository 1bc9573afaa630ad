// Calls of Linux and of the GNU C library that Swift's own module of them leaves out.
#include <fcntl.h>
#include <spawn.h>
#include <asm/socket.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/syscall.h>
#include <unistd.h>

int pipe2(int descriptors[2], int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

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

/// Gives free memory of the heap back to the system, and what is in memory of the files of this program and its libraries.
void lanyard_give_back_memory(void);

/// Has Swift's tasks run by somebody else than Dispatch. NIO's `unsafeTryInstall…GlobalExecutor` is the same, but looks the
/// hook up by its name, which a statically linked program does not have.
void lanyard_run_tasks(void (*enqueue)(void *job));
