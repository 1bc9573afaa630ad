import SingleSignOnWire

extension BrokerReason {
    /// What happened, as a sentence for the person.
    public var sentence: String {
        switch self {
        case .answered: "The extension answered."
        case .notCovered: "No installed profile covers it."
        case .domainNotApproved:
            "The domain has not agreed to the extension, or nobody asks it: see `lanyard-sso domains`."
        case .extensionMissing:
            "The extension that the profile names is not installed, or is another team's: see `lanyard-sso status`."
        case .callerUnknown: "The system does not tell which program asks."
        case .callerDenied: "The profile denies single sign-on to this program."
        case .screenLocked: "The screen is locked."
        case .extensionBackedOff: "The extension crashed some moments ago, and is left alone for a while."
        case .extensionFailedToStart: "The extension could not be started."
        case .extensionCrashed: "The extension crashed; what it wrote before is in the broker's log."
        case .extensionDeclined: "The extension left it alone."
        case .extensionFailed: "The extension failed."
        case .wrongCompletion: "The extension ended the request in a way that does not fit it."
        case .unusableResponse: "The extension's answer cannot be used."
        case .tooManyRequests: "There are too many requests at once."
        case .timedOut: "The extension did not answer in time."
        case .canceledByExtension: "It was cancelled, by the person who was asked or by the extension."
        case .callerGone: "The program that asked has gone."
        case .notInteractive: "It would have to be asked for, and nothing may be shown."
        case .stopping: "The broker stops."
        case .fromExtension: "An extension's own requests are not redirected."
        }
    }
}
