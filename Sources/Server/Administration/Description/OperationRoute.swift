/// The path of an operation in the API, below `/api/v1/organizations/{organization}/`. Names in braces are inputs of
/// the operation; its other inputs are in the query of a GET or DELETE, and in the body of a POST.
package struct OperationRoute: Equatable, Sendable {
    package enum Method: String, Sendable {
        case get
        case post
        case delete
    }

    package let method: Method
    package let path: String
    /// The limit for the body of a request, in bytes.
    package let bodyBytesMax: Int

    package init(_ method: Method, _ path: String, bodyBytesMax: Int = 64 << 10) {
        self.method = method
        self.path = path
        self.bodyBytesMax = bodyBytesMax
    }

    /// The inputs in the path.
    package var pathInputs: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }
}
