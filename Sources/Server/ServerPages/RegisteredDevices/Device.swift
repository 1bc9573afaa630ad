/// A browser and the system that it runs on, as a person recognizes them: "Safari on iPhone".
package struct Device: Equatable, Sendable {
    /// A proper name; nil if unknown.
    package let browser: String?
    package let system: String?

    package init(browser: String?, system: String?) {
        self.browser = browser
        self.system = system
    }

    /// Reads the `User-Agent` field (RFC 9110 §10.1.5), which can contain anything. Unknown parts are left out, and the
    /// field itself is never shown.
    package init(userAgent: String?) {
        let text = userAgent ?? ""
        // The more specific names first: Edge also calls itself Chrome and Safari, and Android also calls itself Linux.
        let browsers = [
            ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Whale/", "Whale"),
            ("Vivaldi", "Vivaldi"), ("Firefox/", "Firefox"), ("FxiOS", "Firefox"), ("CriOS", "Chrome"),
            ("Chromium", "Chromium"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
        ]
        let systems = [
            ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
            ("Windows", "Windows"), ("Mac OS X", "Mac"), ("Macintosh", "Mac"), ("Linux", "Linux"),
        ]
        self.init(
            browser: browsers.first { text.contains($0.0) }?.1,
            system: systems.first { text.contains($0.0) }?.1
        )
    }

    var sentence: Sentence {
        switch (browser, system) {
        case (let browser?, let system?):
            Sentence("device.browserOnSystem", ["browser": .text(browser), "system": .text(system)])
        case (let name?, nil), (nil, let name?):
            Sentence("device.named", ["name": .text(name)])
        case (nil, nil):
            Sentence("device.unknown")
        }
    }

    static let sentences = [
        Sentence("device.browserOnSystem"), Sentence("device.named"), Sentence("device.unknown"),
    ]
}
