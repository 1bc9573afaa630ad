import Administration
import Directory
import Foundation
import PasswordSlips
import ServerPages

extension SlipDocument {
    /// - Parameters:
    ///   - address: of the server, as people are to type it.
    ///   - language: nil for that of the organization, or English.
    package init(_ issued: IssuedPasswords, address: String, language: SlipLanguage?, layout: SlipLayout) {
        let badge = Badge(
            name: issued.organization, id: issued.organizationID,
            tone: issued.colour.flatMap { Tone(rawValue: $0.rawValue) })
        self.init(
            issued.people.map {
                PasswordSlip(
                    school: $0.school ?? issued.organization, className: $0.class, name: $0.fullName,
                    userName: $0.userName, password: $0.password)
            },
            address: address, validUntil: issued.validUntil, colour: badge.tone.code,
            language: language ?? issued.language.flatMap(SlipLanguage.init) ?? .english,
            layout: layout, madeAt: issued.validUntil.addingTimeInterval(-Credential.temporaryLifetime))
    }
}
