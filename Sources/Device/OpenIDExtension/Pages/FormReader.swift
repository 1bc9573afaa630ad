import Ground
import SingleSignOnWire
import WebPages

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the forms of a page, with the labels of their fields.
struct FormReader {
    private let root: HTMLElement
    /// The page's URL.
    private let url: URL
    /// The URL against which relative ones are resolved: that of `<base>`, or the page's.
    private let base: URL
    private let labels: [String: String]
    /// Elements outside of their form, by the form's `id`.
    private let outside: [String: [HTMLElement]]

    init(_ root: HTMLElement, url: URL) {
        self.root = root
        self.url = url
        let all = root.visible
        outside = Dictionary(grouping: all.filter { $0["form"] != nil }) { $0["form"] ?? "" }
        let base = all.first { $0.name == "base" }?["href"].flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
        self.base = base ?? url
        labels = Dictionary(
            all.filter { $0.name == "label" }.compactMap { label in label["for"].map { ($0, label.words) } }
        ) { first, _ in first }
    }

    var forms: [PageForm] { forms(in: root, isAside: false) }

    private func forms(in element: HTMLElement, isAside: Bool) -> [PageForm] {
        if element.isUnseen { return [] }
        if element.name == "form" { return [form(element, isAside: isAside)].compactMap { $0 } }
        let isAside = isAside || ["footer", "nav", "header", "aside"].contains(element.name) || element.isHidden
        return element.elements.flatMap { forms(in: $0, isAside: isAside) }
    }

    private func form(_ element: HTMLElement, isAside: Bool) -> PageForm? {
        guard let url = target(element["action"]) else { return nil }
        var form = PageForm(
            action: url, isPost: element["method"]?.lowercased() == "post",
            isPlain: [nil, "", FormEncoding.contentType].contains(element["enctype"]?.lowercased()),
            controls: [], buttons: [])
        collect(element, into: &form, label: nil, isDisabled: false)
        for element in element["id"].flatMap({ outside[$0] }) ?? [] { add(element, to: &form, label: nil) }
        if let target = form.button?.action { form.action = target }
        let words = ([element["id"] ?? "", element["name"] ?? "", url.path()] + element.classes).joined(separator: " ")
        let aside = ["logout", "signout", "sign-out", "language", "locale", "search", "switch"]
        form.rank =
            (isAside || aside.contains { words.lowercased().contains($0) } ? -4 : 0)
            + (form.buttons.contains(where: \.isWayOut) ? 4 : 0)
            + (form.buttons.contains { $0.isPrimary && !$0.isWayOut } ? 2 : 0)
        return form
    }

    /// Resolves a form's `action`. An empty or missing one means the page itself; nil if it is not a URL.
    private func target(_ address: String?) -> URL? {
        let address = address?.trimmingWhitespace ?? ""
        return address.isEmpty ? url : URL(string: address, relativeTo: base)?.absoluteURL
    }

    private func collect(_ element: HTMLElement, into form: inout PageForm, label: String?, isDisabled: Bool) {
        for child in element.elements {
            if child.isUnseen { continue }
            let isDisabled = isDisabled || child.name == "fieldset" && child["disabled"] != nil
            if !isDisabled { add(child, to: &form, label: label) }
            // A label names its control with `for`, or contains it.
            let label = child.name == "label" ? child["for"].flatMap { labels[$0] } ?? child.words : label
            if !["select", "button"].contains(child.name) {
                collect(child, into: &form, label: label, isDisabled: isDisabled)
            }
        }
    }

