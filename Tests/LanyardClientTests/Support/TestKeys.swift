import Foundation
import JWTKit
import LanyardAPI

/// Keys that were made for these tests and are used nowhere else.
enum TestKeys {
    /// The app's own key, P-256 in PKCS #8.
    static let clientPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKc48IMFVU+qHYrsl
        COzzTxADOaLr/tn0tm2UOGwDreuhRANCAASmZvuI5sj46vc61VCuXY7PFvM4MGKj
        ajclS+GWPGZVTszWYg4CnW0It1cAG55nYPWrcJOwLxCATrxIPIK78egI
        -----END PRIVATE KEY-----
        """

    /// The service's signing key.
    static let service = try! Insecure.RSA.PrivateKey(pem: servicePEM)  // the text is below
    /// Another RSA key, which the service does not know.
    static let foreign = try! Insecure.RSA.PrivateKey(pem: foreignPEM)  // the text is below

    /// A key set with the service's key under this id.
    static func keySet(keyID: String) throws -> String {
        let (modulus, exponent) = try service.publicKey.getKeyPrimitives()
        let set = JWKSet(keys: [
            JWK(rsaModulus: base64URL(modulus), exponent: base64URL(exponent), keyID: keyID)
        ])
        return String(decoding: try JSONEncoder().encode(set), as: UTF8.self)
    }

    /// A JWS whose payload is the given text, valid JSON or not.
    static func sign(
        _ json: String, keyID: String = "k1", with key: Insecure.RSA.PrivateKey = service, type: String = "JWT"
    ) async throws -> String {
        let keys = await JWTKeyCollection(defaultJWTSerializer: Verbatim())
            .add(rsa: key, digestAlgorithm: .sha256, serializer: Verbatim())
        return try await sign(json, keyID: keyID, type: type, by: keys)
    }

    static func sign(_ json: String, keyID: String, with key: ES256PrivateKey) async throws -> String {
        let keys = await JWTKeyCollection(defaultJWTSerializer: Verbatim()).add(ecdsa: key, serializer: Verbatim())
        return try await sign(json, keyID: keyID, type: "JWT", by: keys)
    }

    private static func sign(
        _ json: String, keyID: String, type: String, by keys: JWTKeyCollection
    ) async throws -> String {
        var header: JWTHeader = ["kid": .string(keyID)]
        header.typ = type
        return try await keys.sign(RawPayload(json: json), header: header)
    }

    static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static let servicePEM = """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDJU3poKOWBGtR8
        Oa/1K5vGg6Q8pLviAIKiDs4RyJSCVeak+W60QEJLS1dXODJytnLTc3gWA9uS/N9X
        X8wXvDVMz2rRuBmZ9yxVI2qZwnRcKFveK9qVa7zrzNcgqCR5i7adOjS3moHks0od
        MKOqXfv6twWAK/uxX++jKu+1XE/BalfTl0/p3+zIKFYPbU4EN9lnQNYDjM6hRNRo
        Tqx/JqCco+ohv5tXOQ+ikYBgtBNjYTPFT16VuJu5r0DRy+TP4TifuIwwYTorsSYF
        EvCt/vfa9J5tP35hGm3Fdd5CegzUiYg0I/4lMpPTQ6k41HdoVWekaFJL0ViPd4oE
        h3G6vkHnAgMBAAECggEAEq3QlxZoSMS0/zuY9D3SC6aOF+RO3Eag2ClYfDTodnlC
        136fA1FM9VBtr5VytMrxt2WouB4ugqI8lI46UN9w8In0BrY2hd71eYa6Lr7obd5+
        u4vFEYT398a/FPQUwkQwssDCQGCw+Yea8j9fiACFTvspIv2xsgDNKo3ixKhma/Lo
        HSxXymR29tPLjz0mhWrnWaljrpVO1zqlbeYbMF7UL6hqb+uU2ylCs/l+drukxycc
        rH9OQCOylBCSLAKklmeVa5T3kujttLLew4RobiFHnXdtTGpp8f7maPSZojuwzcQg
        0hgRUsNz+kIQu3zUhZHbWHGdCkDJ87B4TA0Lad6tZQKBgQD4Fum5+hsBYod8MUKS
        +tgfD45fMZgNIzGegHwDwPMN0ra61zPXoaDCGQxv9clEXqCELAx6vTXCemoLUt7T
        WXp1DxvUWOLWT1ChgiHzyPDUMCFWZ4YyqRcfT60KpA1HeQxf0UIQsH4YzNEqUTiH
        C+ytDo8uNITVy4pFSHflfy5QCwKBgQDPvtke13ydn2bx3UuEV/BmQzRa0tc0HPJd
        T5oyarZ8j0DbqbH7NdpojoAkDG+udh3NJkg5/QP8mgO1q9tBScQslLNniaseTaYS
        ReLy+mm+FhlT3A4dnwLOI8/VNGYeBo0nHSVF2xBbi5JDDgY+3S68uEoJornnWPMO
        3U6ImC6zFQKBgHaq3xmqXIiJDK2HEoUjn4Ub98no+wYts2pRowBYpuoRxH4SuiWG
        llLBkIVtV9xwNu+B8mYzYyenTlokRZlqz3x2waUM71P7lGHs0Ti/ARM+AnRGCJbq
        8rhzcB4K4p8xc43RlnxNL8PFFLfdKeDO/2K3+Bzt2iw5s+X4CAGqmAiJAoGAGnwH
        LBJmtaWTtzPyI64eXLsmmomUm/UwxMqYKuNF3n1Y1Gg+43rLHFdGaNIZDtHKHNRL
        kvD5qCNuY6PEMP+ZfeF7ObDoWtWlXWEBfN6FypEAq5s7RXV3IxaXsWObvSoyppDl
        ppE19aXGgLvx+eOyyKZp8e6H6sGBQxzdnTZhhb0CgYBh6URUWkKQ7tjnXVDjbJ4A
        0GZvqXAEsDaik5QmSLIi/PnxfAXER/ItB5zO1ZS+XS8j20LfFqXHKVYSOB2TYN2o
        KsChnxWr1/vmZDrLxwYuGYBcUUzWsop26ABusW/z4cT2t6CMsofoxIsY2uFkX1nQ
        tex3xn5oKq1OMu88jW8Rrg==
        -----END PRIVATE KEY-----
        """

    private static let foreignPEM = """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQC/AyMiTfL2e+Gt
        1CHtlcuVuHYngnokd4LdHGUf7GPRKxqV1MvfgoCNuB7xTYxU7REjZetTSTN4WUy4
        SLeXwKoTavnsm2+EF7+p6bxo+j8r18v5cfGqya0oaxhTS7Rv9qY+f2ygmzhjoBe0
        y1baYjS298AYJXzBbcOQLU8RNHLgvIapnvaowIw7viHMonKWSvVFlajT20mBrkZW
        P5RJAhQTV+lGP10eMBem4E75tkYX1WsxwF6s8SYwoVJegO3Ws00huXWiJtXnb2Lu
        MxHAjkbgkXfe1k99WNJk0YG+pSXUG/WSFYmLk+9tYgIwVz7UUv9yY4NRw1DOLwJb
        gC7k1vlvAgMBAAECggEAPdvePPXRgVGNPKY+dprUW6BpY1I2DClIECNp/HSpvsue
        yHcprzCsQTknjC35DGfZ7QTMuSQzrv38gpHKIzMZ4T/7wEx2SOkIARbZFYY1fxVb
        0WS9RvoZQcWtEwypWrkeDY9mtnyOPnVSOBLCBedX+wkxBKDfTiUl+EM0H/ZEXdMg
        7R3D/xB/NvHn4dI1Oy7CmG6YhoacVEuQwHMojdSrf0nXlFmg8i2IspRpa1qyAUVC
        7im1+NFE9N0WBSGmZNgkpzyglZXSJc15a5tUGR+SfGxOpWYxdqgra8udkwpq0Ktc
        nO0+f9JlVoq++e5SPeTNc2nxr4M7pDrRO2wYFzyUAQKBgQDfTubtZqNbtBqt87Qx
        xQS+cTbeepgXHRnvzRiWVxFwIB18VbYJEpJBzw6+f7y5fz+CmoyXVWuqf2EygRPu
        o0cG++fBYBES9zeFskVGBIfGNt6vhNImhgiutRQtVWGW5U6BM5aUJtD7ZBcuhk0a
        vCSEKd1L7wXtliiqQanQ9U71LwKBgQDa+dqqDm9sda1PIm8uayKJumYcyivoQAJg
        noblOwUUzQxpS2tylpZGKUt8Nyak3WUgzj6h987YiurikG1XICRFYhzgIu++8DkI
        EIuqGcYY4hDT6Q8skwkYJ+MK5ggMDIt8LoQIDWxV3tVsQxzPg7AhQFRdGPVpsMIO
        fzBanVuvwQKBgDLRP9gSnWZHDDM93GnfDf9QwE3M1EOeScK6h7fexIchp9QdpTlX
        UpVLS22qoAYOoSNVjFz8AW5hYnsdyK1r1sQOG2V0OS55t9bjBMS0TzmaTv7eWPyP
        T/aCGr9eSMEQGddpKAE6/B/ZXTUnNvC4lA7HgCbBlDXHECX+n2iACqHdAoGAep/I
        T8rdosMTVmlWEYx1PuNfI2gjxl9x9WFQ8TVn1woslRpjBTxG0ut1Fg5cWZ6RbxmQ
        AWugLas9dbqjQFMDfMdAnFN0Jlyn01hQneTpBi4ydjjhAnkkcp6Diire/sBXrCbw
        UQITVNMAeSvsClkYXMaFd8zuQU12nl+jWFseaQECgYBH4VsyBub80hK9ko1Rep6a
        h5o9YmRuYrj0koU60uRlaUf1X5kWyz2kaXsmfc8gkh8bGQekjcio5IqonPHWbncv
        +UevB0xlG35RaftKaNrnMFma8pLSHnacEjDc9iERiDhD2LbvvEbkLOc0218SGR2L
        k7f2qZxIs10cVF4TteTfsQ==
        -----END PRIVATE KEY-----
        """
}

private struct RawPayload: JWTPayload {
    let json: String
    func verify(using algorithm: some JWTAlgorithm) {}
}

/// Signs the text itself instead of its JSON encoding.
private struct Verbatim: JWTSerializer {
    var jsonEncoder: any JWTJSONEncoder { .defaultForJWT }

    func serialize(_ payload: some JWTPayload, header: JWTHeader) throws -> Data {
        let json = (payload as? RawPayload)?.json ?? ""
        return Data(TestKeys.base64URL(Data(json.utf8)).utf8)
    }
}
