// MARK: How a button answers

function answerKeysAndClicks(button) {
    const isSpace = (event) => event.key === " " || event.key === "Spacebar"
    button.addEventListener("click", press)
    button.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !event.repeat) {
            event.preventDefault()
            press()
        } else if (isSpace(event)) {
            event.preventDefault()  // which would scroll the page
        }
    })
    button.addEventListener("keyup", (event) => {
        if (isSpace(event)) press()
    })
}

function press() {
    begin(optionsOfSignIn(), 2, () => {}, () => {})
}

// Two rings, so that one of them shows on any page.
function answerFocusAndPointer(button, look) {
    const paint = (name, value) => button.style.setProperty(name, value)
    button.addEventListener("focus", () => {
        if (!isFocusVisible(button)) return
        paint("outline", "2px solid #000")
        paint("outline-offset", "2px")
        paint("box-shadow", "0 0 0 2px #fff")
    })
    button.addEventListener("blur", () => {
        paint("outline", "none")
        paint("box-shadow", "none")
    })
    button.addEventListener("pointerenter", () => paint("background-color", look.colours.pointedAt))
    button.addEventListener("pointerleave", () => paint("background-color", look.colours.ground))
}

function isFocusVisible(button) {
    try {
        return button.matches(":focus-visible")
    } catch (error) {
        return true  // a browser that does not know the word
    }
}