    private func add(_ element: HTMLElement, to form: inout PageForm, label: String?) {
        guard element["disabled"] == nil else { return }
        switch element.name {
        case "input": addInput(element, to: &form, label: label)
        case "button":
            let type = element["type"]?.lowercased() ?? "submit"
            if type == "submit" { form.buttons.append(button(element, label: element.words)) }
        case "select":
            guard let name = element["name"], !name.isEmpty else { return }
            let options = element.all.filter { $0.name == "option" && $0["disabled"] == nil }
            guard let chosen = options.first(where: { $0["selected"] != nil }) ?? options.first else { return }
            form.controls.append(
                .init(name: name, kind: .fixed, label: "", value: chosen["value"] ?? chosen.words))
        case "textarea":
            guard let name = element["name"], !name.isEmpty else { return }
            form.controls.append(.init(name: name, kind: .fixed, label: "", value: element.content))
        default: break
        }
    }

    private func addInput(_ element: HTMLElement, to form: inout PageForm, label: String?) {
        let type = element["type"]?.lowercased() ?? "text"
        let name = element["name"] ?? ""
        if ["submit", "image"].contains(type) {
            form.buttons.append(button(element, label: element["value"] ?? element["alt"] ?? ""))
            return
        }
        guard !name.isEmpty, !["button", "reset", "file"].contains(type) else { return }
        let words = words(for: element, label: label)
        let isChecked = element["checked"] != nil
        switch type {
        case "checkbox" where element.isHidden:
            guard isChecked else { return }
            form.controls.append(.init(name: name, kind: .fixed, label: "", value: element["value"] ?? "on"))
        case "checkbox", "radio":
            form.controls.append(
                .init(
                    name: name, kind: type == "radio" ? .radio(isChecked: isChecked) : .checkbox(isChecked: isChecked),
                    label: words, value: element["value"] ?? "on"))
        default:
            let kind = kind(of: element, type: type, name: name)
            form.controls.append(
                .init(
                    name: name, kind: kind, label: words, value: element["value"] ?? "",
                    isUserName: kind == .text && isUserName(element, type: type, name: name)))
        }
    }

    private func kind(of element: HTMLElement, type: String, name: String) -> PageForm.Kind {
        if type == "hidden" || element.isHidden || element["readonly"] != nil { return .fixed }
        if type == "password" { return .password }
        let completion = element["autocomplete"]?.lowercased() ?? ""
        let isCode = ["otp", "totp", "one_time_code", "passcode", "mfa_code"].contains(name.lowercased())
        return completion.contains("one-time-code") || isCode ? .oneTimeCode : .text
    }

    private func isUserName(_ element: HTMLElement, type: String, name: String) -> Bool {
        let completion = element["autocomplete"]?.lowercased() ?? ""
        let usual = ["user", "login", "email", "identifier", "account", "userid", "uid", "loginfmt", "name", "upn"]
        return type == "email" || completion.contains("username") || completion.contains("email")
            || usual.contains(name.lowercased()) || name.lowercased().contains("username")
    }

    /// The label of a field, or the closest replacement for it.
    private func words(for element: HTMLElement, label: String?) -> String {
        let candidates = [
            element["id"].flatMap { labels[$0] }, label, element["aria-label"], element["placeholder"],
            element["title"],
            element["name"],
        ]
        return String((candidates.compactMap { $0 }.first { !$0.isEmpty } ?? "").prefix(200))
    }

    private func button(_ element: HTMLElement, label: String) -> PageForm.Button {
        let waysOut = [
            "deny", "cancel", "reject", "decline", "abort", "back", "disagree", "refuse", "logout", "no", "not me",
        ]
        let words = [element["name"], element["value"], element["id"], label].compactMap { $0?.lowercased() }
        let isWayOut =
            element["formnovalidate"] != nil
            || words.contains { word in waysOut.contains { word == $0 || $0.count > 3 && word.contains($0) } }
        let primary: Set<String> = ["primary", "btn-primary", "button-primary", "is-primary", "btn-success"]
        return PageForm.Button(
            name: element["name"].flatMap { $0.isEmpty ? nil : $0 }, value: element["value"] ?? "",
            label: String(label.prefix(100)), isWayOut: isWayOut,
            isPrimary: !element.classes.isDisjoint(with: primary), action: element["formaction"].flatMap { target($0) })
    }
}
