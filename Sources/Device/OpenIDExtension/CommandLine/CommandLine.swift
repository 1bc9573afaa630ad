import ExtensionVault
import Ground
import SingleSignOnExtension
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// The command line of `lanyard-openid`: shows the device's key, and pairs the device with a server.
///
/// It is in the program that the broker starts, so that both read the same key from the same folder.
public struct DeviceCommand: Sendable {
    static let usage = """
        Usage: lanyard-openid COMMAND [--data FOLDER]

          device-key                      prints the public half of this device's key, as a JWK
          csr [--subject NAME]            prints a certificate signing request (PKCS#10, PEM) for the key
          pair URL --code CODE [--name NAME] [--certificate-authority FILE]
                                          hands the key in at a server, with the one-time code that you have got;
                                          URL ends in /device-registration, as the profile names it
          unpair                          forgets the server; the key stays
          status                          says what is saved, and where its key is

        The data folder is that of the broker for this extension, unless --data names another.
        The broker starts the program without a command.
        """

    /// Whether the program was started with a command. The broker starts it without one.
    public static var isWanted: Bool { CommandLine.arguments.count > 1 }

    /// - Returns: the exit status: 0, 1 for a failure, 64 for wrong usage.
    public static func run(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) async -> Int32 {
        do {
            try await DeviceCommand(arguments).run()
            return 0
        } catch let wrong as WrongUsage {
            writeToLog("lanyard-openid: \(wrong.reason)")
            writeToStandardError("\n\(usage)\n")
            return 64
        } catch {
            writeToLog("lanyard-openid: \(error)")
            return 1
        }
    }

    private struct WrongUsage: Error { let reason: String }

    private let command: String
    private let operands: [String]
    private let options: [String: String]

    private init(_ arguments: [String]) throws {
        let known: [String: Set<String>] = [
            "device-key": [], "csr": ["subject"], "pair": ["code", "name", "certificate-authority"], "unpair": [],
            "status": [], "--help": [], "-h": [], "help": [],
        ]
        guard let command = arguments.first, let allowed = known[command] else {
            throw WrongUsage(reason: "“\(arguments.first ?? "")” is no command.")
        }
        var operands: [String] = []
        var options: [String: String] = [:]
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                operands.append(argument)
                continue
            }
            let name = String(argument.dropFirst(2))
            guard allowed.contains(name) || name == "data" else {
                throw WrongUsage(reason: "\(command) knows no \(argument).")
            }
            guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
                throw WrongUsage(reason: "\(argument) needs a value.")
            }
            options[name] = value
        }
        guard operands.count == (command == "pair" ? 1 : 0) else {
            throw WrongUsage(
                reason: command == "pair" ? "pair needs one URL." : "\(command) takes no “\(operands[0])”.")
        }
        self.command = command
        self.operands = operands
        self.options = options
    }

    private func run() async throws {
        if ["help", "--help", "-h"].contains(command) { return print(Self.usage) }
        let vault = options["data"].map { Vault(ExtensionFolder(path: $0)) } ?? .ofUser
        switch command {
        case "device-key":
            let key = try DeviceKey.find(in: vault)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
            let jwk = key.publicJWK.merging(["kid": key.thumbprint, "alg": "ES256", "use": "sig"]) { $1 }
            print(String(decoding: try encoder.encode(jwk), as: UTF8.self))
        case "csr":
            let name = options["subject"] ?? DeviceRegistration.hostName
            let text = try DeviceKey.find(in: vault).signingRequest(commonName: name)
            print(text, terminator: "")
        case "pair": try await pair(vault)
        case "unpair": DeviceRegistration.remove(from: vault)
        default: try printStatus(vault)
        }
    }

    private func pair(_ vault: Vault) async throws {
        guard let url = URL(string: operands[0]), url.origin != nil, url.path().hasSuffix("/device-registration") else {
            throw WrongUsage(reason: "“\(operands[0])” is no https URL that ends in /device-registration.")
        }
        guard let code = options["code"] else { throw WrongUsage(reason: "pair needs --code.") }
        let authorities = try options["certificate-authority"].map { path in
            [String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)]
        }
        let registration = try await DeviceRegistration.register(
            at: url, code: code, name: options["name"] ?? DeviceRegistration.hostName,
            key: try DeviceKey.find(in: vault),
            facts: .read(), authorities: authorities ?? [], http: HTTPClient(now: Surroundings.system.now), in: vault)
        print("This device is paired with \(registration.server) as \(registration.device.inOneLine()).")
    }

    private func printStatus(_ vault: Vault) throws {
        print("The key of what is saved is \(try vault.key().place.description).")
        let hasKey = try vault.read("device-key") != nil
        print(hasKey ? "This device has a key of its own." : "This device has no key of its own yet.")
        if let registration = try DeviceRegistration.find(in: vault) {
            print("It is paired with \(registration.server) as \(registration.device.inOneLine()).")
        } else {
            print("It is paired with no server.")
        }
        print(try vault.read("cookies") == nil ? "No web session is saved." : "A web session is saved.")
    }
}
