import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Passes a browser's questions to the broker and its answers back, for many questions at once.
///
/// Any error on this side is reported to the browser as `unavailable` at once; it then continues as if there were no
/// single sign-on. docs/specifications/extensible-single-sign-on.md, 16.10 and 20.8.
actor NativeHost {
    private let broker: BrokerClient
    private let output: NativeOutput
    private var versionsAgree = false
    private var tasks: [Int: Task<Void, Never>] = [:]

    private static let tasksMax = 64
    /// The maximum size of the URLs in one message, so that the message stays below the browser's limit.
    private static let urlBytesMax = NativeFrame.outputBytesMax / 4

    init(broker: BrokerClient, output: NativeOutput) {
        self.broker = broker
        self.output = output
    }

    func receive(_ frame: NativeFrame) {
        switch frame {
        case .tooLong(let bytes):
            refuse(0, .tooLarge, "A message of \(bytes) bytes; at most \(NativeFrame.inputBytesMax) are taken.")
        case .message(let bytes):
            do {
                receive(try JSONDecoder().decode(NativeQuestion.self, from: Data(bytes)))
            } catch {
                struct Identified: Decodable { let id: Int }
                let id = (try? JSONDecoder().decode(Identified.self, from: Data(bytes)))?.id
                refuse(id ?? 0, .badMessage, "This is no message that version \(NativeProtocol.version) knows.")
            }
        }
    }

    private func receive(_ question: NativeQuestion) {
        if case .hello(let version) = question.content {
            versionsAgree = version == NativeProtocol.version
            return send(question.id, .hello)
        }
        guard versionsAgree else {
            return refuse(
                question.id, .versionMismatch,
                "The extension must say hello first, with version \(NativeProtocol.version).")
        }
        switch question.content {
        case .hello: break
        case .cancel(let id): tasks[id]?.cancel()
        case .rules: start(question.id) { try await self.sendRules(question.id) }
        case .watch: start(question.id) { try await self.watch() }
        case .request(let navigation): start(question.id) { try await self.perform(question.id, navigation) }
        case .answer(let presentation, let result):
            start(question.id) {
                try await self.broker.present(id: presentation, result: result)
                await self.send(question.id, .done)
            }
        }
    }

    private func start(_ id: Int, _ work: @escaping @Sendable () async throws -> Void) {
        guard tasks[id] == nil else { return refuse(id, .badMessage, "This id is in use.") }
        guard tasks.count < Self.tasksMax else {
            return refuse(id, .tooManyRequests, "\(Self.tasksMax) are open already.")
        }
        tasks[id] = Task {
            do {
                try await work()
            } catch {
                if !Task.isCancelled { refuse(id, .noBroker, "\(error)") }
            }
            tasks[id] = nil
        }
    }

    private func perform(_ id: Int, _ navigation: NativeQuestion.Navigation) async throws {
        // Tell the browser which extension will answer before it has started, so that it can show whom it is waiting
        // for.
        let match = try await broker.match(url: navigation.url)
        if match.coversRequests {
            send(id, .working(extensionName: match.extensionName, organization: match.organization))
        }
        var request = BrokerRequest(url: navigation.url)
        request.headers = navigation.headers
        request.body = navigation.body
        request.presentation = .tab
        request.page = navigation.page
        for try await event in broker.events(for: request) {
            switch event {
            case .presenting(let presenting): send(id, .presenting(presenting))
            case .finished(let outcome): return send(id, .finished(outcome))
            }
        }
        if !Task.isCancelled { refuse(id, .noBroker, "The broker ended the connection before the answer.") }
    }

    private func sendRules(_ id: Int) async throws {
        var urls = try await broker.status().urls[...]
        repeat {
            var bytes = 0
            let part = urls.prefix {
                bytes += $0.utf8.count + 3
                return bytes <= Self.urlBytesMax
            }
            // Skip a single URL that is too long for a message; no browser could open it.
            urls = part.isEmpty ? urls.dropFirst() : urls.dropFirst(part.count)
            send(id, .rules(Array(part), more: !urls.isEmpty))
        } while !urls.isEmpty
    }

    /// Watches for changes of profiles. While there is no broker it tries again, after increasing pauses.
    private func watch() async throws {
        var pause = 1
        while true {
            do {
                for try await _ in broker.profileChanges() {
                    pause = 1
                    send(0, .profilesChanged)
                }
            } catch is any BrokerProblem {}
            try await Task.sleep(for: .seconds(pause))
            pause = min(2 * pause, 60)
        }
    }

    private func refuse(_ id: Int, _ reason: NativeAnswer.Reason, _ detail: String) {
        send(id, .unavailable(reason, detail: detail))
    }

    private func send(_ id: Int, _ content: NativeAnswer.Content) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        let message = try? encoder.encode(NativeAnswer(id: id, content: content))
        guard let message, message.count <= NativeFrame.outputBytesMax else {
            // This refusal is short, so that it does not come here again.
            return refuse(id, .tooLarge, "The answer cannot be written in \(NativeFrame.outputBytesMax) bytes.")
        }
        output.write(message)
    }
}
