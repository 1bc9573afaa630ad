// MARK: Options

const metaTags = {
    clientId: "client-id",
    redirectURI: "redirect-uri",
    scope: "scope",
    state: "state",
    nonce: "nonce",
    usePopup: "use-popup",
    codeChallenge: "code-challenge",
    codeChallengeMethod: "code-challenge-method",
}

function optionsOfMetaTags() {
    const options = {}
    for (const name of Object.keys(metaTags)) {
        const content = metaTag(metaTags[name])
        if (content !== undefined) {
            options[name] = name === "usePopup" ? content === "true" : content
        }
    }
    return options
}

// The given options whose names are known.
function pick(given, names) {
    const options = {}
    for (const name of names) {
        if (given[name] !== undefined) options[name] = given[name]
    }
    return options
}

function check(options) {
    for (const name of Object.keys(metaTags)) {
        const value = options[name]
        const isRequired = name === "clientId" || name === "redirectURI"
        if (value === undefined && !isRequired) continue
        if (name === "usePopup") {
            if (typeof value !== "boolean") throw new Error("The \"usePopup\" should be boolean.")
        } else if (typeof value !== "string") {
            throw new Error(`The "${name}" should be a string.`)
        }
    }
    return options
}

// The options that `init` has set, and their source: 1 its arguments, 2 meta tags, 3 both. Null before `init`.
let configuration = null

function configure(given) {
    const [own, meta] = [pick(given, Object.keys(metaTags)), optionsOfMetaTags()]
    const by = Object.keys(meta).length === 0 ? 1 : Object.keys(own).length === 0 ? 2 : 3
    configuration = { options: check(Object.assign(meta, own)), by }
}

// The options of one sign-in: those of `init`, overridden by the given ones except for the client.
function optionsOfSignIn(overrides) {
    if (!configuration) throw new Error("The \"init\" function must be called first.")
    if (overrides === undefined) return configuration.options
    if (typeof overrides !== "object" || overrides === null) {
        throw new Error("The \"signinConfig\" must be \"object\".")
    }
    const names = Object.keys(metaTags).filter((name) => name !== "clientId")
    return check(Object.assign({}, configuration.options, pick(overrides, names)))
}
