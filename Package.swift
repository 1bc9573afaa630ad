// swift-tools-version: 6.2
import PackageDescription

// Each target is a room with one job; arrows point downwards only. docs/architecture.md draws them.

var settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
if Context.environment["CI"] == "true" {
    // Ours only; a dependency that deprecates something does not stop us.
    settings += [.treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning)]
}

let package = Package(
    name: "lanyard",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "lanyard", targets: ["lanyard"]),
        .executable(name: "quizzler", targets: ["quizzler"]),
        .executable(name: "burgers-and-tacos", targets: ["burgers-and-tacos"]),
        .library(name: "LanyardAPI", targets: ["LanyardAPI"]),
        .library(name: "LanyardClient", targets: ["LanyardClient"]),
        .library(name: "LanyardHummingbird", targets: ["LanyardHummingbird"]),
        .executable(name: "lanyard-broker", targets: ["lanyard-broker"]),
        .executable(name: "lanyard-openid", targets: ["lanyard-openid"]),
        .library(name: "SingleSignOn", targets: ["SingleSignOn"]),
        .library(name: "SingleSignOnClient", targets: ["SingleSignOnClient"]),
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
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

        // What others link.
        .target(name: "LanyardAPI", swiftSettings: settings),
        .target(
            name: "LanyardClient",
            dependencies: [
                "LanyardAPI",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "LanyardHummingbird",
            dependencies: [
                "LanyardAPI", "LanyardClient",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),

        // The device's rooms. What an extension links is little, so that it starts at once.
        .target(name: "CLinux", publicHeadersPath: "."),
        .target(name: "SingleSignOnWire", swiftSettings: settings),
        .target(name: "WebPages", dependencies: ["CXML"], swiftSettings: settings),
        .target(name: "SingleSignOnExtension", dependencies: ["SingleSignOnWire"], swiftSettings: settings),
        .target(
            name: "SingleSignOn",
            dependencies: ["COpenSSL", "SingleSignOnWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        .target(
            name: "SingleSignOnClient",
            dependencies: [
                "SingleSignOnWire", "WebPages",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "SingleSignOnBroker",
            dependencies: [
                "BrowserExtension", "CLinux", "CSystemd", "SingleSignOn", "SingleSignOnWire",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "lanyard-broker",
            dependencies: [
                "SingleSignOn", "SingleSignOnBroker",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        // C, because the library that it loads when it is needed takes arguments of any number.
        .target(name: "CSecretService"),
        .target(
            name: "OpenIDExtension",
            dependencies: [
                "SingleSignOnExtension", "SingleSignOnWire", "CCurl", "CSecretService", "WebPages",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "lanyard-openid",
            dependencies: ["CLinux", "OpenIDExtension", "SingleSignOnExtension", "SingleSignOnWire"],
            swiftSettings: settings),

        // The server's rooms, from the ground up.
        .target(
            name: "Storage",
            dependencies: ["CSQLite", "CPostgres", .product(name: "Logging", package: "swift-log")],
            swiftSettings: settings
        ),
        .target(name: "Schema", dependencies: ["Storage"], swiftSettings: settings),
        .target(
            name: "Directory",
            dependencies: ["Schema", "Storage", "CArgon2", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings
        ),
        .target(name: "Mail", dependencies: ["CCurl", "Directory", "Storage"], swiftSettings: settings),
        .target(
            name: "RosterFiles",
            dependencies: ["Directory", "Storage", "CArchive", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings
        ),
        .target(
            name: "Authorization",
            dependencies: [
                "Directory", "Mail", "Storage", "COpenSSL",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: settings
        ),
        .target(name: "SampleDistrict", swiftSettings: settings),
        .target(
            name: "ServerPages",
            dependencies: [.product(name: "Mustache", package: "swift-mustache")],
            resources: [.embedInCode("Resources")],
            swiftSettings: settings
        ),
        .target(name: "BrowserExtension", resources: [.embedInCode("Resources")], swiftSettings: settings),
        .target(name: "BrowserSDK", resources: [.embedInCode("Resources")], swiftSettings: settings),
        .target(
            name: "Server",
            dependencies: [
                "Authorization", "BrowserSDK", "Directory", "LanyardAPI", "Mail", "ServerPages", "Storage",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "lanyard",
            dependencies: [
                "Authorization", "BrowserExtension", "CArchive", "Directory", "Mail", "OpenIDExtension", "RosterFiles",
                "SampleDistrict", "Schema", "Server", "SingleSignOn", "SingleSignOnClient", "SingleSignOnWire",
                "Storage",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Configuration", package: "swift-configuration"),
            ],
            swiftSettings: settings
        ),

        // Another company's app.
        .executableTarget(
            name: "quizzler",
            dependencies: [
                "LanyardAPI", "LanyardClient", "LanyardHummingbird",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Examples/Quizzler",
            swiftSettings: settings
        ),

        // A company's web site, and a native program for what it protects: the scene of single sign-on.
        .executableTarget(
            name: "burgers-and-tacos",
            dependencies: [
                "LanyardAPI", "LanyardClient", "SingleSignOnClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Examples/BurgersAndTacos",
            swiftSettings: settings
        ),

        // What authors of extensions begin with; docs/sign-on-extensions.md quotes it.
        .executableTarget(
            name: "sign-on-extension", dependencies: ["SingleSignOnExtension", "SingleSignOnWire"],
            path: "Examples/SignOnExtension", exclude: ["association.py"], swiftSettings: settings),

        // What runs beside a hash map in `make bench`.
        .executableTarget(
            name: "match-benchmark", dependencies: ["SingleSignOn"], path: "Benchmarks/Matching",
            swiftSettings: settings),

        // An extension that behaves as the request says, also badly.
        .executableTarget(
            name: "sso-test-extension", dependencies: ["SingleSignOnExtension", "SingleSignOnWire"],
            path: "Tests/TestExtension", swiftSettings: settings),

        // An extension that asks once, and then answers apps, pages and challenges.
        .executableTarget(
            name: "sso-account-extension", dependencies: ["SingleSignOnExtension", "SingleSignOnWire"],
            path: "Tests/AccountExtension", swiftSettings: settings),

        // The app of docs/native-sign-in.md.
        .executableTarget(
            name: "native-sign-in", dependencies: ["SingleSignOnClient"], path: "Examples/NativeSignIn",
            swiftSettings: settings),

        // What every test of storage uses: both databases, or a word that one is absent.
        .target(
            name: "TestSupport", dependencies: ["Schema", "Storage"], path: "Tests/TestSupport", swiftSettings: settings
        ),
        // Keys and certificates that the openssl command makes.
        .target(name: "TestCertificates", path: "Tests/TestCertificates", swiftSettings: settings),
        .target(
            name: "Fixtures",
            dependencies: [
                "Authorization", "Directory", "Storage",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            path: "Tests/Fixtures",
            swiftSettings: settings
        ),
        .testTarget(
            name: "AuthorizationTests",
            dependencies: [
                "Authorization", "Directory", "Fixtures", "Mail", "Schema", "Storage", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DirectoryTests",
            dependencies: [
                "Directory", "Fixtures", "Storage", "TestSupport", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),
        .testTarget(name: "LanyardAPITests", dependencies: ["LanyardAPI"], swiftSettings: settings),
        .testTarget(
            name: "LanyardClientTests",
            dependencies: [
                "LanyardAPI", "LanyardClient",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LanyardHummingbirdTests",
            dependencies: [
                "LanyardAPI", "LanyardClient", "LanyardHummingbird",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MailTests", dependencies: ["Directory", "Fixtures", "Mail", "Storage", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "QuizzlerTests",
            dependencies: [
                "LanyardAPI", "LanyardClient", "LanyardHummingbird", "quizzler",
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RosterFilesTests",
            dependencies: ["CArchive", "Directory", "RosterFiles", "SampleDistrict", "Storage", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "Authorization", "Directory", "Fixtures", "Mail", "Server", "ServerPages", "Storage", "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "SampleDistrictTests", dependencies: ["SampleDistrict"], swiftSettings: settings),
        .testTarget(name: "ServerPagesTests", dependencies: ["ServerPages"], swiftSettings: settings),
        .testTarget(
            name: "SingleSignOnTests", dependencies: ["SingleSignOn", "SingleSignOnWire", "TestCertificates"],
            swiftSettings: settings),
        .testTarget(
            name: "SingleSignOnBrokerTests",
            dependencies: [
                "SingleSignOn", "SingleSignOnBroker", "SingleSignOnExtension", "SingleSignOnWire", "TestCertificates",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SingleSignOnClientTests",
            dependencies: [
                "SingleSignOnClient", "SingleSignOnWire",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SingleSignOnExtensionTests", dependencies: ["SingleSignOnExtension", "SingleSignOnWire"],
            swiftSettings: settings),
        .testTarget(
            name: "OpenIDExtensionTests",
            dependencies: [
                "OpenIDExtension", "SingleSignOnExtension", "SingleSignOnWire",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),
        .testTarget(name: "StorageTests", dependencies: ["Storage", "TestSupport"], swiftSettings: settings),
    ]
)
