#include "shim.h"

// A hook of Swift's runtime (include/swift/Runtime/Concurrency.h), called for every job of the global executor.
typedef __attribute__((swiftcall)) void (*enqueue_global)(void *job);
typedef __attribute__((swiftcall)) void (*enqueue_global_hook)(void *job, enqueue_global original);
extern enqueue_global_hook swift_task_enqueueGlobal_hook;

static void (*run)(void *job);

static __attribute__((swiftcall)) void enqueue(void *job, enqueue_global original)
{
    (void)original;
    run(job);
}

void lanyard_run_tasks(void (*enqueue_job)(void *job))
{
    run = enqueue_job;
    swift_task_enqueueGlobal_hook = enqueue;
}
