// Comforts. Every page works without this file.

// Show and hide a password.
for (const button of document.querySelectorAll("[data-reveal]")) {
    const input = document.getElementById(button.dataset.reveal)
    const label = document.querySelector(`label[for="${input.id}"]`).textContent
    button.hidden = false
    button.addEventListener("click", () => {
        const show = input.type === "password"
        input.type = show ? "text" : "password"
        button.textContent = show ? button.dataset.hide : button.dataset.show
        button.setAttribute("aria-pressed", String(show))
        button.setAttribute("aria-label", `${button.textContent}: ${label}`)
        input.focus()
    })
    // Never leave a shown password behind, neither on the screen nor in the browser's list of typed texts.
    input.form.addEventListener("submit", () => { input.type = "password" })
}

// Copy a link, a code, a command.
for (const button of document.querySelectorAll("[data-copy]")) {
    const input = document.getElementById(button.dataset.copy)
    button.hidden = !navigator.clipboard
    button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(input.value ?? input.textContent)
        button.textContent = button.dataset.done
    })
}

// What was typed stays when the language changes. Passwords do not leave their form.
const languages = document.querySelector("form.languages")
languages?.addEventListener("submit", () => {
    const carried = new URLSearchParams(languages.elements.carried.value)
    for (const input of document.querySelectorAll("main .field input:not([readonly])")) {
        if (!document.querySelector(`[data-reveal="${input.id}"]`)) carried.set(`typed.${input.name}`, input.value)
    }
    languages.elements.carried.value = carried
})

// A second press while the first is under way sends nothing. Coming back with the back button allows it again, and so
// do some seconds: no event tells that the first was stopped.
const secondsUnderWay = 5
for (const form of document.forms) {
    form.addEventListener("submit", (event) => {
        if (form.dataset.sent) {
            event.preventDefault()
        } else {
            form.dataset.sent = "yes"
            event.submitter?.setAttribute("aria-busy", "true")
            setTimeout(allowSending, secondsUnderWay * 1_000)
        }
    })
}
addEventListener("pageshow", allowSending)

function allowSending() {
    for (const form of document.forms) {
        delete form.dataset.sent
    }
    for (const button of document.querySelectorAll("[aria-busy]")) {
        button.removeAttribute("aria-busy")
    }
}

// Print a page that is shown once.
for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false
    button.addEventListener("click", () => print())
}

// Passkeys: the browser asks the person's phone, computer or key, and the form carries the answer. Bytes go as base64url.
const secondsForPasskey = 240
let passkeyOffer = null
if (window.PublicKeyCredential) {
    for (const form of document.querySelectorAll("[data-passkey]")) {
        form.hidden = false
        form.querySelector("button[type=button]").addEventListener("click", async () => {
            const problem = form.querySelector("[role=alert]")
            problem.hidden = true
            if (!form.reportValidity()) return
            try {
                await endPasskeyOffer()
                await askForPasskey(form)
            } catch {
                problem.hidden = false
                offerPasskey(form)
            }
        })
        offerPasskey(form)
    }
}

// Where the browser offers user names to choose from, it can offer passkeys too.
function offerPasskey(form) {
    if (form.dataset.passkey !== "sign-in") return
    const controller = new AbortController()
    passkeyOffer = { controller, end: waitForPasskey(form, controller.signal) }
}

// A browser answers one request at a time, so the next one waits for the end of this.
async function endPasskeyOffer() {
    passkeyOffer?.controller.abort()
    await passkeyOffer?.end
    passkeyOffer = null
}

async function waitForPasskey(form, signal) {
    if (!await PublicKeyCredential.isConditionalMediationAvailable?.()) return
    // A challenge lasts five minutes, so the offer is made anew before.
    const renewal = setTimeout(async () => {
        await endPasskeyOffer()
        offerPasskey(form)
    }, secondsForPasskey * 1_000)
    try {
        await askForPasskey(form, { mediation: "conditional", signal })
    } catch {
        // The person has typed a password, or pressed the button, which says by itself what went wrong.
    } finally {
        clearTimeout(renewal)
    }
}

async function askForPasskey(form, options = {}) {
    const { passkey, challenges, credentials, userHandle, userName, name } = form.dataset
    const answer = await fetch(challenges, { headers: { Accept: "application/json" } })
    const challenge = bytesOf((await answer.json()).challenge)
    const known = credentials.split(" ").filter(Boolean).map((id) => ({ type: "public-key", id: bytesOf(id) }))
    const timeout = secondsForPasskey * 1_000
    const credential = passkey === "add"
        ? await navigator.credentials.create({ ...options, publicKey: {
            challenge, timeout, rp: { name: "Lanyard" },
            user: { id: bytesOf(userHandle), name: userName, displayName: name },
            pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
            excludeCredentials: known, attestation: "none",
            authenticatorSelection: {
                residentKey: "required", requireResidentKey: true, userVerification: "preferred",
            },
        } })
        : await navigator.credentials.get({ ...options, publicKey: {
            challenge, timeout, allowCredentials: known,
            userVerification: passkey === "sign-in" ? "required" : "preferred",
        } })
    const { clientDataJSON, attestationObject, authenticatorData, signature, userHandle: owner } = credential.response
    const fields = passkey === "add"
        ? { client_data: clientDataJSON, attestation: attestationObject }
        : {
            client_data: clientDataJSON, credential_id: credential.rawId, authenticator_data: authenticatorData,
            signature, user_handle: owner,
        }
    for (const [field, bytes] of Object.entries(fields)) {
        form.elements[field].value = bytes ? textOf(bytes) : ""
    }
    form.requestSubmit()
}

function bytesOf(text) {
    return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0))
}

function textOf(buffer) {
    const text = btoa(String.fromCharCode(...new Uint8Array(buffer)))
    return text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")
}

// Hand an answer on to the app.
document.querySelector("form[data-submit-at-once]")?.requestSubmit()

// Hand an answer to the window that opened this one. It is told once, and closes this window itself.
for (const answer of document.querySelectorAll("[data-message]")) {
    if (window.opener) {
        window.opener.postMessage(answer.dataset.message, answer.dataset.targetOrigin)
    } else {
        answer.hidden = true
        document.querySelector("[data-without-opener]").hidden = false
    }
}
