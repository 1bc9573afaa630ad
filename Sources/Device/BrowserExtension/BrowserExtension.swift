#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The browser extension that leads navigations to the broker, embedded in the binary.
///
/// The scripts are in `Resources`, in the form in which browsers run them. A browser's folder differs from that one in
/// two things: it has one of the two manifests, and the texts of each language are where browsers look for them.
package enum BrowserExtension {
    package enum Engine: String, CaseIterable, Sendable {
        case chromium, firefox
    }

    package struct File: Sendable {
        /// The path below the extension's folder, with slashes.
        package let path: String
        package let content: [UInt8]

        package init(path: String, content: [UInt8]) {
            self.path = path
            self.content = content
        }
    }

    /// All files of the extension, the manifest first, always in the same order.
    package static func files(for engine: Engine) -> [File] {
        let own: [File] =
            switch engine {
            case .chromium:
                [
                    File(path: "manifest.json", content: PackageResources.manifest_chromium_json),
                    File(path: "background.chromium.js", content: PackageResources.background_chromium_js),
                    File(path: "redirect-rules.chromium.js", content: PackageResources.redirect_rules_chromium_js),
                ]
            case .firefox:
                [
                    File(path: "manifest.json", content: PackageResources.manifest_firefox_json),
                    File(path: "background.firefox.js", content: PackageResources.background_firefox_js),
                ]
            }
        return own + shared
    }

    private static let shared = [
        File(path: "answer.js", content: PackageResources.answer_js),
        File(path: "cards.js", content: PackageResources.cards_js),
        File(path: "circle.js", content: PackageResources.circle_js),
        File(path: "conversation.js", content: PackageResources.conversation_js),
        File(path: "cookies.js", content: PackageResources.cookies_js),
        File(path: "coverage.js", content: PackageResources.coverage_js),
        File(path: "form.js", content: PackageResources.form_js),
        File(path: "host.js", content: PackageResources.host_js),
        File(path: "icon-128.png", content: PackageResources.icon_128_png),
        File(path: "icon-48.png", content: PackageResources.icon_48_png),
        File(path: "lanyard.svg", content: PackageResources.lanyard_svg),
        File(path: "page.css", content: PackageResources.page_css),
        File(path: "page.html", content: PackageResources.page_html),
        File(path: "page.js", content: PackageResources.page_js),
        File(path: "profiles.js", content: PackageResources.profiles_js),
        File(path: "suppression.js", content: PackageResources.suppression_js),
        File(path: "_locales/en/messages.json", content: PackageResources.en_json),
        File(path: "_locales/ja/messages.json", content: PackageResources.ja_json),
        File(path: "_locales/ko/messages.json", content: PackageResources.ko_json),
    ]

    // MARK: For web pages that look like those of the extension

    package static let style = String(decoding: PackageResources.page_css, as: UTF8.self)
    /// The icon, as SVG in Base64.
    package static let icon = Data(PackageResources.lanyard_svg).base64EncodedString()
    /// The lanyard on which the card hangs, as SVG for HTML.
    package static let strap: String = {
        let page = String(decoding: PackageResources.page_html, as: UTF8.self)
        let start = page.firstRange(of: "<svg")!.lowerBound
        return String(page[start..<page.firstRange(of: "</svg>")!.upperBound])
    }()
}
