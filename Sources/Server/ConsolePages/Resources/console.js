// Comforts of the console. Every page works without this file.

// Choosing rows: all at once, and how many are chosen.
for (const form of document.querySelectorAll("form.bulk")) {
    const boxes = [...form.querySelectorAll("input[name=choice]")]
    const all = form.querySelector("[data-all]")
    const count = form.querySelector("[data-chosen]")
    const buttons = form.querySelectorAll(".chosen button")
    const wholeList = form.querySelector("[name=scope]")
    const show = () => {
        const chosen = boxes.filter((box) => box.checked).length
        count.textContent = chosen > 0 ? String(chosen) : ""
        all.checked = chosen === boxes.length
        all.indeterminate = chosen > 0 && chosen < boxes.length
        for (const button of buttons) button.disabled = chosen === 0 && !wholeList?.checked
    }
    all.hidden = false
    all.addEventListener("change", () => {
        for (const box of boxes) box.checked = all.checked
        show()
    })
    form.addEventListener("change", show)
    show()
}

// Search as one types: the first matches below the field, from the same operation as the page of results.
for (const field of document.querySelectorAll("[data-find]")) {
    const list = document.createElement("ul")
    list.className = "found"
    list.hidden = true
    field.closest("form").append(list)
    let latest = 0
    let pause
    const look = async () => {
        const text = field.value.trim()
        const mine = ++latest
        if (text.length < 2) {
            list.hidden = true
            return
        }
        const answer = await fetch(`${field.dataset.find}?text=${encodeURIComponent(text)}`)
        if (mine !== latest) return
        // More words than a search takes find nothing; the page of results says so.
        if (!answer.ok) {
            list.hidden = true
            return
        }
        const found = await answer.json()
        list.replaceChildren(...found.map((one) => {
            const item = document.createElement("li")
            const link = document.createElement("a")
            link.href = one.path
            const name = document.createElement("bdi")
            name.textContent = one.name
            const note = document.createElement("small")
            note.textContent = one.note
            link.append(name, note)
            item.append(link)
            return item
        }))
        list.hidden = found.length === 0
    }
    field.addEventListener("input", () => {
        clearTimeout(pause)
        pause = setTimeout(look, 120)
    })
    field.closest("form").addEventListener("keydown", (event) => {
        const links = [...list.querySelectorAll("a")]
        const at = links.indexOf(document.activeElement)
        if (event.key === "Escape") {
            list.hidden = true
            field.focus()
        } else if (event.key === "ArrowDown" && !list.hidden) {
            event.preventDefault()
            links[Math.min(at + 1, links.length - 1)]?.focus()
        } else if (event.key === "ArrowUp" && at >= 0) {
            event.preventDefault()
            at === 0 ? field.focus() : links[at - 1].focus()
        }
    })
}

// A list is narrowed as soon as something is chosen with the mouse. The arrow keys choose every option that they pass, so
// whoever uses the keyboard presses the button.
for (const form of document.querySelectorAll("form.line[method=get]")) {
    for (const field of form.querySelectorAll("select")) {
        let isByKey = false
        field.addEventListener("keydown", () => { isByKey = true })
        field.addEventListener("pointerdown", () => { isByKey = false })
        field.addEventListener("change", () => { if (!isByKey) form.requestSubmit() })
    }
}

// The slash leads to the search field, as in many programs, unless something is being typed.
addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target.closest("input, textarea, select, [contenteditable]")) return
    const field = document.getElementById("find")
    if (!field?.checkVisibility()) return
    event.preventDefault()
    field.focus()
})

