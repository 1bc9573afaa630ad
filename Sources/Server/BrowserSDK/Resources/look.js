// MARK: What a button looks like

const colours = {
    black: { text: "#fff", ground: "#000", pointedAt: "#2c3130" },
    white: { text: "#000", ground: "#fff", pointedAt: "#eceeed" },
}
// As fractions of the button's height.
const markShares = { small: 0.42, medium: 0.55, large: 0.7 }

// - data: the data attributes of the page's element. Invalid values count as absent; numbers are clamped.
function readLook(data) {
    const mode = oneOf(data.mode, ["center-align", "left-align", "logo-only"])
    const isLogo = mode === "logo-only"
    return {
        mode,
        type: oneOf((data.type || "").replace(" ", "-"), types),
        colours: colours[oneOf(data.color, ["black", "white"])],
        hasBorder: data.border !== "false",
        radius: number(data.borderRadius, 0, 50, 15),
        // In pixels; null to fill the element.
        width: isLogo ? number(data.size, 30, 375, null) : number(data.width, 130, 375, null),
        height: isLogo ? number(data.size, 30, 375, null) : number(data.height, 30, 64, null),
        markShare: isLogo ? markShares.medium : markShares[oneOf(data.logoSize, ["small", "medium", "large"])],
        markPosition: number(data.logoPosition, 0, 375, 0),
        labelPosition: number(data.labelPosition, 0, 375, 0),
    }
}

// The first choice is the default.
function oneOf(text, choices) {
    return choices.includes(text) ? text : choices[0]
}

function number(text, smallest, largest, otherwise) {
    const value = /^\s*\d+(\.\d+)?(px)?\s*$/.test(text || "") ? parseFloat(text) : NaN
    return Number.isNaN(value) ? otherwise : Math.min(Math.max(value, smallest), largest)
}
