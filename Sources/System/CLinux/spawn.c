#define _GNU_SOURCE
#include "shim.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>

// posix_spawn(3) cannot make the child a subreaper, so this does what posix_spawn does and adds that. The child of
// vfork(2) shares memory with this process, which is suspended until the child calls execve or exits. Therefore the
// child only makes system calls.

enum { descriptors_max = 8 };

static int take_descriptors(const int descriptors[], int count)
{
    int moved[descriptors_max];
    // Move all of them above `count` first, so that dup2 below does not overwrite one that is still needed.
    for (int number = 0; number < count; number++) {
        moved[number] = fcntl(descriptors[number], F_DUPFD, count);
        if (moved[number] < 0)
            return -1;
    }
    for (int number = 0; number < count; number++)
        if (dup2(moved[number], number) < 0)
            return -1;
    return (int)syscall(SYS_close_range, count, ~0U, 0);
}

static void reset_signals(void)
{
    const struct sigaction standard = { .sa_handler = SIG_DFL };
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

int lanyard_spawn(
    pid_t *process, const char *path, char *const arguments[], char *const environment[], const int descriptors[], int count)
{
    if (count > descriptors_max)
        return EINVAL;
    // A handler of this process must not run in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    volatile int problem = 0;
    const pid_t child = vfork();
    if (child == 0) {
        if (setpgid(0, 0) == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 && chdir("/") == 0
            && take_descriptors(descriptors, count) == 0) {
            reset_signals();
            execve(path, arguments, environment);
        }
        problem = errno;
        _exit(127);
    }
    if (child < 0)
        problem = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child > 0 && problem != 0)
        while (syscall(SYS_wait4, child, NULL, 0, NULL) < 0 && errno == EINTR) { }
    *process = child;
    return problem;
}
