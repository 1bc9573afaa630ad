import HTTPTypes
import Hummingbird

extension Response {
    /// The same page with status 429 and `Retry-After`. RFC 6585 §4.
    func retrying(after minutes: Int) -> Response {
        var response = self
        response.status = .tooManyRequests
        response.headers[.retryAfter] = String(minutes * 60)
        return response
    }

    /// The same page with status 503, for when too many passwords wait to be checked.
    func whileBusy() -> Response {
        var response = self
        response.status = .serviceUnavailable
        response.headers[.retryAfter] = "30"
        return response
    }
}
