import Crypto
import Foundation
import Hummingbird
import LanyardClient

/// Posts the service's form to the same address again, from the app's own origin.
///
/// Browsers send no `Lax` cookie with a form from another site, such as the service's page. From this page they do. The
/// form is not trusted more because of that: it still has to match the cookie.
struct RepostPage {
    /// The field that marks a form that was posted again.
    static let mark = "reposted"

    let fields: FormFields

    private static let names = ["code", "id_token", "state", "user", "iss", "error", "error_description"]
    private static let script = "document.forms[0].submit()"

    var response: Response {
        let inputs = (Self.names + [Self.mark]).compactMap { name -> String? in
            let value = name == Self.mark ? "1" : fields[name]
            return value.map { #"<input type="hidden" name="\#(name)" value="\#($0.escapedForHTML)">"# }
        }
        let hash = Data(SHA256.hash(data: Data(Self.script.utf8))).base64EncodedString()
        return SmallPage(
            title: "Signing in",
            content: """
                <form method="post">
                \(inputs.joined(separator: "\n"))
                <button>Continue</button>
                </form>
                <script>\(Self.script)</script>
                """,
            scriptHash: hash
        ).response(.ok)
    }
}
