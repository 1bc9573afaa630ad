import Foundation
import Hummingbird
import LanyardClient

/// A sign-in attempt: what has to be known when the browser comes back, kept in an encrypted cookie.
struct Trip: Codable, Equatable, Sendable {
    let state: String
    let nonce: String
    let codeVerifier: String
    /// A path of this app.
    let returnTo: String
    let expiresAt: Date

    var attempt: AuthorizationAttempt {
        AuthorizationAttempt(state: state, nonce: nonce, codeVerifier: codeVerifier)
    }
}

struct Trips: Sendable {
    let seal: Seal
    let cookies: SignInCookies
    let now: @Sendable () -> Date

    /// How long an attempt is valid, in seconds.
    private static let lifetime: TimeInterval = 3_600
    /// The maximum number of attempts of a browser, because the size of headers is limited. Further ones replace the
    /// earliest.
    private static let countMax = 5

    func begin(returnTo: String) -> Trip {
        let attempt = AuthorizationAttempt.random()
        return Trip(
            state: attempt.state, nonce: attempt.nonce, codeVerifier: attempt.codeVerifier, returnTo: returnTo,
            expiresAt: now().addingTimeInterval(Self.lifetime))
    }

    /// The cookies that store this attempt in the browser.
    func cookies(for trip: Trip, in request: Request) throws -> [Cookie] {
        let earlier = request.cookieNames(prefix: cookies.tripPrefix)
        let forgotten = earlier.count >= Self.countMax ? earlier.map(cookies.expired) : []
        return forgotten + [cookies.trip(try seal.seal(trip), state: trip.state, lifetime: Self.lifetime)]
    }

    /// The attempt that this browser has begun with this state; nil if there is none, or it has expired.
    func find(state: String, in request: Request) -> Trip? {
        guard state.utf8.allSatisfy({ $0.isUnreserved }),
            let value = request.cookies[cookies.tripName(state: state)]?.value,
            let trip = seal.open(value, as: Trip.self), trip.state.equalsInConstantTime(state),
            now() < trip.expiresAt
        else { return nil }
        return trip
    }
}

extension UInt8 {
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// A path within this app, safe to redirect to.
struct LocalPath {
    let text: String

    /// Nil for anything that a browser could interpret as another host: `//host`, `/\host`, a line break in between.
    init?(_ text: String?) {
        guard let text, text.hasPrefix("/"), text.utf8.count <= 2_048,
            !text.dropFirst().hasPrefix("/"), !text.dropFirst().hasPrefix("\\"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        self.text = text
    }
}
