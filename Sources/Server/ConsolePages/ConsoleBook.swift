import ServerPages

extension PageBook {
    /// The pages of the console.
    package static var console: PageBook {
        PageBook(
            name: "console",
            templates: [
                "console": PackageResources.console_mustache,
                "console-cell": PackageResources.console_cell_mustache,
                "console-field": PackageResources.console_field_mustache,
                "console-form": PackageResources.console_form_mustache,
                "console-table": PackageResources.console_table_mustache,
            ].mapValues { String(decoding: $0, as: UTF8.self) },
            catalogue: { language in
                switch language {
                case .english:
                    [
                        PackageResources.console_en_json, PackageResources.people_en_json,
                        PackageResources.actions_en_json, PackageResources.portal_en_json,
                        PackageResources.imports_en_json,
                        PackageResources.activity_en_json, PackageResources.devices_en_json,
                        PackageResources.passwords_en_json, PackageResources.classes_en_json,
                        PackageResources.locations_en_json,
                        PackageResources.access_en_json, PackageResources.apps_en_json,
                        PackageResources.settings_en_json,
                    ]
                case .japanese:
                    [
                        PackageResources.console_ja_json, PackageResources.people_ja_json,
                        PackageResources.actions_ja_json, PackageResources.portal_ja_json,
                        PackageResources.imports_ja_json,
                        PackageResources.activity_ja_json, PackageResources.devices_ja_json,
                        PackageResources.passwords_ja_json, PackageResources.classes_ja_json,
                        PackageResources.locations_ja_json,
                        PackageResources.access_ja_json, PackageResources.apps_ja_json,
                        PackageResources.settings_ja_json,
                    ]
                case .korean:
                    [
                        PackageResources.console_ko_json, PackageResources.people_ko_json,
                        PackageResources.actions_ko_json, PackageResources.portal_ko_json,
                        PackageResources.imports_ko_json,
                        PackageResources.activity_ko_json, PackageResources.devices_ko_json,
                        PackageResources.passwords_ko_json, PackageResources.classes_ko_json,
                        PackageResources.locations_ko_json,
                        PackageResources.access_ko_json, PackageResources.apps_ko_json,
                        PackageResources.settings_ko_json,
                    ]
                }
            },
            sentences: ConsoleSentences.all,
            style: PackageResources.console_css,
            script: PackageResources.console_js)
    }
}
