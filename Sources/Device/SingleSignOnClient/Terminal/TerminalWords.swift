import SingleSignOnWire

/// What a terminal says besides the words of an extension, in English, Japanese or Korean, as the person's session wants it.
struct TerminalWords: Sendable {
    private let language: SpokenLanguage

    /// - Parameter environment: the variables of the person's session.
    init(_ environment: [String: String]) { language = SpokenLanguage(ofSession: { environment[$0] }) }

    /// - Parameter organization: whose sign-on extension it is; nil for this device's.
    func askedBy(_ name: String, of organization: String?) -> String {
        switch language {
        case .en: "Asked by \(name), the sign-on extension of \(organization ?? "this device")."
        case .ja: "\(organization ?? "このデバイス")のサインオン機能拡張「\(name)」からの要求です。"
        case .ko: "\(organization ?? "이 기기")의 로그인 확장 프로그램 ‘\(name)’의 요청입니다."
        }
    }

    var waiting: String {
        switch language {
        case .en: "Waiting for an answer. Somebody may be asked in another window already. Ctrl-C ends this."
        case .ja: "応答を待っています。別のウインドウで入力を求められている場合があります。Ctrl-Cで中止できます。"
        case .ko: "응답을 기다리고 있습니다. 다른 창에서 이미 입력을 요청했을 수 있습니다. Ctrl-C를 누르면 중지됩니다."
        }
    }

    /// - Parameter page: its address.
    func goOn(at page: String) -> String {
        switch language {
        case .en: "Go on in a browser on this computer: \(page)"
        case .ja: "このコンピュータのブラウザで続けてください：\(page)"
        case .ko: "이 컴퓨터의 브라우저에서 계속하십시오: \(page)"
        }
    }
}
