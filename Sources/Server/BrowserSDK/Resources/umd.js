// Lanyard for web pages: signs people in, in a window of its own or by a redirection, and draws the button.
// How to use it: docs/browser-sdk.md in Lanyard's sources. Types: lanyard.d.ts, beside this script on the server.
// Copyright Lanyard's contributors. Apache License 2.0.
(function (root, build) {
    // `currentScript` is set only while the script is loaded.
    const script = root.document ? root.document.currentScript : null
    if (typeof define === "function" && define.amd) {
        define([], () => build(root, script).api)
    } else if (typeof module === "object" && module.exports) {
        module.exports = build(root, script).api
    } else {
        const built = build(root, script)
        for (const name of built.names) {
            root[name] = built.api
        }
    }
})(typeof self === "undefined" ? this : self, function (root, script) {
    "use strict"
    // {parts}
    return start()
})
