import Administration
import ArgumentParser
import Directory
import Foundation
import PasswordSlips
import ServerHTTP
import ServerPages

extension SlipDocument {
    /// - Parameter address: of the server, as people are to type it.
    init(_ issued: IssuedPasswords, address: String, language: SlipLanguage, layout: SlipLayout) {
        let badge = Badge(
            name: issued.organization, id: issued.organizationID,
            tone: issued.colour.flatMap { Tone(rawValue: $0.rawValue) })
        self.init(
            issued.people.map {
                PasswordSlip(
                    school: $0.school ?? issued.organization, className: $0.class, name: $0.fullName,
                    userName: $0.userName, password: $0.password)
            },
            address: address, validUntil: issued.validUntil, colour: badge.tone.code, language: language,
            layout: layout, madeAt: issued.validUntil.addingTimeInterval(-Credential.temporaryLifetime))
    }
}

extension SlipLanguage: ExpressibleByArgument {}
extension SlipLayout.Paper: ExpressibleByArgument {}

extension Deployment {
    /// Where people sign in, as they are to type it.
    static func address(_ global: GlobalOptions) async throws -> String {
        let url: String
        if let server = try global.remote {
            url = server.text
        } else {
            url = try await withExisting(global) { _, settings in try await settings.server().baseURL }
        }
        // A browser adds it by itself.
        return url.hasPrefix("https://") ? String(url.dropFirst("https://".count)) : url
    }
}
