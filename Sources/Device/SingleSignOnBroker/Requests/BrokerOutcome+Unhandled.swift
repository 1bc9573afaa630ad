import SingleSignOnWire

extension BrokerOutcome {
    /// The request goes on as if there were no single sign-on. An app that asked for an operation gets an error.
    static func unhandled(_ reason: BrokerReason, _ operation: String, extension identifier: String? = nil) -> Self {
        BrokerOutcome(
            .notHandled, reason: reason,
            error: operation.isEmpty
                ? nil : AuthorizationFailure(.notHandled, "Single sign-on does not handle this (\(reason.rawValue))."),
            extension: identifier)
    }
}
