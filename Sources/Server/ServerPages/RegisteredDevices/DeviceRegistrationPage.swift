/// The code that registers a device, shown once.
package struct DeviceRegistrationPage: Page {
    /// The code in the form in which people read it: `WDJB-MJHT-KPQR`.
    package let code: String
    /// How long the code is valid.
    package let minutes: Int
    /// Only managed accounts have devices.
    package let owner: Badge
    package let accountPath: String

    package init(code: String, minutes: Int, owner: Badge, accountPath: String) {
        self.code = code
        self.minutes = minutes
        self.owner = owner
        self.accountPath = accountPath
    }

    package var view: View {
        View(
            "device-registration",
            heading: Sentence("deviceCode.heading"),
            content: [
                "userCode": .text(code),
                "minutes": .count(minutes),
                "accountPath": .text(accountPath),
            ],
            owner: owner)
    }
}
