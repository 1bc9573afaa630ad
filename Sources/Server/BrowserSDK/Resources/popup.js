// MARK: The window

const windowSize = 700
const pollMilliseconds = 300

// Ends the sign-in whose window is open; null if there is none.
let endCurrent = null

// Signs in in a window of its own. Calls `succeed` or `fail` with the result.
function signInInWindow(options, startedBy, succeed, fail) {
    const url = authorizationURL(options, startedBy)
    const origin = provider().origin
    if (endCurrent) endCurrent({ error: "user_trigger_new_signin_flow" })

    const popup = root.open(url, "_blank", windowFeatures())
    if (!popup) {
        tell({ error: "popup_blocked_by_browser" })
        return
    }
    const poll = root.setInterval(() => {
        if (popup.closed) end({ error: "popup_closed_by_user" })
    }, pollMilliseconds)
    root.addEventListener("message", receive)
    endCurrent = end

    function receive(event) {
        if (event.origin !== origin || event.source !== popup) return
        const result = resultOf(event.data)
        if (result) end(result)
    }

    function end(result) {
        root.clearInterval(poll)
        root.removeEventListener("message", receive)
        endCurrent = null
        popup.close()
        tell(result)
    }

    function tell(result) {
        const hasFailed = "error" in result
        dispatch(hasFailed ? "AppleIDSignInOnFailure" : "AppleIDSignInOnSuccess", detailOf(result))
        const settle = hasFailed ? fail : succeed
        settle(result)
    }
}

// The result in a message from the server; null for other messages.
function resultOf(message) {
    if (typeof message !== "string") return null
    try {
        const { method, data } = JSON.parse(message)
        return method === "oauthDone" && typeof data === "object" ? data : null
    } catch (error) {
        return null
    }
}

// Pages read the result from `event.detail` or from `event.detail.data`. The latter is the former, and not
// enumerable, so that `JSON.stringify` does not run in a circle.
function detailOf(result) {
    const detail = Object.assign({}, result)
    return Object.defineProperty(detail, "data", { value: detail })
}

function dispatch(name, detail) {
    document.dispatchEvent(new CustomEvent(name, { detail }))
}

// Centers the window over the one that opens it.
function windowFeatures() {
    const left = Math.round(root.screenX + (root.outerWidth - windowSize) / 2)
    const top = Math.round(root.screenY + (root.outerHeight - windowSize) / 2)
    return `popup=yes,width=${windowSize},height=${windowSize},left=${left},top=${top}`
}
