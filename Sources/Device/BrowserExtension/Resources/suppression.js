// Where single sign-on must not interfere, because a tab continues on the web. The browser keeps this, and not a script
// that may end at any time.

import { escaped } from './coverage.js';

// `once`: for the next page, if it is this URL. `origin`: until the tab leaves the URL's origin. `tab`: as long as the
// tab exists.
export async function suppress(tabId, url, reach) {
    await chrome.storage.session.set({ [key(tabId)]: { url: withoutFragment(url), reach, since: Date.now() } });
    if (!hasRules()) return;
    const id = ruleId(tabId);
    const condition = { tabIds: [tabId], resourceTypes: ['main_frame'] };
    if (reach === 'once') Object.assign(condition, await beginsWith(withoutFragment(url)));
    if (reach === 'origin') Object.assign(condition, await beginsWith(`${new URL(url).origin}/`));
    await chrome.declarativeNetRequest.updateSessionRules({
        removeRuleIds: [id], addRules: [{ id, priority: 2, action: { type: 'allow' }, condition }],
    });
}

// A condition for URLs that begin with exactly this text. Some characters are wildcards in a `urlFilter`, with which a
// site could let more through than its own URL, so texts with them become regular expressions. If Chromium refuses one
// because it is too long, nothing is let through.
async function beginsWith(text) {
    if (!/[*^|]/.test(text)) return { urlFilter: `|${text}`, isUrlFilterCaseSensitive: true };
    const regex = `^${escaped(text)}`;
    const { isSupported } = await chrome.declarativeNetRequest.isRegexSupported({ regex, isCaseSensitive: true });
    return { regexFilter: isSupported ? regex : NOTHING, isUrlFilterCaseSensitive: true };
}

const NOTHING = '^nothing$';

// For browsers that ask about each request, which Firefox does.
export async function isSuppressed(tabId, url) {
    const entry = await find(tabId);
    switch (entry?.reach) {
    case 'once': return withoutFragment(url) === entry.url;
    case 'origin': return new URL(url).origin === new URL(entry.url).origin;
    case 'tab': return true;
    default: return false;
    }
}

// Called when a tab shows another page or failed to load one.
export async function pageChanged({ tabId, frameId, url, timeStamp, error }) {
    // Our own page is only an intermediate step, and an aborted load was only replaced by another one.
    if (frameId !== 0 || url.startsWith(chrome.runtime.getURL('')) || error?.includes('ABORT')) return;
    const entry = await find(tabId);
    // Events may be reported late: one from before the suppression does not end it.
    if (!entry || entry.reach === 'tab' || timeStamp < entry.since) return;
    if (entry.reach === 'origin' && URL.canParse(url) && new URL(url).origin === new URL(entry.url).origin) return;
    await endSuppression(tabId);
}

export async function endSuppression(tabId) {
    await chrome.storage.session.remove(key(tabId));
    if (hasRules()) await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: [ruleId(tabId)] });
}

async function find(tabId) {
    return (await chrome.storage.session.get(key(tabId)))[key(tabId)];
}

const key = (tabId) => `tab ${tabId}`;
const hasRules = () => Boolean(chrome.declarativeNetRequest);
// One for each tab.
const ruleId = (tabId) => 1 + (tabId % (2 ** 31 - 2));
const withoutFragment = (url) => url.split('#', 1)[0];
