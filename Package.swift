// swift-tools-version: 6.2
import PackageDescription

// Each target is a room with one job, and rooms stand in wings: server, device, and what clients link. Arrows point
// downwards only, and the wings import nothing from each other but wire types. docs/architecture.md draws them, and
// `make check` looks that they hold.

let package = Package(
    name: "lanyard",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "lanyard", targets: ["lanyard"]),
        .executable(name: "lanyard-sso", targets: ["lanyard-sso"]),
        .executable(name: "quizzler", targets: ["quizzler"]),
        .executable(name: "burgers-and-tacos", targets: ["burgers-and-tacos"]),
        .library(name: "LanyardAPI", targets: ["LanyardAPI"]),
        .library(name: "LanyardClient", targets: ["LanyardClient"]),
        .library(name: "LanyardHummingbird", targets: ["LanyardHummingbird"]),
        .executable(name: "lanyard-broker", targets: ["lanyard-broker"]),
        .executable(name: "lanyard-openid", targets: ["lanyard-openid"]),
        .executable(name: "lanyard-kerberos", targets: ["lanyard-kerberos"]),
        .executable(name: "lanyard-device", targets: ["lanyard-device"]),
        .library(name: "SingleSignOn", targets: ["SingleSignOn"]),
        .library(name: "SingleSignOnClient", targets: ["SingleSignOnClient"]),
        .library(name: "SingleSignOnHTTP", targets: ["SingleSignOnHTTP"]),
        .library(name: "SingleSignOnExtension", targets: ["SingleSignOnExtension"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["JSON"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: ["FullFoundation"]),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
    ],
    targets: [
        // System libraries, from Debian's -dev packages.
        .library("CSQLite", "sqlite3", "libsqlite3-dev"),
        .library("CPostgres", "libpq", "libpq-dev"),
        .library("CArgon2", "libargon2", "libargon2-dev"),
        .library("CArchive", "libarchive", "libarchive-dev"),
        .library("CCurl", "libcurl", "libcurl4-openssl-dev"),
        .library("CXML", "libxml-2.0", "libxml2-dev"),
        .library("CSystemd", "libsystemd", "libsystemd-dev"),
        .library("COpenSSL", "libcrypto", "libssl-dev"),
        .library("CPango", "pangocairo", "libpango1.0-dev"),
        .library("CFido2", "libfido2", "libfido2-dev"),
        .library("CCares", "libcares", "libc-ares-dev"),
        .library("CQRCode", "libqrencode", "libqrencode-dev"),
        .library("CKerberos", "mit-krb5-gssapi", "libkrb5-dev"),
        .target(name: "CLinux", path: "Sources/System/CLinux", publicHeadersPath: "."),
        .target(name: "CBuild", path: "Sources/System/CBuild", publicHeadersPath: "."),
        // In C, because functions of the library, which is loaded on demand, take a variable number of arguments.
        .target(name: "CSecretService", path: "Sources/System/CSecretService"),

        // What every wing stands on: one rule for each small thing that all of them need.
        .target(name: "Ground", dependencies: [.crypto], path: "Sources/Ground"),
        // c-ares as Swift uses it, for servers and devices alike.
        .target(name: "NameServers", dependencies: ["CCares", "Ground"], path: "Sources/System/NameServers"),

        // The server's rooms, from the ground up.
        .room(.server, "Storage", ["CPostgres", "CSQLite", "Ground"]),
        .room(.server, "Schema", ["Storage"]),
        .room(.server, "Directory", ["CArgon2", "CFido2", "Ground", "Storage", .crypto]),
        .room(.server, "Outbox", ["Storage"]),
        .room(.server, "Mail", ["CCurl", "Directory", "Ground", "Outbox", "Storage"]),
        .room(.server, "RosterFiles", ["CArchive", "Directory", "Ground", "Storage", .crypto]),
        .room(
            .server, "Authorization", ["COpenSSL", "Directory", "Ground", "Outbox", "Storage", .crypto, .cryptoExtras]),
        .room(.server, "Accounts", ["Authorization", "Directory", "Ground", "Mail", "Storage"]),
        .room(.server, "DomainNames", ["CCares", "NameServers"]),
        .room(.server, "KerberosTickets", ["CKerberos", "Ground", .crypto]),
        .room(
            .server, "Administration",
            [
                "Accounts", "Authorization", "Directory", "DomainNames", "Ground", "HiddenMail", "Mail", "Pictures",
                "RosterFiles", "Storage", .crypto,
            ]),
        .room(.server, "PasswordSlips", ["CPango"]),
        .room(.server, "Pictures", ["CPango"]),
        .room(
            .server, "HiddenMail",
            [
                "Authorization", "Directory", "Ground", "Mail", "Storage", .logging, .nio("NIOCore"), .nio("NIOPosix"),
                .lifecycle("ServiceLifecycle"),
            ]),
        .room(
            .server, "ServerPages", ["CQRCode", "Ground"], resources: [.embedInCode("Resources")]),
        .room(
            .server, "ConsolePages",
            ["Administration", "Authorization", "Directory", "Ground", "RosterFiles", "ServerPages"],
            resources: [.embedInCode("Resources")]),
        .room(.server, "BrowserSDK", resources: [.embedInCode("Resources")]),
        .room(
            .server, "ServerHTTP",
            [
                "Accounts", "Administration", "Authorization", "BrowserSDK", "CArchive", "ConsolePages", "Directory",
                "DomainNames", "Ground", "HiddenMail", "KerberosTickets",
                "LanyardAPI", "Mail",
                "NameServers", "Outbox", "PasswordSlips", "RosterFiles", "ServerPages", "Storage", .asyncHTTPClient,
                .crypto,
                .httpTypes,
                .nio("NIOCore"), .nio("NIOHTTP1"),
                .nio("NIOPosix"),
                .nioExtras("NIOExtras"), .nioExtras("NIOHTTPTypes"), .nioExtras("NIOHTTPTypesHTTP1"),
                .hummingbird("Hummingbird"),
                .hummingbird("HummingbirdCore"), .logging, .lifecycle("ServiceLifecycle"),
            ]),

        // The device's rooms. What an extension links is little, so that it starts at once.
        .room(.device, "SingleSignOnWire"),
        .room(.device, "KerberosProfile", ["Ground", "SingleSignOnWire"]),
        .room(.device, "KerberosDomain", ["CCares", "Ground", "KerberosProfile", "NameServers"]),
        .room(.device, "WebPages", ["CXML"]),
        .room(.device, "WebClient", ["CCurl", "Ground", "SingleSignOnWire"]),
        .room(.device, "SingleSignOnExtension", ["SingleSignOnWire"]),
        .room(.device, "SingleSignOn", ["COpenSSL", "Ground", "KerberosProfile", "SingleSignOnWire", .crypto]),
        .room(
            .device, "SingleSignOnClient",
            [
                "Ground", "SingleSignOnWire", "WebPages", .logging, .nio("NIOCore"), .nio("NIOHTTP1"),
                .nio("NIOPosix"),
            ]),
        .room(
            .device, "SingleSignOnHTTP",
            [
                "Ground", "SingleSignOnClient", "SingleSignOnWire", .asyncHTTPClient, .logging, .nio("NIOCore"),
                .nio("NIOHTTP1"), .nio("NIOPosix"),
            ]),
        .room(.device, "AssociationFiles", ["CCurl", "Ground", "SingleSignOn", "SingleSignOnWire", "WebClient"]),
        .room(
            .device, "SingleSignOnBroker",
            [
                "BrowserExtension", "CLinux", "CSystemd", "Ground", "SingleSignOn", "SingleSignOnWire",
                .logging, .nio("NIOConcurrencyHelpers"), .nio("NIOCore"), .nio("NIOHTTP1"), .nio("NIOPosix"),
            ]),
        .room(.device, "ExtensionVault", ["CSecretService", "Ground", "SingleSignOnExtension", .crypto]),
        .room(
            .device, "OpenIDExtension",
            [
                "CLinux", "CSecretService", "ExtensionVault", "Ground", "SingleSignOnExtension", "SingleSignOnWire",
                "WebClient", "WebPages", .crypto, .cryptoExtras,
            ]),
        .room(
            .device, "KerberosExtension",
            [
                "CKerberos", "CLinux", "CSystemd", "ExtensionVault", "Ground", "KerberosDomain", "KerberosProfile",
                "NameServers", "SingleSignOnExtension", "SingleSignOnWire", "WebClient", .crypto,
            ],
            resources: [.embedInCode("Resources")]),
        .room(.device, "BrowserExtension", resources: [.embedInCode("Resources")]),

        // What the servers of apps link.
        .room(.client, "LanyardAPI"),
        .room(
            .client, "LanyardClient",
            [
                "Ground", "LanyardAPI", .asyncHTTPClient, .crypto, .jwtKit, .nio("NIOCore"), .nio("NIOHTTP1"),
                .nio("NIOPosix"),
            ]),
        .room(
            .client, "LanyardHummingbird",
            [
                "Ground", "LanyardAPI", "LanyardClient", .crypto, .httpTypes, .hummingbird("Hummingbird"), .logging,
                .nio("NIOCore"),
            ]),

        // Made-up districts, for the demo and for trying things out.
        .room(.demo, "SampleDistrict"),

        // The programs. What they do is in libraries that tests reach.
        .room(.programs, "CommandOutput", ["CBuild", "Ground", .argumentParser, .logging]),
        .room(
            .programs, "ServerCommands",
            [
                "Accounts", "Administration", "Authorization", "CCurl", "CLinux", "CSystemd", "CommandOutput",
                "Directory", "DomainNames", "Ground", "HiddenMail", "KerberosTickets", "Mail", "NameServers", "Outbox",
                "PasswordSlips", "RosterFiles",
                "SampleDistrict", "Schema", "ServerHTTP",
                "ServerPages", "SingleSignOn", "SingleSignOnWire", "Storage",
                .argumentParser,
                .asyncHTTPClient, .crypto, .logging, .nio("NIOCore"), .nio("NIOHTTP1"), .nio("NIOPosix"), .nioSSL,
                .lifecycle("ServiceLifecycle"), .lifecycle("UnixSignals"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Configuration", package: "swift-configuration"),
            ]),
        .program("lanyard", ["ServerCommands"]),
        .room(
            .programs, "DeviceCommands",
            [
                "AssociationFiles", "BrowserExtension", "CommandOutput", "ExtensionVault", "Ground", "KerberosDomain",
                "KerberosProfile",
                "OpenIDExtension", "SingleSignOn", "SingleSignOnClient", "SingleSignOnWire", "WebClient",
                .argumentParser, .crypto, .cryptoExtras,
            ]),
        .program("lanyard-sso", ["DeviceCommands"]),
        .room(
            .programs, "BrokerCommands",
            [
                "CommandOutput", "SingleSignOn", "SingleSignOnBroker", .argumentParser, .logging,
            ]),
        .program("lanyard-broker", ["BrokerCommands"]),
        .program("lanyard-openid", ["OpenIDExtension"]),
        .program("lanyard-kerberos", ["KerberosExtension"]),
        // All four, as they are installed.
        .program("lanyard-device", ["BrokerCommands", "DeviceCommands", "KerberosExtension", "OpenIDExtension"]),

        // Another company's app.
        .program(
            "quizzler",
            [
                "LanyardAPI", "LanyardClient", "LanyardHummingbird", .argumentParser, .crypto, .httpTypes,
                .hummingbird("Hummingbird"), .logging, .mustache, .nio("NIOCore"), .lifecycle("ServiceLifecycle"),
            ],
            path: "Examples/Quizzler"),

        // A company's web site, and a native program for what it protects: the scene of single sign-on.
        .program(
            "burgers-and-tacos",
            [
                "LanyardAPI", "LanyardClient", "SingleSignOnClient", .argumentParser, .asyncHTTPClient, .httpTypes,
                .hummingbird("Hummingbird"), .logging, .nio("NIOCore"), .nio("NIOHTTP1"), .nioSSL,
            ],
            path: "Examples/BurgersAndTacos"),

        // What authors of extensions begin with; docs/sign-on-extensions.md quotes it.
        .program(
            "sign-on-extension", ["SingleSignOnExtension", "SingleSignOnWire"], path: "Examples/SignOnExtension",
            exclude: ["association.py"]),
        // The app of docs/native-sign-in.md.
        .program("native-sign-in", ["SingleSignOnClient"], path: "Examples/NativeSignIn"),

        // Compared with a hash map in `make bench`.
        .program("match-benchmark", ["SingleSignOn"], path: "Benchmarks/Matching"),
        // Compared with another library for SQLite in `make bench`.
        .program("storage-benchmark", ["Storage"], path: "Benchmarks/Storage"),
        // Compared with the broker in `make bench`.
        .program(
            "hummingbird-benchmark", [.hummingbird("Hummingbird"), .nio("NIOCore"), .nio("NIOPosix")],
            path: "Benchmarks/Hummingbird"),

        // An extension that behaves as the request says, also badly.
        .program(
            "sso-test-extension", ["SingleSignOnExtension", "SingleSignOnWire"], path: "Tests/TestExtension"),
        // An extension that asks once, and then answers apps, pages and challenges.
        .program(
            "sso-account-extension", ["SingleSignOnExtension", "SingleSignOnWire"], path: "Tests/AccountExtension"),

        // Both databases, for the tests of storage; a test says so if one is not installed.
        .support("TestSupport", ["Schema", "Storage"]),
        // Keys and certificates that the openssl command makes.
        .support("TestCertificates"),
        // NSD with a zone of its own.
        .support("TestNameServer", ["NameServers"]),
        // The same numbers for the same seed.
        .support("SeededNumbers"),
        .support(
            "Fixtures",
            [
                "Authorization", "Directory", "Ground", "SeededNumbers", "Storage", .crypto, .cryptoExtras,
                .nio("NIOCore"),
                .nio("NIOPosix"),
            ]),

        // Each operation of administrators as somebody would ask for it, in the process or over the API.
        .support(
            "AdministrationExamples",
            [
                "Accounts", "Administration", "Authorization", "Directory", "DomainNames", "Fixtures", "Ground", "Mail",
                "RosterFiles", "Storage", "TestSupport",
            ]),

        .tests("GroundTests", ["Fixtures", "Ground", "SeededNumbers"]),
        .tests("StorageTests", ["Schema", "Storage", "TestSupport"]),
        .tests(
            "DirectoryTests",
            [
                "CArgon2", "Directory", "Fixtures", "Ground", "Schema", "SeededNumbers", "Storage", "TestSupport",
                .crypto, .cryptoExtras,
            ]),
        .tests("OutboxTests", ["Fixtures", "Outbox", "Storage", "TestSupport"]),
        .tests(
            "MailTests",
            ["Directory", "Fixtures", "Ground", "Mail", "Outbox", "SeededNumbers", "Storage", "TestSupport"]),
        .tests(
            "RosterFilesTests",
            [
                "CArchive", "Directory", "Ground", "RosterFiles", "SampleDistrict", "Schema", "SeededNumbers",
                "Storage", "TestSupport",
            ]),
        .tests("SampleDistrictTests", ["SampleDistrict"]),
        .tests(
            "AuthorizationTests",
            [
                "Authorization", "Directory", "Fixtures", "Ground", "Outbox", "Schema", "SeededNumbers", "Storage",
                "TestSupport",
                .crypto,
                .cryptoExtras,
            ]),
        .tests(
            "AccountsTests",
            ["Accounts", "Authorization", "Directory", "Fixtures", "Ground", "Mail", "Storage", "TestSupport"]),
        .tests(
            "AdministrationTests",
            [
                "Accounts", "Administration", "AdministrationExamples", "Authorization", "Directory", "Fixtures",
                "Ground", "Mail", "RosterFiles", "Storage", "TestSupport",
            ]),
        .tests("DomainNamesTests", ["DomainNames", "TestNameServer"]),
        .tests("KerberosTicketsTests", ["KerberosTickets", "TestSupport"]),
        .tests("PasswordSlipsTests", ["PasswordSlips"]),
        .tests("PicturesTests", ["Pictures", "TestSupport"]),
        .tests(
            "HiddenMailTests",
            [
                "Authorization", "Directory", "Fixtures", "HiddenMail", "Mail", "SeededNumbers", "Storage",
                "TestSupport", .logging,
                .nio("NIOCore"), .lifecycle("ServiceLifecycle"),
            ]),
        .tests("ServerPagesTests", ["Ground", "ServerPages"]),
        .tests("ConsolePagesTests", ["Administration", "ConsolePages", "ServerPages"]),
        // A server in the process of a test, with a school, apps and browsers.
        .tests(
            "TestServers",
            [
                "Accounts", "Administration", "Authorization", "Directory", "Fixtures", "Ground", "HiddenMail", "Mail",
                "RosterFiles", "ServerHTTP", "ServerPages", "Storage", "TestSupport", .asyncHTTPClient, .crypto,
                .cryptoExtras, .httpTypes, .hummingbird("Hummingbird"), .jwtKit, .logging, .nio("NIOCore"),
                .nio("NIOFoundationCompat"), .nio("NIOHTTP1"), .lifecycle("ServiceLifecycle"),
            ]),
        // What apps, devices and browsers ask for.
        .tests(
            "ServerHTTPTests",
            [
                "Accounts", "Administration", "Authorization", "Directory", "Fixtures", "Ground", "Mail", "Outbox",
                "RosterFiles", "SeededNumbers", "ServerHTTP", "Storage", "TestServers", "TestSupport", .asyncHTTPClient,
                .crypto, .httpTypes, .hummingbird("Hummingbird"), .hummingbird("HummingbirdCore"), .jwtKit, .logging,
                .nio("NIOCore"), .nio("NIOEmbedded"), .nio("NIOHTTP1"), .nio("NIOPosix"),
                .nioExtras("NIOHTTPTypes"), .nioExtras("NIOHTTPTypesHTTP1"), .lifecycle("ServiceLifecycle"),
            ]),
        // What administrators, developers and everybody with an account ask for, by pages and by programs.
        .tests(
            "ConsoleTests",
            [
                "Accounts", "Administration", "AdministrationExamples", "Authorization", "ConsolePages", "Directory",
                "Fixtures", "Ground", "HiddenMail", "Mail", "RosterFiles", "ServerHTTP", "ServerPages", "Storage",
                "TestServers", "TestSupport", .crypto, .hummingbird("Hummingbird"), .nio("NIOHTTP1"),
            ]),
        .tests("KerberosProfileTests", ["CKerberos", "KerberosProfile", "SeededNumbers", "SingleSignOnWire"]),
        .tests(
            "KerberosDomainTests",
            [
                "Ground", "KerberosDomain", "KerberosProfile", "NameServers", "SeededNumbers", "SingleSignOnWire",
                "TestNameServer",
            ]),
        .tests("SingleSignOnTests", ["SingleSignOn", "SingleSignOnWire", "TestCertificates"]),
        .tests("SingleSignOnExtensionTests", ["SingleSignOnExtension", "SingleSignOnWire"]),
        .tests(
            "SingleSignOnClientTests",
            [
                "Ground", "SingleSignOnClient", "SingleSignOnHTTP", "SingleSignOnWire", .asyncHTTPClient,
                .nio("NIOCore"), .nio("NIOHTTP1"),
            ]),
        .tests(
            "SingleSignOnBrokerTests",
            [
                "AssociationFiles", "Ground", "SingleSignOn", "SingleSignOnBroker", "SingleSignOnWire",
                "TestCertificates", "WebClient", .logging,
                .nio("NIOCore"), .nio("NIOEmbedded"), .nio("NIOHTTP1"), .nio("NIOPosix"), .nioSSL,
            ]),
        .tests(
            "OpenIDExtensionTests",
            [
                "ExtensionVault", "Ground", "OpenIDExtension", "SingleSignOnExtension", "SingleSignOnWire", "WebClient",
                .crypto,
            ]),
        .tests(
            "KerberosExtensionTests",
            [
                "ExtensionVault", "Ground", "KerberosDomain", "KerberosExtension", "KerberosProfile", "SeededNumbers",
                "SingleSignOnExtension", "SingleSignOnWire", "TestNameServer",
            ]),
        .tests("LanyardAPITests", ["LanyardAPI"]),
        .tests("CommandOutputTests", ["CommandOutput"]),
        .tests(
            "ServerCommandsTests",
            [
                "CommandOutput", "Directory", "Ground", "SeededNumbers", "ServerCommands", "Storage", .argumentParser,
                .crypto,
            ]),
        .tests(
            "DeviceCommandsTests",
            [
                "BrowserExtension", "CommandOutput", "DeviceCommands", "ExtensionVault", "SingleSignOn",
                "SingleSignOnWire", .argumentParser, .crypto, .cryptoExtras,
            ]),
        .tests(
            "LanyardClientTests",
            [
                "LanyardAPI", "LanyardClient", .asyncHTTPClient, .crypto, .httpTypes, .hummingbird("Hummingbird"),
                .hummingbird("HummingbirdTesting"), .jwtKit, .nio("NIOCore"), .nio("NIOHTTP1"), .nio("NIOPosix"),
            ]),
        .tests(
            "LanyardHummingbirdTests",
            [
                "LanyardAPI", "LanyardClient", "LanyardHummingbird", .crypto, .cryptoExtras, .httpTypes,
                .hummingbird("Hummingbird"), .hummingbird("HummingbirdTesting"), .jwtKit, .logging, .nio("NIOCore"),
            ]),
        .tests(
            "QuizzlerTests",
            [
                "LanyardAPI", "LanyardClient", "LanyardHummingbird", "quizzler", .cryptoExtras, .httpTypes,
                .hummingbird("Hummingbird"), .hummingbird("HummingbirdTesting"), .jwtKit, .logging, .nio("NIOCore"),
            ]),
    ]
)

var settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
if Context.environment["CI"] == "true" {
    // For our own targets only: a deprecation in a dependency must not stop us.
    settings += [.treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning)]
}

