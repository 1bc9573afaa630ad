/// The embedded files, under the names that SwiftPM derives from theirs.
enum Resources {
    static let style = PackageResources.lanyard_css
    static let script = PackageResources.lanyard_js
    static let icon = PackageResources.lanyard_svg
    /// For documents that are one file.
    static let reportStyle = String(decoding: PackageResources.report_css, as: UTF8.self)

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
            "account": PackageResources.account_mustache,
            "account-creation": PackageResources.account_creation_mustache,
            "address": PackageResources.address_mustache,
            "badge": PackageResources.badge_mustache,
            "blocked": PackageResources.blocked_mustache,
            "connected-apps": PackageResources.connected_apps_mustache,
            "consent": PackageResources.consent_mustache,
            "contacts": PackageResources.contacts_mustache,
            "device-approval": PackageResources.device_approval_mustache,
            "device-registration": PackageResources.device_registration_mustache,
            "terminal-approval": PackageResources.terminal_approval_mustache,
            "done": PackageResources.done_mustache,
            "error": PackageResources.error_mustache,
            "factor-reminder": PackageResources.factor_reminder_mustache,
            "field": PackageResources.field_mustache,
            "form": PackageResources.form_mustache,
            "form-post": PackageResources.form_post_mustache,
            "hidden-fields": PackageResources.hidden_fields_mustache,
            "layout": PackageResources.layout_mustache,
            "names": PackageResources.names_mustache,
            "next-steps": PackageResources.next_steps_mustache,
            "not-allowed": PackageResources.not_allowed_mustache,
            "not-shared": PackageResources.not_shared_mustache,
            "one-time-codes": PackageResources.one_time_codes_mustache,
            "passkey": PackageResources.passkey_mustache,
            "recovery-codes": PackageResources.recovery_codes_mustache,
            "sign-in-ways": PackageResources.sign_in_ways_mustache,
            "person-data": PackageResources.person_data_mustache,
            "person-chip": PackageResources.person_chip_mustache,
            "shared": PackageResources.shared_mustache,
            "sign-out": PackageResources.sign_out_mustache,
            "signed-out": PackageResources.signed_out_mustache,
            "web-message": PackageResources.web_message_mustache,
            "sessions": PackageResources.sessions_mustache,
            "renew-sharing": PackageResources.renew_sharing_mustache,
            "stop-sharing": PackageResources.stop_sharing_mustache,
            "stop-using": PackageResources.stop_using_mustache,
            "who": PackageResources.who_mustache,
            "welcome": PackageResources.welcome_mustache,
            "welcome-head": PackageResources.welcome_head_mustache,
            "welcome-person": PackageResources.welcome_person_mustache,
        ].mapValues { String(decoding: $0, as: UTF8.self) }
    }
}
