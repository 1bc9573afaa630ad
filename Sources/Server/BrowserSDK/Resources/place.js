// MARK: Where this script came from

const version = "1.0.0"
const document = root.document

const place = (() => {
    const address = script && script.src ? script.src.replace(/[?#].*$/, "") : ""
    const compatible = address.match(/^(.+)\/appleauth\/static\/jsapi\/appleid\/1\/([^/]+)\/appleid\.auth\.js$/)
    const plain = address.match(/^(.+)\/lanyard\.js$/)
    return {
        // The server at which people sign in, with its path prefix if it has one; null inside a bundle.
        baseURI: compatible ? compatible[1] : plain ? plain[1] : null,
        locale: compatible ? compatible[2] : "",
        isPlain: plain !== null,
        // Whether the page has Apple's script too, to which global, meta tags and button are then left.
        isBesideAnother: plain !== null && root.AppleID !== undefined && root.AppleID !== root.Lanyard,
    }
})()

function metaTag(name) {
    if (place.isBesideAnother) return undefined
    const element = document.querySelector(`meta[name="appleid-signin-${name}"]`)
    return element ? element.content : undefined
}

// Where people sign in, and the origin from which the answer must come.
function provider() {
    const base = (metaTag("dev-uri") || place.baseURI || "").replace(/\/+$/, "")
    if (!/^https?:\/\/./.test(base)) {
        throw new Error("The server is not known: load this script from it, or name it in "
            + "<meta name=\"appleid-signin-dev-uri\">.")
    }
    const path = (metaTag("dev-path") || "auth/authorize").replace(/^\/+/, "")
    return { authorize: `${base}/${path}`, origin: new URL(base).origin }
}
