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
                        PackageResources.actions_en_json, PackageResources.access_en_json,
                        PackageResources.apps_en_json,
                    ]
                case .japanese:
                    [
                        PackageResources.console_ja_json, PackageResources.people_ja_json,
                        PackageResources.actions_ja_json, PackageResources.access_ja_json,
                        PackageResources.apps_ja_json,
                    ]
                case .korean:
                    [
                        PackageResources.console_ko_json, PackageResources.people_ko_json,
                        PackageResources.actions_ko_json, PackageResources.access_ko_json,
                        PackageResources.apps_ko_json,
                    ]
                }
            },
            sentences: ConsoleSentences.all,
            style: PackageResources.console_css,
            script: PackageResources.console_js)
    }
}
