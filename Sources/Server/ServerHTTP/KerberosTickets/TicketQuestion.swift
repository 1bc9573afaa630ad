import HTTPTypes
import Hummingbird

/// Decides whether a browser is asked for a ticket before its person sees the sign-in page.
///
/// A browser that is asked and has no ticket shows the page that came with the question:
/// docs/decisions/0065-tickets-of-kerberos.md says which browsers do, and which open a window of their own before.
struct TicketQuestion: Sendable {
    /// Where every browser may be asked.
    private let networks: AddressRanges

    /// - Parameter networks: addresses and networks, as checked by ``ServerConfiguration/check()``.
    init(networks: [String]) { self.networks = AddressRanges(networks) }

    func isAsked(_ request: Request, _ context: AppContext, _ visitor: Visitor, at place: SignInPlace) -> Bool {
        place.asksForTicketAtOnce && request.method == .get && request.isNavigation
            // Who has signed out, or has to show a second factor, wants to see the page.
            && !visitor.hasSignedOut && visitor.pendingToken == nil
            && (Self.isQuiet(request.headers[.userAgent] ?? "")
                || context.remoteAddress.map(networks.contains) ?? false)
    }

    /// Whether a browser without a ticket shows the page at once: Firefox, and Chromium where it uses the system's GSSAPI.
    static func isQuiet(_ userAgent: String) -> Bool {
        userAgent.contains("Firefox/")
            || userAgent.contains("Chrome/") && ["X11; Linux", "X11; CrOS"].contains(where: userAgent.contains)
    }
}

extension Request {
    /// Whether the browser shows the answer as a page of its own, as far as it says: pictures and scripts of other pages
    /// must sign nobody in.
    var isNavigation: Bool {
        let destination = headers[.fetchDestination]
        return (destination == nil || destination == "document") && headers[.purpose] == nil
    }
}

extension HTTPField.Name {
    // Each is a valid token.
    fileprivate static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
    /// Browsers send it with requests for pages that nobody wants to see yet.
    fileprivate static let purpose = HTTPField.Name("Sec-Purpose")!
}
