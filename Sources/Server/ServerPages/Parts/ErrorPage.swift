/// Something went wrong, and the person cannot simply try again on the same page.
package struct ErrorPage: Page {
    package enum Cause: String, CaseIterable, Sendable {
        /// The request was parked too long, or was answered in another window.
        case expired
        /// The form was shown before the person signed in or out.
        case staleForm
        /// A one-time link that was used or is too old.
        case linkUsed
        case notFound
        /// The server failed.
        case internalError
        case tooManyRequests
        /// The database is not available at the moment.
        case unavailable
        /// The browser's request is not a valid form. It is not the fault of an app.
        case unreadable
        /// The `client_id` of the app's authorization request is not registered.
        case unknownApp
        /// The return URL of the app's authorization request is not registered.
        case unregisteredReturnURL
        /// The app's authorization request asks for scopes that the app is not registered for, or no longer.
        case scopesNotAllowed
        /// The app's authorization request is malformed.
        case invalidRequest

        var heading: Sentence { Sentence("error.\(rawValue)") }
        var explanation: Sentence { Sentence("error.\(rawValue)Explanation") }
    }

    /// A link to continue with.
    package struct WayOn: Sendable {
        package enum Label: String, CaseIterable, Sendable {
            case startPage
            /// The same page, with a fresh form.
            case samePage

            var sentence: Sentence { Sentence("wayOn.\(rawValue)") }
        }

        package let label: Label
        package let path: String

        package init(_ label: Label, path: String) {
            self.label = label
            self.path = path
        }
    }

    package let cause: Cause
    package let requestID: String
    /// A note for the app's developer, in English: what is wrong with the request.
    package let developerNote: String?
    package let wayOn: WayOn?

    package init(_ cause: Cause, requestID: String, developerNote: String? = nil, wayOn: WayOn? = nil) {
        self.cause = cause
        self.requestID = requestID
        self.developerNote = developerNote
        self.wayOn = wayOn
    }

    package var view: View {
        View(
            "error",
            heading: cause.heading,
            content: [
                "explanation": .sentence(cause.explanation),
                "requestID": .text(requestID),
                "developerNote": .text(ifAny: developerNote),
                "wayOn": .group(
                    ifAny: wayOn.map { ["path": .text($0.path), "label": .sentence($0.label.sentence)] }
                ),
            ]
        )
    }
}
