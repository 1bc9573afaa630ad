// How Chromium replaces a page load: dynamic rules redirect a navigation to a covered URL to this extension's page. They
// live in the browser, so they hold while the background sleeps, and for the first page of a browser that has just been
// started.

import { host, pattern } from './coverage.js';

const COVER_PRIORITY = 1;
// Chromium allows 1000 rules with regular expressions; the last one covers the hosts of all prefixes beyond that.
const PATTERNS_MAX = 999;
const HOSTS_ID = PATTERNS_MAX + 1;

let last = Promise.resolve();

// Updates run one after the other, so that the newest one counts.
export function setRules(prefixes) {
    last = last.catch(() => {}).then(() => replaceRules(prefixes));
    return last;
}

async function replaceRules(prefixes) {
    const page = `${chrome.runtime.getURL('page.html')}#\\0`;
    const rules = [];
    const hosts = new Set();
    for (const prefix of prefixes) {
        const regex = pattern(prefix);
        if (!regex) continue;
        if (rules.length < PATTERNS_MAX && (await isSupported(regex))) {
            rules.push(rule(rules.length + 1, page, { regexFilter: regex }));
        } else {
            hosts.add(host(prefix));
        }
    }
    if (hosts.size > 0) {
        // Too many prefixes, or too long ones: redirect all URLs of their hosts, and let the broker decline those that
        // are not covered.
        rules.push(rule(HOSTS_ID, page, { regexFilter: '^https?://.*$', requestDomains: [...hosts] }));
    }
    const present = await chrome.declarativeNetRequest.getDynamicRules();
    const removeRuleIds = present.map(({ id }) => id);
    await chrome.declarativeNetRequest.updateDynamicRules({ removeRuleIds, addRules: rules });
}

async function isSupported(regex) {
    const { isSupported } = await chrome.declarativeNetRequest.isRegexSupported({ regex, isCaseSensitive: true });
    return isSupported;
}

function rule(id, page, condition) {
    return {
        id,
        priority: COVER_PRIORITY,
        // `\0` is the whole URL.
        action: { type: 'redirect', redirect: { regexSubstitution: page } },
        // Only GET is redirected: the body of a POST would be lost.
        condition: {
            ...condition, isUrlFilterCaseSensitive: true, resourceTypes: ['main_frame'], requestMethods: ['get'],
        },
    };
}
