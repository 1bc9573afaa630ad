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
