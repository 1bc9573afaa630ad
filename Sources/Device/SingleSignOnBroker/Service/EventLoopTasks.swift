import CLinux
import NIOCore
import NIOPosix

/// Swift's tasks on an event loop of their own, instead of Dispatch's threads: those are woken up every second by a timer of
/// theirs, also when there is nothing to do.
enum EventLoopTasks {
    /// To be called once, before there are tasks. `Task.sleep` still starts Dispatch's threads: event loops have timers.
    static func install() {
        NIOSingletons.groupLoopCountSuggestion = 1
        lanyard_run_tasks { job in
            // The runtime's pointer is all that there is in a job.
            MultiThreadedEventLoopGroup.singleton.any().executor
                .enqueue(ExecutorJob(unsafeBitCast(job, to: UnownedJob.self)))
        }
    }
}
