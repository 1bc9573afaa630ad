import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import NIOCore

/// `POST /device-registration`: a device sends its public key, with a code that its person has been given.
struct DeviceRegistrationRoutes: Sendable {
    let registrar: DeviceRegistrar
    let surroundings: Surroundings
    /// The budget of wrong codes, so that valid ones cannot be found by trying.
    let wrongCodes: FailureBudget

    static let path = "/device-registration"

    func mount(on router: some RouterMethods<AppContext>) {
        router.post("device-registration", use: register)
    }

    private struct Body: Decodable {
        let code: String
        let publicKey: DeviceKey.JWK
        /// A certificate request (PKCS #10) for the same key, in PEM.
        let csr: String?
        /// The name by which people recognize the device.
        let name: String
        let facts: [String: DeviceFacts.Value]?
    }

    private struct Answer: Encodable {
        let device: String
    }

    @Sendable private func register(_ request: Request, context: AppContext) async throws -> Response {
        try request.refuseBrowsers()
        let body = try await read(request, context)
        let key = try DeviceKey(body.publicKey)
        let facts = try DeviceFacts(body.facts ?? [:])
        if let csr = body.csr {
            do {
                try CertificateRequest.check(csr, isFor: key.bytes)
            } catch let problem as CertificateRequest.Problem {
                throw DeviceRefusal.invalidCertificateRequest(problem.description)
            }
        }
        let address = AddressBlock(context.remoteAddress)
        try wrongCodes.takeForDevice(address, at: surroundings.now())
        do {
            let device = try await registrar.register(
                key, name: body.name, facts: facts, code: body.code, origin: .request(context))
            wrongCodes.giveBack(1, to: address)
            return try .json(Answer(device: device.publicID), status: .created)
        } catch let refusal as DeviceRefusal where refusal != .invalidCode {
            // The code was right, or was not checked.
            wrongCodes.giveBack(1, to: address)
            throw refusal
        }
    }

    private func read(_ request: Request, _ context: AppContext) async throws -> Body {
        guard request.mediaType == "application/json" else {
            throw DeviceRefusal.unsupportedType(expected: "application/json")
        }
        let bytes = try await request.deviceBody(context)
        do {
            return try JSONDecoder().decode(Body.self, from: Data(bytes.readableBytesView))
        } catch let error as DecodingError {
            throw Self.refusal(error)
        }
    }

    private static func refusal(_ error: DecodingError) -> DeviceRefusal {
        let (path, problem): ([any CodingKey], String) =
            switch error {
            case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
            case .valueNotFound(_, let context): (context.codingPath, "is null")
            case .typeMismatch(_, let context): (context.codingPath, "is of another type")
            case .dataCorrupted(let context): (context.codingPath, "cannot be read")
            @unknown default: ([], "cannot be read")
            }
        guard !path.isEmpty else { return .invalidRequest("the body is no JSON object") }
        let name = path.map(\.stringValue).joined(separator: ".").prefix(128)
        return path[0].stringValue == "publicKey"
            ? .invalidKey("\(name) \(problem)") : .invalidRequest("\(name) \(problem)")
    }
}

extension FailureBudget {
    /// - Throws: ``DeviceRefusal/tooManyAttempts(seconds:)``
    func takeForDevice(_ address: AddressBlock, at now: Date) throws {
        do {
            try take(address)
        } catch let exhausted as Exhausted {
            throw DeviceRefusal.tooManyAttempts(seconds: exhausted.seconds(from: now))
        }
    }
}

extension Request {
    /// Refuses requests of pages in a browser, which marks them. Devices are programs, and no page may register a
    /// device, or sign its visitor in as another person.
    /// - Throws: ``DeviceRefusal/fromBrowser``
    func refuseBrowsers() throws {
        let marks: [HTTPField.Name] = [.origin, .fetchSite, .fetchMode, .fetchDestination]
        if marks.contains(where: { headers[$0] != nil }) { throw DeviceRefusal.fromBrowser }
    }

    /// The media type in lower case, without parameters.
    var mediaType: String? {
        headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// - Throws: ``DeviceRefusal/tooLarge(bytesMax:)``
    func deviceBody(_ context: AppContext) async throws -> ByteBuffer {
        do {
            return try await body.collect(upTo: context.maxUploadSize)
        } catch is NIOTooManyBytesError {
            throw DeviceRefusal.tooLarge(bytesMax: context.maxUploadSize)
        }
    }
}

extension HTTPField.Name {
    // Each is a valid token.
    fileprivate static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    fileprivate static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
}
