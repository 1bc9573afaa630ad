// Where single sign-on must not come in: a tab that goes on on the web. Kept by the browser, not by a script that may
// end at any time.

import { escaped } from './coverage.js';

// Up to this id the rules of Chromium's session are those of redirect-rules.chromium.js.
export const COVER_IDS = 1000;

// `once`: the next page, if it is this URL. `origin`: until the tab leaves the URL's origin. `tab`: as long as there is
// the tab.
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

// A condition for URLs that begin so, letter by letter. Some characters mean more than themselves in a `urlFilter`, and a
// site must not open more than its own URL with them; Chromium refuses a regular expression that is long, and then
// nothing is let through by itself.
async function beginsWith(text) {
    if (!/[*^|]/.test(text)) return { urlFilter: `|${text}`, isUrlFilterCaseSensitive: true };
    const regex = `^${escaped(text)}`;
    const { isSupported } = await chrome.declarativeNetRequest.isRegexSupported({ regex, isCaseSensitive: true });
    return { regexFilter: isSupported ? regex : NOTHING, isUrlFilterCaseSensitive: true };
}

const NOTHING = '^nothing$';

// For browsers that ask about each request.
export async function isSuppressed(tabId, url) {
    const entry = await find(tabId);
    switch (entry?.reach) {
    case 'once': return withoutFragment(url) === entry.url;
    case 'origin': return new URL(url).origin === new URL(entry.url).origin;
    case 'tab': return true;
    default: return false;
    }
}

// A tab shows another page, or could not load it.
export async function pageChanged({ tabId, frameId, url, timeStamp, error }) {
    // Our own page is only on the way; a load that was replaced by another one says nothing.
    if (frameId !== 0 || url.startsWith(chrome.runtime.getURL('')) || error?.includes('ABORT')) return;
    const entry = await find(tabId);
    // What was reported late happened before.
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
// One for each tab, above COVER_IDS.
const ruleId = (tabId) => COVER_IDS + 1 + (tabId % (2 ** 31 - COVER_IDS - 2));
const withoutFragment = (url) => url.split('#', 1)[0];
