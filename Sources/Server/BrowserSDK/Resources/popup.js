// MARK: The window

const windowSize = 700
const pollMilliseconds = 300

// Ends the sign-in whose window is open; null if none is.
let endCurrent = null

// Signs in in a window of its own. `succeed` and `fail` hear what the events say too.
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

// What a message of the server says; null if it is something else.
function resultOf(message) {
    if (typeof message !== "string") return null
    try {
        const { method, data } = JSON.parse(message)
        return method === "oauthDone" && typeof data === "object" ? data : null
    } catch (error) {
        return null
    }
}

// Pages read the result from `event.detail` or from `event.detail.data`. The latter leads back to the former, and is
// not counted among its members, so that `JSON.stringify` does not go round in circles.
function detailOf(result) {
    const detail = Object.assign({}, result)
    return Object.defineProperty(detail, "data", { value: detail })
}

function dispatch(name, detail) {
    document.dispatchEvent(new CustomEvent(name, { detail }))
}

// In the middle of the window that asks.
function windowFeatures() {
    const left = Math.round(root.screenX + (root.outerWidth - windowSize) / 2)
    const top = Math.round(root.screenY + (root.outerHeight - windowSize) / 2)
    return `popup=yes,width=${windowSize},height=${windowSize},left=${left},top=${top}`
}
