/// The embedded files, under the names that SwiftPM derives from theirs.
enum Resources {
    static let style = PackageResources.lanyard_css
    static let script = PackageResources.lanyard_js
    static let icon = PackageResources.lanyard_svg

    static func catalogue(in language: Language) -> [UInt8] {
        switch language {
        case .english: PackageResources.en_json
        case .japanese: PackageResources.ja_json
        case .korean: PackageResources.ko_json
        }
    }

    /// Mustache text by template name.
    static var templates: [String: String] {
        [
            "badge": PackageResources.badge_mustache,
            "change-password": PackageResources.change_password_mustache,
            "consent": PackageResources.consent_mustache,
            "error": PackageResources.error_mustache,
            "field": PackageResources.field_mustache,
            "first-administrator": PackageResources.first_administrator_mustache,
            "form-post": PackageResources.form_post_mustache,
            "hidden-fields": PackageResources.hidden_fields_mustache,
            "home": PackageResources.home_mustache,
            "layout": PackageResources.layout_mustache,
            "not-allowed": PackageResources.not_allowed_mustache,
            "not-shared": PackageResources.not_shared_mustache,
            "sign-in": PackageResources.sign_in_mustache,
            "signed-out": PackageResources.signed_out_mustache,
            "web-message": PackageResources.web_message_mustache,
        ].mapValues { String(decoding: $0, as: UTF8.self) }
    }
}