// The palette: every place and page by its name, and people, from anywhere by Ctrl K or Command K.
const palette = document.querySelector("dialog.palette")
if (palette?.showModal) {
    const field = palette.querySelector("input")
    const list = palette.querySelector("ul")
    const none = palette.querySelector("[data-none]")
    const places = [...list.children]
    const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    let active
    let latest = 0
    let pause
    const shown = () => [...list.children].filter((one) => !one.hidden)
    const choose = (one) => {
        active?.setAttribute("aria-selected", "false")
        active = one
        active?.setAttribute("aria-selected", "true")
        active?.scrollIntoView({ block: "nearest" })
        if (active) field.setAttribute("aria-activedescendant", active.id)
        else field.removeAttribute("aria-activedescendant")
    }
    const number = () => {
        [...list.children].forEach((one, index) => { one.id = `palette-${index}` })
        none.hidden = shown().length > 0
        choose(shown()[0])
    }
    const addPeople = async (text, mine) => {
        const answer = await fetch(`${field.dataset.people}?text=${encodeURIComponent(text)}`)
        if (mine !== latest || !answer.ok) return
        const found = await answer.json()
        if (mine !== latest) return
        const before = active
        list.append(...found.map((one) => {
            const item = document.createElement("li")
            item.setAttribute("role", "option")
            item.dataset.path = one.path
            const name = document.createElement("bdi")
            name.textContent = one.name
            const note = document.createElement("small")
            note.textContent = one.note
            item.append(name, " ", note)
            return item
        }))
        number()
        if (before && !before.hidden) choose(before)
    }
    const narrow = () => {
        const mine = ++latest
        const text = field.value.trim()
        for (const one of list.querySelectorAll("li")) if (!places.includes(one)) one.remove()
        for (const one of places) one.hidden = !plain(one.textContent).includes(plain(text))
        number()
        clearTimeout(pause)
        if (field.dataset.people && text.length > 1) pause = setTimeout(addPeople, 120, text, mine)
    }
    const open = () => {
        field.value = ""
        narrow()
        palette.showModal()
        field.focus()
    }
    const go = (one) => { if (one) location.assign(one.dataset.path) }
    field.addEventListener("input", narrow)
    palette.addEventListener("keydown", (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (event.key === "Enter" && !event.isComposing) {
            event.preventDefault()
            go(active)
        } else if (step) {
            event.preventDefault()
            const all = shown()
            choose(all[Math.min(Math.max(all.indexOf(active) + step, 0), all.length - 1)])
        }
    })
    list.addEventListener("click", (event) => go(event.target.closest("li")))
    palette.addEventListener("click", (event) => { if (event.target === palette) palette.close() })
    addEventListener("keydown", (event) => {
        if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
        event.preventDefault()
        if (palette.open) palette.close()
        else open()
    })
    for (const button of document.querySelectorAll("[data-palette]")) {
        button.hidden = false
        button.addEventListener("click", open)
        if (/Mac|iPhone|iPad/.test(navigator.platform)) button.querySelector("kbd").textContent = "⌘K"
    }
}

// A pair of keys for a team, made here. The public one goes into the form, the private one into a file of the reader's.
for (const button of document.querySelectorAll("[data-make-key]")) {
    const field = document.getElementById("publicKey")
    button.hidden = !field || !crypto.subtle
    const pem = (kind, bytes) => {
        const lines = btoa(String.fromCharCode(...new Uint8Array(bytes))).match(/.{1,64}/g)
        return [`-----BEGIN ${kind} KEY-----`, ...lines, `-----END ${kind} KEY-----`, ""].join("\n")
    }
    button.addEventListener("click", async () => {
        const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"])
        field.value = pem("PUBLIC", await crypto.subtle.exportKey("spki", pair.publicKey))
        const secret = pem("PRIVATE", await crypto.subtle.exportKey("pkcs8", pair.privateKey))
        const link = document.createElement("a")
        link.href = URL.createObjectURL(new Blob([secret], { type: "application/x-pem-file" }))
        link.download = "key.p8"
        link.click()
        document.querySelector("[data-key-made]").textContent = button.dataset.made
    })
}

