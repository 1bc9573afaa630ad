// Comforts of the console. Every page works without this file.

// Choosing rows: all at once, and how many are chosen.
for (const form of document.querySelectorAll("form.bulk")) {
    const boxes = [...form.querySelectorAll("input[name=choice]")]
    const all = form.querySelector("[data-all]")
    const count = form.querySelector("[data-chosen]")
    const buttons = form.querySelectorAll(".chosen button")
    const everybody = form.querySelector("[name=scope]")
    const show = () => {
        const chosen = boxes.filter((box) => box.checked).length
        count.textContent = chosen > 0 ? String(chosen) : ""
        all.checked = chosen === boxes.length
        all.indeterminate = chosen > 0 && chosen < boxes.length
        for (const button of buttons) button.disabled = chosen === 0 && !everybody?.checked
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
        if (mine !== latest || !answer.ok) return
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

// A list is narrowed as soon as something is chosen.
for (const form of document.querySelectorAll("form.line[method=get]")) {
    for (const field of form.querySelectorAll("select")) {
        field.addEventListener("change", () => form.requestSubmit())
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

// What is shown once is gone when the page is left, so that the back button does not show it again.
for (const once of document.querySelectorAll("[data-once]")) {
    addEventListener("pagehide", () => once.remove())
}

for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false
    button.addEventListener("click", () => print())
}
