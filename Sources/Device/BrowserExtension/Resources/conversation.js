// How a page talks with the broker about its navigation: in Chromium over a connection of its own to the native host,
// in Firefox through the background, which held the navigation.

import { Host } from './host.js';

// Calls `receive` with each message about the navigation to `url`. Returns an object with `answer(presentation, action,
// values)` and `end()`.
export function converse(url, receive) {
    return isHeld() ? overBackground(held(), receive) : overHost(url, receive);
}

// Whether the background holds the navigation and knows its URL. Chromium's background holds none, whatever stands in
// this page's address.
export function isHeld() {
    return !chrome.declarativeNetRequest && held() !== null;
}

const held = () => new URLSearchParams(location.search).get('navigation');

function overHost(url, receive) {
    const host = new Host();
    const page = { initiatingAction: 0 };
    if (URL.canParse(document.referrer)) page.initiatorOrigin = new URL(document.referrer).origin;
    receive({ type: 'start', url, fields: null, initiatorOrigin: page.initiatorOrigin });
    host.ask({ type: 'request', url, page }, receive);
    return {
        answer: (presentation, action, values) => host.ask({ type: 'answer', presentation, action, values }, () => {}),
        end: () => host.close(),
    };
}

function overBackground(held, receive) {
    const port = chrome.runtime.connect({ name: held });
    port.onMessage.addListener((message) => { if (!message.asked) receive(message); });
    port.onDisconnect.addListener(() => receive({ type: 'unavailable', reason: 'noHost' }));
    return {
        answer: (presentation, action, values) => port.postMessage({ type: 'answer', presentation, action, values }),
        end: () => port.disconnect(),
    };
}
