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

/// Options of all commands that send a request to an extension.
struct AskOptions: ParsableArguments {
    @Flag(name: .customLong("no-ui"), help: "Do not ask the person: exit code 7 if the extension would have to.")
    var isSilent = false

    @Option(name: .customLong("option"), help: "key=value for the extension. May be repeated.")
    var options: [KeyValue] = []

    @Option(name: .customLong("scope"), help: "A scope to ask for. May be repeated.")
    var scopes: [String] = []

    /// Where questions to the person are shown: in the terminal of the command, or else in the desktop's browser.
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

    /// The same as an anchor for ``SingleSignOnHTTPClient``.
    var anchor: ASPresentationAnchor {
        switch presentation {
        case .none: .none
        case .terminal: .terminal
        case .desktop, .tab: .desktop
        }
    }
}

/// An argument that is a URL about which the broker can be asked.
struct AskedURL: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard let url = URL(string: argument), let scheme = url.scheme?.lowercased() else { return nil }
        let isWeb = (scheme == "https" || scheme == "http") && url.host()?.isEmpty == false
        guard isWeb || [SingleSignOnURL.realmScheme, SingleSignOnURL.hostScheme].contains(scheme) else { return nil }
        text = argument
    }
}
