import Foundation

/// The parsed `claims` parameter of an authorization request. OpenID Connect Core §5.5.
///
/// Unknown names are ignored, as §5.5 requires. `essential` and values are ignored except for `sub` and `acr`: a claim
/// that the person has and shares is sent in any case.
struct ClaimsParameter {
    enum Place: String, CaseIterable {
        case identityToken = "id_token"
        case userInfo = "userinfo"
    }

    var claims = RequestedClaims.none
    /// The only person who may answer. §5.5.1, `sub` with a value.
    var subject: String?
    /// How the person should have signed in; empty if the client does not care. §5.5.1.1.
    var contexts: [String] = []
    /// Whether any other kind of sign-in has to be refused.
    var isContextEssential = false

    static let bytesMax = 4_096

    /// - Throws: ``OAuthError`` `invalid_request`
    init(_ text: String) throws {
        guard text.utf8.count <= Self.bytesMax else { throw Self.malformed("is longer than \(Self.bytesMax) bytes") }
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            throw Self.malformed("is no JSON object")
        }
        for place in Place.allCases {
            guard let member = object[place.rawValue] else { continue }
            guard let requests = member as? [String: Any] else {
                throw Self.malformed("\(place.rawValue) is no object")
            }
            for (name, request) in requests { try take(name, Request(request, name: name), in: place) }
        }
    }

    /// What a client says about one claim; usually nothing.
    private struct Request {
        let isEssential: Bool
        let values: [String]

        init(_ json: Any, name: String) throws {
            if json is NSNull {
                (isEssential, values) = (false, [])
                return
            }
            guard let object = json as? [String: Any] else { throw malformed("\(name) is neither null nor an object") }
            guard let isEssential = (object["essential"] ?? false) as? Bool else {
                throw malformed("essential of \(name) is neither true nor false")
            }
            guard let values = (object["values"] ?? [Any]()) as? [Any] else {
                throw malformed("values of \(name) is no array")
            }
            self.isEssential = isEssential
            self.values = ([object["value"]].compactMap { $0 } + values).compactMap { $0 as? String }
        }
    }

    private mutating func take(_ name: String, _ request: Request, in place: Place) throws {
        switch name {
        case "sub":
            // A token is about one person. If several would do, the client can send one request for each.
            guard Set(request.values + [subject].compactMap { $0 }).count <= 1 else {
                throw Self.malformed("names several people by sub")
            }
            subject = request.values.first ?? subject
        case "acr" where place == .identityToken:
            contexts = request.values
            isContextEssential = request.isEssential && !request.values.isEmpty
        default:
            guard let claim = Claim(rawValue: name) else { return }
            switch place {
            case .identityToken: claims.inIdentityToken.insert(claim)
            case .userInfo: claims.inUserInfo.insert(claim)
            }
        }
    }

    private static func malformed(_ what: String) -> OAuthError { .telling(.invalidRequest, "claims \(what)") }
}

extension AuthorizationRequest {
    /// Reads the wishes of a standard client in addition to its scopes: `claims` and `acr_values`.
    /// - Throws: ``OAuthError`` `invalid_request`, or `unmet_authentication_requirements` if no kind of sign-in meets
    ///   them.
    mutating func readWishes(_ parameters: RequestParameters, of app: App) throws {
        let wished = try parameters["claims"].map(ClaimsParameter.init)
        claims = (wished?.claims ?? .none).limited(to: app.scopes(in: .standard))
        subject = wished?.subject
        let isEssential = wished?.isContextEssential ?? false
        let named =
            isEssential
            ? wished?.contexts ?? []
            : (wished?.contexts ?? []) + (try parameters["acr_values"] ?? "").split(separator: " ").map(String.init)
        let contexts = Set(named.compactMap(AuthenticationContext.init(rawValue:)))
            .intersection(AuthenticationContext.requestable)
        guard !contexts.isEmpty else {
            if isEssential {
                throw OAuthError.telling(.unmetAuthenticationRequirements, "nobody signs in here with any of these acr")
            }
            return
        }
        // A mere wish must not cause an error where no page can be shown.
        needsPassword = contexts == [.password] && (isEssential || !prompts.contains(.none))
        needsDevice = contexts == [.deviceKey] && isEssential
    }
}
