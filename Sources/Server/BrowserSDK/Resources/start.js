// MARK: What pages call

function begin(options, startedBy, succeed, fail) {
    if (options.usePopup) {
        signInInWindow(options, startedBy, succeed, fail)
    } else {
        root.location.assign(authorizationURL(options, startedBy))
    }
}

const auth = {
    init(given) {
        configure(given || {})
        whenReady(() => auth.renderButton())
    },

    signIn(overrides) {
        const options = optionsOfSignIn(overrides)
        if (!options.usePopup) {
            begin(options, 1)
            return undefined
        }
        if (typeof root.Promise !== "function") {
            throw new Error("Promise is required to use popup, please use polyfill.")
        }
        return new root.Promise((succeed, fail) => begin(options, 1, succeed, fail))
    },

    renderButton(override) {
        const own = ["lanyard-signin"].concat(place.isBesideAnother ? [] : ["appleid-signin"])
        const ids = override && typeof override.id === "string" ? [override.id] : own
        for (const id of ids) {
            for (const host of document.querySelectorAll(`[id=${JSON.stringify(id)}]`)) {
                drawButton(host)
            }
        }
    },
}

function whenReady(action) {
    if (document.readyState === "loading") {
        document.addEventListener("DOMContentLoaded", action, { once: true })
    } else {
        action()
    }
}

// The API, and the global names under which pages without modules find it.
function start() {
    if (document) {
        whenReady(() => {
            // After the script's `load` event, so that listeners that are added in it are called too.
            if (!place.isBesideAnother) root.setTimeout(() => dispatch("AppleIDSigInLoaded"), 0)
            if (!configuration && Object.keys(optionsOfMetaTags()).length > 0) auth.init()
        })
    }
    const names = (place.isBesideAnother ? [] : ["AppleID"]).concat(place.isPlain ? ["Lanyard"] : [])
    return { api: { auth }, names }
}
