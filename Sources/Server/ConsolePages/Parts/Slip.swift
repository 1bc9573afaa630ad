import Foundation
import ServerPages

/// What one person gets on paper: where they sign in, and with what.
package struct Slip: Sendable {
    let house: Badge
    let name: String
    let userName: String
    let password: String
    /// The address of the server, as people are to type it.
    let address: String
    let validUntil: Date

    package init(
        house: Badge, name: String, userName: String, password: String, address: String, validUntil: Date
    ) {
        self.house = house
        self.name = name
        self.userName = userName
        self.password = password
        self.address = address
        self.validUntil = validUntil
    }

    var content: Content {
        [
            "slipTone": house.content["tone"] ?? .absent, "slipHouse": .text(house.name.shown),
            "slipName": .text(name.shown), "slipUserName": .address(userName), "slipPassword": .text(password),
            "slipAddress": .address(address),
            "slipAdvice": .sentence(Sentence("consoleSlip.advice", ["day": .day(validUntil)])),
        ]
    }
}
