import NIOCore
import SingleSignOnWire

/// Takes the broker's commands: the process of an extension, or a stand-in for it in tests.
protocol ExtensionLink: AnyObject {
    func send(_ command: ExtensionCommand)
}

/// A request whose extension has not answered yet. Used on the event loop of its host alone.
final class OpenRequest<Process: ExtensionLink> {
    /// Identifies the request. It stays the same when the request is sent again under another number.
    let key: UInt64
    let process: Process
    let presenter: any ExtensionHost.Presenter
    /// Whether it was sent again and may show nothing now, because the person has signed in for another request.
    private(set) var isAskedAgain = false
    private var request: ExtensionRequest
    private let isInterfaceAllowed: Bool
    private var continuation: CheckedContinuation<ExtensionHost.Result, Never>?
    private var deadline: Scheduled<Void>?
    /// How often the extension has asked to show something.
    private var displays = 0
    /// Shown when the request's turn comes.
    private var waitingToShow: ExtensionHost.Display?
    private var isShown = false
    /// Told when the extension wants to be asked again without a caller.
    let wake: (ExtensionWake) -> Void

    init(
        _ key: UInt64, _ request: ExtensionRequest, to process: Process, presenter: any ExtensionHost.Presenter,
        wake: @escaping (ExtensionWake) -> Void = { _ in },
        _ continuation: CheckedContinuation<ExtensionHost.Result, Never>
    ) {
        self.wake = wake
        self.key = key
        self.request = request
        self.process = process
        self.presenter = presenter
        self.continuation = continuation
        isInterfaceAllowed = request.isUserInterfaceEnabled
    }

    /// The number under which the request was sent last.
    var identifier: UInt64 { request.id }

    /// Whether anything may be shown now. Nothing may while the request is sent again silently.
    var mayShow: Bool { isInterfaceAllowed && !isAskedAgain }

    /// Numbers the request.
    /// - Parameter identifier: a number that was not used before.
    func number(as identifier: UInt64) {
        request.id = identifier
        request.isUserInterfaceEnabled = mayShow
    }

    /// Sends the request to the process.
    func begin() { process.send(.begin(request)) }

    /// Prepares to send the request once more, under another number.
    /// - Parameter silently: whether it may show nothing then. In this case the process is told to forget the earlier
    ///   number; otherwise it has answered under that already.
    func beginsAgain(silently: Bool) {
        if silently { process.send(.cancel(id: identifier)) }
        deadline?.cancel()
        waitingToShow = nil
        isAskedAgain = silently
    }

    /// Replaces its time limit.
    func limit(_ deadline: Scheduled<Void>) {
        self.deadline?.cancel()
        self.deadline = deadline
    }

    /// Ends the request. Further calls do nothing.
    func end(_ result: ExtensionHost.Result) {
        deadline?.cancel()
        continuation?.resume(returning: result)
        continuation = nil
    }

    // MARK: What is shown

    /// Counts a wish to show something.
    /// - Returns: false if there were more than `max`.
    func countDisplay(max: Int) -> Bool {
        displays += 1
        return displays <= max
    }

    /// Keeps what is to be shown until the request's turn comes.
    /// - Returns: nil if it will be shown, otherwise why not.
    func wantsToShow(_ display: ExtensionHost.Display) -> AuthorizationFailure? {
        guard mayShow else { return .notInteractive }
        guard !isShown, waitingToShow == nil else {
            return AuthorizationFailure(.failed, "Something is shown for this request already.")
        }
        if let problem = display.problem { return problem }
        waitingToShow = display
        return nil
    }

    /// Takes out what is to be shown now that the request's turn has come. ``hasShown()`` is to follow.
    func takeDisplay() -> ExtensionHost.Display? {
        defer { waitingToShow = nil }
        if waitingToShow != nil { isShown = true }
        return waitingToShow
    }

    func hasShown() { isShown = false }
}
