import SingleSignOnWire

extension BrokerOutcome {
    /// The outcome with which the caller goes on as if there were no single sign-on. Only for an operation there is an
    /// error.
    /// - Parameter operation: empty for a request of the web.
    static func unhandled(_ reason: BrokerReason, _ operation: String, extension identifier: String? = nil) -> Self {
        BrokerOutcome(
            .notHandled, reason: reason,
            error: operation.isEmpty
                ? nil : AuthorizationFailure(.notHandled, "Single sign-on does not handle this (\(reason.rawValue))."),
            extension: identifier)
    }
}
