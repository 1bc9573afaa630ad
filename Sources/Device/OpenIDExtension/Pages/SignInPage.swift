import Ground
import WebClient
import WebPages
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A page of a provider, and what has to happen for the sign-in to continue.
struct SignInPage: Sendable {
    enum Meaning: Sendable {
        /// The page redirects by itself, with `<meta http-equiv=refresh>`.
        case refresh(URL)
        case selfPosting(PageForm)
        /// The person has to fill in or allow something.
        case question(PageForm)
        /// Only a browser can show the page.
        case unreadable
    }

    let url: URL
    let heading: String
    /// The page's error message.
    let problem: String?
    let meaning: Meaning

    /// - Parameter isProvider: whether a URL belongs to the provider.
    /// - Returns: nil if the reply is not an HTML page, or one that ``HTMLElement`` cannot read.
    init?(_ reply: HTTPReply, from url: URL, isProvider: (URL) -> Bool) {
        let type = reply.headers["Content-Type"]?.lowercased() ?? ""
        guard type.isEmpty || type.contains("html"),
            let root = HTMLElement(page: reply.body, charset: Self.charset(of: type))
        else { return nil }
        self.url = url
        let all = root.visible
        let title = all.first { $0.name == "title" }?.words ?? ""
        heading = all.first { $0.name == "h1" && !$0.words.isEmpty }?.words ?? title
        problem = Self.problem(in: all)
        meaning = Self.meaning(of: FormReader(root, url: url).forms, all, url: url, isProvider: isProvider)
    }

    private static func charset(of type: String) -> String? {
        guard let start = type.firstRange(of: "charset=") else { return nil }
        return type[start.upperBound...].prefix { $0 != ";" }.trimmingWhitespace.filter { $0 != "\"" && $0 != "'" }
    }

    private static func problem(in all: [HTMLElement]) -> String? {
        let words: Set<String> = [
            "error", "errors", "danger", "alert-danger", "alert-error", "problem", "errorlist", "invalid-feedback",
            "error-message", "form-error", "kc-feedback-text", "has-error", "text-danger",
        ]
        let said = all.first { element in
            // `words` is checked last: reading it for every element takes time quadratic in the size of the page.
            (element["role"] == "alert" || !element.classes.isDisjoint(with: words)) && !element.isHidden
                && !["input", "form", "body", "html"].contains(element.name) && !element.words.isEmpty
        }
        return said.map { String($0.words.prefix(300)) }
    }

    // MARK: Meaning

    private static func meaning(
        of forms: [PageForm], _ all: [HTMLElement], url: URL, isProvider: (URL) -> Bool
    ) -> Meaning {
        if let target = refreshTarget(in: all, url: url) { return .refresh(target) }
        // A form without visible fields may be the provider's answer, or a decision that the person has to make. So it
        // is sent only if the page has nothing to type or to press, or if the form carries a protocol message.
        let isAsking = forms.contains(where: \.isFilledIn)
        let hasPresses = isAsking || all.contains(where: \.isPressed)
        let silent = forms.filter { form in
            guard !form.isFilledIn, form.isPlain, !form.fixedFields.isEmpty else { return false }
            return !hasPresses || !isAsking && form.isMessage(within: isProvider(form.action))
        }
        let messages = silent.filter { $0.isMessage(within: isProvider($0.action)) }
        let candidates = messages.isEmpty ? silent : messages
        // Among several forms the person has to choose.
        if candidates.count == 1, let form = candidates.first {
            let leadsOut = !isProvider(form.action)
            let isSent = submitsItself(all) && (leadsOut || forms.count == 1)
            if isSent || leadsOut && form.isPost || form.isMessage(within: false) { return .selfPosting(form) }
        }

        // What people type is sent to the provider only, and never in a URL, which would end up in logs and histories.
        let asking = forms.filter { isProvider($0.action) && $0.isPlain && $0.isPost }
        if let form = asking.first(where: \.hasPassword)
            ?? asking.first(where: { form in
                form.controls.contains { $0.isUserName || $0.kind == .oneTimeCode }
            })
        {
            return .question(form)
        }
        let decisions = asking.filter { $0.button != nil && $0.rank >= 0 }
        if let form = decisions.max(by: { $0.rank < $1.rank }) { return .question(form) }
        return .unreadable
    }

    private static func submitsItself(_ all: [HTMLElement]) -> Bool {
        all.contains { element in
            let script = element.name == "script" ? element.content : element["onload"] ?? ""
            return script.contains("submit(") || script.contains(".click()")
        }
    }

    /// The target of a `<meta http-equiv=refresh>` that takes effect within five seconds.
    private static func refreshTarget(in all: [HTMLElement], url: URL) -> URL? {
        for element in all where element.name == "meta" && element["http-equiv"]?.lowercased() == "refresh" {
            let content = element["content"] ?? ""
            let seconds = Double(content.prefix { $0 != ";" && $0 != "," }.trimmingWhitespace) ?? 0
            guard seconds <= 5, let start = content.lowercased().firstRange(of: "url=") else { continue }
            let offset = content.lowercased().distance(from: content.lowercased().startIndex, to: start.upperBound)
            let target = content.dropFirst(offset).trimmingWhitespace.filter { $0 != "'" && $0 != "\"" }
            if let target = URL(string: target, relativeTo: url)?.absoluteURL { return target }
        }
        return nil
    }
}

extension HTMLElement {
    /// Whether a person may click it: a button, a link, or an element with a script. Links count because a script may
    /// make them submit a form.
    fileprivate var isPressed: Bool {
        switch name {
        case "button", "a", "area": true
        case "input" where ["submit", "image", "button"].contains(self["type"]?.lowercased() ?? "text"): true
        default: self["onclick"] != nil || self["role"]?.lowercased() == "button"
        }
    }
}

extension PageForm {
    /// Whether it carries a message that pages post without asking: a SAML request or response, a WS-Federation result,
    /// or an OpenID Connect response.
    /// - Parameter isWithin: whether it is posted to the provider itself. There a consent form may have the fields of
    ///   an OpenID Connect response too, so these do not count.
    fileprivate func isMessage(within isWithin: Bool) -> Bool {
        let names = Set(fixedFields.map { $0.name.lowercased() })
        if !names.isDisjoint(with: ["samlresponse", "samlrequest", "wresult"]) { return true }
        return !isWithin
            && (names.contains("id_token") || names.isSuperset(of: ["code", "state"])
                || names.isSuperset(of: ["error", "state"]))
    }
}
