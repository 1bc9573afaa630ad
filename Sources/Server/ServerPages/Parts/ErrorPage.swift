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
        /// The server cannot read or store anything just now.
        case unavailable
        /// What the browser sent is no form, or none that makes sense; no app is to blame.
        case unreadable
        /// The app's authorization request names no registered client.
        case unknownApp
        /// The app's authorization request asks to go to an address that is not registered.
        case unregisteredReturnURL
        /// The app's authorization request asks for what the app is not registered for, or not any more.
        case scopesNotAllowed
        /// The app's authorization request is malformed.
        case invalidRequest

        var heading: Sentence { Sentence("error.\(rawValue)") }
        var explanation: Sentence { Sentence("error.\(rawValue)Explanation") }
    }

    /// A link that leads out of the dead end.
    package struct WayOn: Sendable {
        package enum Label: String, CaseIterable, Sendable {
            case startPage
            /// Where the form is.
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
    /// For the app's developer: what is wrong with the request, in English.
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
