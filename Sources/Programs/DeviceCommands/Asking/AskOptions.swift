import ArgumentParser
import CommandOutput
import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// What every command has that asks an extension.
struct AskOptions: ParsableArguments {
    @Flag(name: .customLong("no-ui"), help: "Do not ask the person: exit code 7 if the extension would have to.")
    var isSilent = false

    @Option(name: .customLong("option"), help: "key=value for the extension. May be repeated.")
    var options: [KeyValue] = []

    @Option(name: .customLong("scope"), help: "A scope to ask for. May be repeated.")
    var scopes: [String] = []

    /// Where a person is asked: in the terminal that the command was typed into, or in the desktop's browser.
    private var presentation: BrokerRequest.Presentation {
        isSilent ? .none : isatty(STDIN_FILENO) == 1 && TerminalPresenter.isAvailable ? .terminal : .desktop
    }

    func request(_ url: String, operation: String? = nil) -> BrokerRequest {
        var request = BrokerRequest(url: url)
        request.operation = operation
        request.options = options.map { HeaderField($0.key, $0.value) }
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