// A trial of an app: the code is exchanged and the roster read from here, because only the reader has the key of the team. The
// key is used, and sent nowhere.
for (const form of document.querySelectorAll("form[data-exchange]")) {
    const data = form.dataset
    const steps = document.querySelector("[data-steps]")
    const secrets = ["client_secret", "code", "code_verifier", "access_token", "refresh_token", "id_token"]
    form.hidden = !crypto.subtle
    const element = (tag, text, name) => {
        const made = document.createElement(tag)
        if (text) made.textContent = text
        if (name) made.className = name
        return made
    }
    // Lines of text, in which secret values are marked.
    const block = (heading, lines) => {
        const code = element("code")
        for (const [text, secret] of lines) {
            code.append(text)
            if (secret) code.append(element("mark", secret))
            if (secret) code.append(` ← ${data.secret}`)
            code.append("\n")
        }
        const pre = element("pre", "", "code")
        pre.tabIndex = 0
        pre.append(code)
        steps.append(element("h3", heading), pre)
    }
    const encode = (bytes) =>
        btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")
    const text = (value) => encode(new TextEncoder().encode(JSON.stringify(value)))
    const clientSecret = async () => {
        const pem = await form.querySelector("input[type=file]").files[0].text()
        const bytes = Uint8Array.from(atob(pem.replace(/-----[^-]+-----|\s/g, "")), (one) => one.charCodeAt(0))
        const key = await crypto.subtle.importKey("pkcs8", bytes, { name: "ECDSA", namedCurve: "P-256" }, false, ["sign"])
        const now = Math.floor(Date.now() / 1000)
        const signed = [
            text({ alg: "ES256", kid: form.querySelector("select").value }),
            text({ iss: data.team, sub: data.client, aud: data.issuer, iat: now, exp: now + 300 }),
        ].join(".")
        const hash = { name: "ECDSA", hash: "SHA-256" }
        return `${signed}.${encode(await crypto.subtle.sign(hash, key, new TextEncoder().encode(signed)))}`
    }
    const lines = (answer) => Object.entries(answer).map(([name, value]) =>
        secrets.includes(name) ? [`${name}: `, value] : [`${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 4)}`])
    const show = async (response) => {
        const answer = await response.json()
        block(data.answer, [[`${response.status}`], ...lines(answer)])
        return response.ok ? answer : undefined
    }
    const play = async () => {
        steps.replaceChildren()
        let secret
        try {
            secret = await clientSecret()
        } catch {
            steps.append(element("p", data.wrong, "message danger"))
            return
        }
        const fields = new URLSearchParams(data.form)
        fields.set("client_id", data.client)
        fields.set("client_secret", secret)
        block(data.request, [
            [`POST ${data.base}${data.token}`],
            ...[...fields].map(([name, value]) => secrets.includes(name) ? [`${name}=`, value] : [`${name}=${value}`]),
        ])
        const answer = await show(await fetch(data.token, { method: "POST", body: fields }))
        if (answer?.id_token) {
            const claims = answer.id_token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/")
            block(data.inside, lines(JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(claims), (one) => one.charCodeAt(0))))))
        }
        for (const path of answer ? data.read.split(" ").filter(Boolean) : []) {
            block(data.request, [[`GET ${data.base}${path}`], ["Authorization: Bearer ", answer.access_token]])
            await show(await fetch(path, { headers: { Authorization: `Bearer ${answer.access_token}` } }))
        }
    }
    form.addEventListener("submit", (event) => {
        event.preventDefault()
        play().catch(() => steps.append(element("p", data.away, "message danger")))
    })
}

// A page that tells how far slow work has come is looked at again, until it tells the end. Without this file it loads anew.
const follow = async () => {
    try {
        const answer = await fetch(location.href)
        if (answer.redirected) return location.replace(answer.url)
        const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main")
        if (next) document.querySelector("main").replaceChildren(...next.childNodes)
    } catch {
        // The server is away for a moment.
    }
    if (document.querySelector("[data-progress]")) setTimeout(follow, 1000)
}
if (document.querySelector("[data-progress]")) setTimeout(follow, 500)

// Files that are too large are not sent first.
for (const field of document.querySelectorAll("[data-bytes-max]")) {
    field.addEventListener("change", () => {
        const bytes = [...field.files].reduce((sum, file) => sum + file.size, 0)
        field.setCustomValidity(bytes > Number(field.dataset.bytesMax) ? field.dataset.problem : "")
        field.reportValidity()
    })
}

// What is shown once is gone when the page is left, so that the back button does not show it again.
for (const once of document.querySelectorAll("[data-once]")) {
    addEventListener("pagehide", () => once.remove())
}

for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false
    button.addEventListener("click", () => print())
}
