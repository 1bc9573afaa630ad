// MARK: The request

// - startedBy: 1 for a call of `signIn()`, 2 for the button.
function authorizationURL(options, startedBy) {
    const parameters = [
        ["client_id", options.clientId],
        ["redirect_uri", options.redirectURI],
        ["response_type", "code id_token"],
        ["state", options.state],
        ["scope", options.scope],
        ["nonce", options.nonce],
        ["code_challenge", options.codeChallenge],
        ["code_challenge_method", options.codeChallengeMethod],
        ["response_mode", options.usePopup ? "web_message" : "form_post"],
        ["frame_id", randomUUID()],
        ["m", `${configuration.by}${startedBy}`],
        ["v", version],
    ]
    const query = parameters
        .filter(([, value]) => value)
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    return `${provider().authorize}?${query.join("&")}`
}

// A UUID of version 4. `crypto.randomUUID` is missing on plain HTTP and in older browsers.
function randomUUID() {
    return "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".replace(/[xy]/g, (mark) => {
        const digit = root.crypto.getRandomValues(new Uint8Array(1))[0] & 15
        return (mark === "x" ? digit : (digit & 3) | 8).toString(16)
    })
}
