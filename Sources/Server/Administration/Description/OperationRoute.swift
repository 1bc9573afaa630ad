/// The path of an operation in the API. Names in braces are inputs of the operation; its other inputs are in the query
/// of a GET or DELETE, and in the body of a POST.
package struct OperationRoute: Equatable, Sendable {
    package enum Method: String, Sendable {
        case get
        case post
        case delete
    }

    /// What the path lies below.
    package enum Root: Sendable {
        /// `/api/v1/organizations/{organization}/`
        case organization
        /// `/api/v1/`, for what belongs to a team, or to no organization.
        case server
    }

    package let method: Method
    package let path: String
    package let root: Root
    /// The limit for the body of a request, in bytes.
    package let bodyBytesMax: Int

    package init(_ method: Method, _ path: String, below root: Root = .organization, bodyBytesMax: Int = 64 << 10) {
        self.root = root
        self.method = method
        self.path = path
        self.bodyBytesMax = bodyBytesMax
    }

    /// The path from the root of the server on, with the names in braces.
    package var fullPath: String {
        switch root {
        case .organization: "/api/v1/organizations/{organization}/\(path)"
        case .server: "/api/v1/\(path)"
        }
    }

    /// The inputs in the path.
    package var pathInputs: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }
}
