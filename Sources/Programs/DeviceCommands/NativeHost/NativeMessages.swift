import CommandOutput
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The messages between the browser's extension and this program. Every message has an id: the extension chooses that
/// of a question, an answer has the id of its question, and a message without a question has 0.
enum NativeProtocol {
    static let version = 1
}

/// From the extension: `{"id": 3, "type": "request", …}`.
struct NativeQuestion: Decodable {
    enum Content {
        /// The first message. If the versions differ, all others are ignored.
        case hello(version: Int)
        /// Asks which URLs are covered.
        case rules
        /// Asks to be notified when profiles change.
        case watch
        case request(Navigation)
        /// What the person did with a page or form that was presented.
        case answer(presentation: String, PresentationResult)
        /// The answer to the message with this id is no longer needed.
        case cancel(Int)
    }

    /// A navigation for which an extension should be asked.
    struct Navigation: Decodable {
        let url: String
        let headers: [HeaderField]?
        let body: Data?
        let page: BrokerRequest.Page?
    }

    let id: Int
    let content: Content

    private enum Key: String, CodingKey { case id, type, version, presentation, action, values, request }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        id = try fields.decode(Int.self, forKey: .id)
        content =
            switch try fields.decode(String.self, forKey: .type) {
            case "hello": .hello(version: try fields.decode(Int.self, forKey: .version))
            case "rules": .rules
            case "watch": .watch
            case "request": .request(try Navigation(from: decoder))
            case "answer":
                .answer(
                    presentation: try fields.decode(String.self, forKey: .presentation), try Self.result(of: fields))
            case "cancel": .cancel(try fields.decode(Int.self, forKey: .request))
            case let other:
                throw DecodingError.dataCorruptedError(
                    forKey: .type, in: fields, debugDescription: "“\(other)” is no message that is known here.")
            }
    }

    private static func result(of fields: KeyedDecodingContainer<Key>) throws -> PresentationResult {
        switch try fields.decode(String.self, forKey: .action) {
        case "submit": .submitted(try fields.decode([String: String].self, forKey: .values))
        case "cancel": .canceled
        case "unavailable": .unavailable(AuthorizationFailure(.failed, "The browser could not show it."))
        case let other:
            throw DecodingError.dataCorruptedError(
                forKey: .action, in: fields, debugDescription: "“\(other)” is nothing that a person can do.")
        }
    }
}

/// To the extension.
struct NativeAnswer: Encodable {
    enum Content {
        case hello
        /// The URL prefixes that are covered; `more` if another message with the same id follows.
        case rules([String], more: Bool)
        /// Sent without a question, after `watch`.
        case profilesChanged
        /// An extension has been asked. Has its name and that of the organization that installed it, if they are known.
        case working(extensionName: String?, organization: String?)
        case presenting(BrokerEvent.Presenting)
        case finished(BrokerOutcome)
        /// The broker has received an `answer`.
        case done
        /// The browser should continue as if there were no single sign-on.
        case unavailable(Reason, detail: String)
    }

    enum Reason: String, Encodable {
        case noBroker, versionMismatch, badMessage, tooManyRequests, tooLarge
    }

    let id: Int
    let content: Content

    private enum Key: String, CodingKey {
        case id, type, version, program, urls, more, extensionName, organization, presenting, outcome, reason, detail
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(id, forKey: .id)
        try fields.encode(type, forKey: .type)
        switch content {
        case .hello:
            try fields.encode(NativeProtocol.version, forKey: .version)
            try fields.encode(Version.text, forKey: .program)
        case .rules(let urls, let more):
            try fields.encode(urls, forKey: .urls)
            try fields.encode(more, forKey: .more)
        case .working(let extensionName, let organization):
            try fields.encodeIfPresent(extensionName, forKey: .extensionName)
            try fields.encodeIfPresent(organization, forKey: .organization)
        case .presenting(let presenting): try fields.encode(presenting, forKey: .presenting)
        case .finished(let outcome): try fields.encode(outcome, forKey: .outcome)
        case .unavailable(let reason, let detail):
            try fields.encode(reason, forKey: .reason)
            try fields.encode(detail, forKey: .detail)
        case .profilesChanged, .done: break
        }
    }

    private var type: String {
        switch content {
        case .hello: "hello"
        case .rules: "rules"
        case .profilesChanged: "profilesChanged"
        case .working: "working"
        case .presenting: "presenting"
        case .finished: "finished"
        case .done: "done"
        case .unavailable: "unavailable"
        }
    }
}
