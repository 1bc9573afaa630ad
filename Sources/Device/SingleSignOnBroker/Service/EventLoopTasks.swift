import CLinux
import NIOCore
import NIOPosix

/// Runs Swift's tasks on an event loop of their own. Otherwise they run on threads of Dispatch, whose timer wakes them
/// up every second even if there is nothing to do.
enum EventLoopTasks {
    /// To be called once, before there are tasks. `Task.sleep` starts Dispatch's threads all the same, so timers of
    /// event loops are used in place of it.
    static func install() {
        NIOSingletons.groupLoopCountSuggestion = 1
        lanyard_run_tasks { job in
            // An `UnownedJob` consists of the runtime's pointer alone.
            MultiThreadedEventLoopGroup.singleton.any().executor
                .enqueue(ExecutorJob(unsafeBitCast(job, to: UnownedJob.self)))
        }
    }
}
