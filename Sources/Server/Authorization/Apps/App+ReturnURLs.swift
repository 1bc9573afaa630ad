import Storage

/// The addresses to which an app has answers sent. A request names one of them as its `redirect_uri`, and the exchange
/// of its code repeats it. RFC 6749 §3.1.2.
extension App {
    /// The return URLs of the app, in alphabetical order.
    package static func returnURLs(of app: AppID, in transaction: some Transaction) throws -> [String] {
        try transaction.all("SELECT url FROM return_url WHERE app_id = $1 ORDER BY url", [app]) { try $0[0] }
    }

    /// Whether the app has a return URL, compared byte by byte; only the port of a loopback address may differ (RFC
    /// 8252 §7.3).
    func hasReturnURL(_ url: String, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM return_url WHERE app_id = $1 AND (url = $2 OR url = $3)",
            [id, url, ReturnURL.withoutLoopbackPort(url) ?? url])
    }

    /// Replaces the return URLs.
    package func put(returnURLs: [ReturnURL], in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM return_url WHERE app_id = $1", [id])
        try add(returnURLs: returnURLs, in: transaction)
    }

    package func add(returnURLs: [ReturnURL], in transaction: WriteTransaction) throws {
        for url in returnURLs {
            try transaction.execute(
                "INSERT INTO return_url (app_id, url) VALUES ($1, $2) ON CONFLICT (app_id, url) DO NOTHING",
                [id, url.text])
        }
    }

    /// Removes a return URL. From the next call on no code is sent there, and no code that was sent there is redeemed.
    /// - Returns: false if the app has no such return URL.
    package func remove(returnURL: String, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM return_url WHERE app_id = $1 AND url = $2", [id, returnURL]) > 0
    }
}
