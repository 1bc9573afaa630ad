// MARK: The button

// A badge on a lanyard.
const markPath = "M12 0h8v10h3a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4V14a4 4 0 0 1 4-4h3z"
    + "M12.5 13a1.5 1.5 0 0 0 0 3h7a1.5 1.5 0 0 0 0-3zM10 20a1 1 0 0 0 0 2h12a1 1 0 0 0 0-2z"
    + "M10 24a1 1 0 0 0 0 2h7a1 1 0 0 0 0-2z"
const borderColour = "#7c8783"  // shows on light and dark pages
const usualHeight = 44
// Ways to make a label fit, in the order of trying: how lines wrap, and the smallest text in pixels.
const fittings = [["nowrap", 11], ["normal", 11], ["nowrap", 8]]

// Observers of the room for each button, by the page's element.
const observers = new WeakMap()

// Styles are set by script, one by one: content security policies that forbid inline styles allow that, and the
// page's own styles of `div` and `span` do not apply.
function dress(element, styles) {
    element.style.setProperty("all", "initial")
    for (const name of Object.keys(styles)) {
        element.style.setProperty(name, styles[name])
    }
    return element
}

function drawButton(host) {
    const look = readLook(host.dataset)
    const tongue = language()
    const label = labels[tongue][types.indexOf(look.type)]
    const button = document.createElement("div")
    button.setAttribute("role", "button")
    button.setAttribute("tabindex", "0")
    button.setAttribute("aria-label", label)
    button.setAttribute("lang", tongue)
    button.appendChild(drawMark())
    if (look.mode !== "logo-only") {
        button.appendChild(document.createElement("span")).textContent = label
    }
    const watch = observers.get(host)
    if (watch) watch.disconnect()
    host.textContent = ""
    // Measure before the button is in it: then only an element to which the page gave a height has one.
    const room = roomIn(host)
    clothe(button, look)
    host.appendChild(button)
    size(button, look, room)
    answerKeysAndClicks(button)
    answerFocusAndPointer(button, look)
    watchRoom(host, button, look, room)
}

function drawMark() {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg")
    svg.setAttribute("viewBox", "0 0 32 30")
    svg.setAttribute("aria-hidden", "true")
    svg.setAttribute("focusable", "false")
    const path = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "path"))
    path.setAttribute("d", markPath)
    path.style.setProperty("fill", "currentColor")
    path.style.setProperty("fill-rule", "evenodd")
    return svg
}

function roomIn(host) {
    const style = root.getComputedStyle(host)
    const within = (size, ...paddings) => Math.max(0, paddings.reduce((rest, each) => rest - parseFloat(each), size))
    return {
        width: within(host.clientWidth, style.paddingLeft, style.paddingRight),
        height: within(host.clientHeight, style.paddingTop, style.paddingBottom),
    }
}

// The styles that do not depend on the size.
function clothe(button, look) {
    const isLogo = look.mode === "logo-only"
    dress(button, {
        "align-items": "center",
        "background-color": look.colours.ground,
        "border": `1px solid ${look.hasBorder ? borderColour : look.colours.ground}`,
        "border-radius": `${look.radius}px`,
        "box-sizing": "border-box",
        "color": look.colours.text,
        "cursor": "pointer",
        "direction": "ltr",
        "display": "flex",
        "font": "600 16px/1.3 system-ui, -apple-system, \"Segoe UI\", Roboto, sans-serif",
        "gap": "0.45em",
        "justify-content": look.mode === "left-align" ? "flex-start" : "center",
        "max-width": "100%",
        "padding": isLogo ? "0" : "0 0.6em",
        "user-select": "none",
        "-webkit-user-select": "none",
    })
    const inherited = { "color": "inherit", "cursor": "inherit", "display": "block", "font": "inherit" }
    const [mark, label] = button.children
    dress(mark, Object.assign({ "flex": "none" }, inherited))
    if (isLogo) return
    dress(label, Object.assign({
        "min-width": "0",
        "overflow": "hidden",
        "text-overflow": "ellipsis",
        "word-break": "keep-all",
    }, inherited))
}

function size(button, look, room) {
    const isLogo = look.mode === "logo-only"
    const all = isLogo ? Math.min(room.width, room.height || 64) : room.height
    const height = look.height || (all > 0 ? Math.max(all, 30) : usualHeight)
    const width = isLogo ? `${height}px` : look.width ? `${look.width}px` : "100%"
    const markSize = look.mode === "center-align" ? "1.3em" : `${height * look.markShare}px`
    measure(button, width, `${height}px`)
    measure(button.children[0], markSize, markSize)
    if (!isLogo) fit(button, look, Math.min(height * 0.4, 24))
}

function measure(element, width, height) {
    element.style.setProperty("width", width)
    element.style.setProperty("height", height)
}

// Puts mark and label where the page wants them, and makes the text smaller until it fits.
function fit(button, look, textSize) {
    const [mark, label] = button.children
    for (const [whiteSpace, smallest] of fittings) {
        label.style.setProperty("white-space", whiteSpace)
        for (let pixels = textSize; pixels >= smallest; pixels -= 0.5) {
            button.style.setProperty("font-size", `${pixels}px`)
            if (look.mode === "left-align") {
                push(mark, look.markPosition)
                push(label, look.labelPosition)
            }
            if (label.scrollWidth <= label.clientWidth && label.offsetHeight <= button.clientHeight * 0.9) return
        }
    }

    // To `position` pixels from the button's left edge, but neither beyond its middle nor onto what precedes it.
    function push(element, position) {
        element.style.setProperty("margin-left", "0")
        const edge = button.getBoundingClientRect()
        const lacking = Math.min(position, edge.width / 2) - (element.getBoundingClientRect().left - edge.left)
        element.style.setProperty("margin-left", `${Math.max(0, lacking)}px`)
    }
}

// Resizes the button when its room changes, or when the page shows it.
function watchRoom(host, button, look, room) {
    if (typeof root.ResizeObserver !== "function") return
    const observer = new root.ResizeObserver(() => {
        const now = roomIn(host)
        if (room.height === 0) now.height = 0
        if (now.width === room.width && now.height === room.height) return
        if (room.width === 0) {
            drawButton(host)
        } else {
            size(button, look, now)
            room = now
        }
    })
    observer.observe(host)
    observers.set(host, observer)
}
