import ArgumentParser
import Foundation
import SingleSignOnClient
import SingleSignOnWire

/// What every command has that asks an extension.
struct AskOptions: ParsableArguments {
    @Flag(name: .customLong("no-ui"), help: "Do not ask the person: exit code 7 if the extension would have to.")
    var isSilent = false

    @Option(name: .customLong("option"), help: "key=value for the extension. May be repeated.")
    var options: [String] = []

    @Option(name: .customLong("scope"), help: "A scope to ask for. May be repeated.")
    var scopes: [String] = []

    func validate() throws {
        guard options.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
            throw ValidationError("--option is key=value.")
        }
    }

    /// Where a person is asked: in the terminal that the command was typed into, or in the desktop's browser.
    private var presentation: BrokerRequest.Presentation {
        isSilent ? .none : isatty(STDIN_FILENO) == 1 && TerminalPresenter.isAvailable ? .terminal : .desktop
    }

    func request(_ url: String, operation: String? = nil) -> BrokerRequest {
        var request = BrokerRequest(url: url)
        request.operation = operation
        request.options = options.map { option in
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return HeaderField(String(parts[0]), String(parts[1]))
        }
        request.scopes = scopes.isEmpty ? nil : scopes
        request.presentation = presentation
        return request
    }

    /// As the HTTP client takes it.
    var anchor: ASPresentationAnchor {
        switch presentation {
        case .none: .none
        case .terminal: .terminal
        case .desktop, .tab: .desktop
        }
    }
}

/// A URL that a broker can be asked about.
struct AskedURL: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard let url = URL(string: argument), let scheme = url.scheme?.lowercased() else { return nil }
        let isWeb = (scheme == "https" || scheme == "http") && url.host()?.isEmpty == false
        guard isWeb || [SingleSignOnURL.realmScheme, SingleSignOnURL.hostScheme].contains(scheme) else { return nil }
        text = argument
    }
}
