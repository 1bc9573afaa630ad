import NIOCore
import SingleSignOnWire

/// What takes commands of the broker's: the process of an extension.
protocol ExtensionLink: AnyObject {
    func send(_ command: ExtensionCommand)
}

/// A request from when its extension is asked until it has answered. Used on the event loop of its host alone.
final class OpenRequest<Process: ExtensionLink> {
    /// Stays the same if it is asked again, under another number.
    let key: UInt64
    let process: Process
    let presenter: any ExtensionHost.Presenter
    /// Asked again without anything to be shown, because another has signed in meanwhile.
    private(set) var isAskedAgain = false
    private var request: ExtensionRequest
    private let isInterfaceAllowed: Bool
    private var continuation: CheckedContinuation<ExtensionHost.Result, Never>?
    private var deadline: Scheduled<Void>?
    /// How often it has asked to show something.
    private var displays = 0
    /// What it wants to show when its turn comes.
    private var waitingToShow: ExtensionHost.Display?
    private var isShown = false

    init(
        _ key: UInt64, _ request: ExtensionRequest, to process: Process, presenter: any ExtensionHost.Presenter,
        _ continuation: CheckedContinuation<ExtensionHost.Result, Never>
    ) {
        self.key = key
        self.request = request
        self.process = process
        self.presenter = presenter
        self.continuation = continuation
        isInterfaceAllowed = request.isUserInterfaceEnabled
    }

    /// The number under which the process was asked last.
    var identifier: UInt64 { request.id }

    /// Whether anything may be shown now: not while it is asked again.
    var mayShow: Bool { isInterfaceAllowed && !isAskedAgain }

    /// - Parameter identifier: a number under which the process was not asked yet.
    func begin(as identifier: UInt64) {
        request.id = identifier
        request.isUserInterfaceEnabled = mayShow
        process.send(.begin(request))
    }

    /// Has the process forget it. It is then asked under another number, without anything to be shown or as at first.
    func beginsAgain(silently: Bool) {
        if silently { process.send(.cancel(id: identifier)) }
        deadline?.cancel()
        waitingToShow = nil
        isAskedAgain = silently
    }

    /// In place of the limit that it had.
    func limit(_ deadline: Scheduled<Void>) {
        self.deadline?.cancel()
        self.deadline = deadline
    }

    /// The first end counts.
    func end(_ result: ExtensionHost.Result) {
        deadline?.cancel()
        continuation?.resume(returning: result)
        continuation = nil
    }

    // MARK: What is shown

    /// - Returns: false if it is one time too many.
    func countDisplay(max: Int) -> Bool {
        displays += 1
        return displays <= max
    }

    /// - Returns: why it is not shown; nil if it is to be shown when its turn comes.
    func wantsToShow(_ display: ExtensionHost.Display) -> AuthorizationFailure? {
        guard mayShow else { return .notInteractive }
        guard !isShown, waitingToShow == nil else {
            return AuthorizationFailure(.failed, "Something is shown for this request already.")
        }
        if let problem = display.problem { return problem }
        waitingToShow = display
        return nil
    }

    /// Its turn has come. ``hasShown()`` is to follow.
    func takeDisplay() -> ExtensionHost.Display? {
        defer { waitingToShow = nil }
        if waitingToShow != nil { isShown = true }
        return waitingToShow
    }

    func hasShown() { isShown = false }
}
