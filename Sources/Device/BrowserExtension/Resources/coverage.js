// Which URLs are covered. The broker decides; this only keeps the browser from asking about every other URL.
// docs/specifications/extensible-single-sign-on.md, 2.

// A prefix taken apart, or null if it is none. The browser's own parser brings it into the form in which requests are.
function parsed(prefix) {
    if (!URL.canParse(prefix)) return null;
    const url = new URL(prefix);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
    return { scheme: url.protocol, host: url.hostname.replace(/\.$/, ''), port: url.port, path: url.pathname };
}

export const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

// A regular expression (RE2) that matches the whole of a URL that is covered: `/realms/acme` covers `/realms/acme`,
// `/realms/acme?x` and `/realms/acme/x`, and not `/realms/acme-test`.
export function pattern(prefix) {
    const parts = parsed(prefix);
    if (!parts) return null;
    const port = parts.port ? `:${parts.port}` : '';
    const rest = parts.path.endsWith('/') ? '.*' : '(?:[/?#].*)?';
    return `^${parts.scheme}//(?:[^/?#@]*@)?${escaped(parts.host)}\\.?${port}${escaped(parts.path)}${rest}$`;
}

export function host(prefix) {
    return parsed(prefix)?.host ?? null;
}

// Whether a navigation to this URL is one that this extension takes up. Chromium's rules say so, Firefox's prefixes.
export async function isCovered(url) {
    if (!chrome.declarativeNetRequest) {
        const { prefixes = [] } = await chrome.storage.session.get('prefixes');
        return covers(prefixes, url);
    }
    const rules = await chrome.declarativeNetRequest.getSessionRules();
    return rules.some(({ action, condition }) => action.type === 'redirect' && matches(condition, url));
}

// As the browser itself reads the conditions that redirect-rules.chromium.js makes.
function matches({ regexFilter, requestDomains }, url) {
    const host = new URL(url).hostname.replace(/\.$/, '');
    const isThere = !requestDomains || requestDomains.some((name) => host === name || host.endsWith(`.${name}`));
    return isThere && new RegExp(regexFilter).test(url);
}

export function covers(prefixes, url) {
    const request = parsed(url);
    if (!request) return false;
    return prefixes.some((prefix) => {
        const parts = parsed(prefix);
        if (!parts || parts.scheme !== request.scheme || parts.host !== request.host || parts.port !== request.port) {
            return false;
        }
        if (!request.path.startsWith(parts.path)) return false;
        return parts.path.endsWith('/') || request.path.length === parts.path.length
            || request.path[parts.path.length] === '/';
    });
}