for target in package.targets where target.type != .system {
    target.swiftSettings = settings
    // All tests and programs run through these two, which compile quickly: the longest test takes three quarters of its
    // time then. `scripts/check` has nothing else optimized.
    if Context.environment["LANYARD_RUN_ONCE"] == "true", ["Ground", "Storage"].contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-Xfrontend", "-O"]))
    }
    // Swift brings lld along, which links in a fraction of the time of the linker that is used otherwise. Only for what is
    // linked here: a package that uses our libraries could not have such a setting among them.
    if target.type == .executable || target.type == .test {
        target.linkerSettings = [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]
    }
}

// MARK: Short names

enum Wing: String {
    case server = "Server"
    case device = "Device"
    case client = "Client"
    case demo = "Demo"
    case programs = "Programs"
}

extension Target {
    /// A room, in the folder of its wing, with the same name as its module.
    static func room(
        _ wing: Wing, _ name: String, _ dependencies: [Dependency] = [], resources: [Resource]? = nil
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Sources/\(wing.rawValue)/\(name)", resources: resources)
    }

    static func program(
        _ name: String, _ dependencies: [Dependency], path: String? = nil, exclude: [String] = []
    ) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: path ?? "Sources/Programs/\(name)", exclude: exclude)
    }

    /// What several tests use.
    static func support(_ name: String, _ dependencies: [Dependency] = []) -> Target {
        .target(name: name, dependencies: dependencies, path: "Tests/\(name)")
    }

    static func tests(_ name: String, _ dependencies: [Dependency]) -> Target {
        .testTarget(name: name, dependencies: dependencies)
    }

    /// - Parameter package: the name of Debian's package.
    static func library(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
        .systemLibrary(
            name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
    }
}

extension Target.Dependency {
    static var argumentParser: Self { .product(name: "ArgumentParser", package: "swift-argument-parser") }
    static var asyncHTTPClient: Self { .product(name: "AsyncHTTPClient", package: "async-http-client") }
    static var crypto: Self { .product(name: "Crypto", package: "swift-crypto") }
    static var cryptoExtras: Self { .product(name: "CryptoExtras", package: "swift-crypto") }
    static var httpTypes: Self { .product(name: "HTTPTypes", package: "swift-http-types") }
    static var jwtKit: Self { .product(name: "JWTKit", package: "jwt-kit") }
    static var logging: Self { .product(name: "Logging", package: "swift-log") }
    static var mustache: Self { .product(name: "Mustache", package: "swift-mustache") }
    static var nioSSL: Self { .product(name: "NIOSSL", package: "swift-nio-ssl") }

    static func hummingbird(_ name: String) -> Self { .product(name: name, package: "hummingbird") }
    static func lifecycle(_ name: String) -> Self { .product(name: name, package: "swift-service-lifecycle") }
    static func nio(_ name: String) -> Self { .product(name: name, package: "swift-nio") }
    static func nioExtras(_ name: String) -> Self { .product(name: name, package: "swift-nio-extras") }
}
