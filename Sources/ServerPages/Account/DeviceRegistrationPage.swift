/// The code that registers a device, shown once.
package struct DeviceRegistrationPage: Page {
    /// As people read it: `WDJB-MJHT-KPQR`.
    package let code: String
    /// How long it is good.
    package let minutes: Int
    package let accountPath: String

    package init(code: String, minutes: Int, accountPath: String) {
        self.code = code
        self.minutes = minutes
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
            ])
    }
}
