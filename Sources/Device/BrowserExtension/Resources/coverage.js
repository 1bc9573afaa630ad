// Which URLs are covered. The broker decides; this only keeps the browser from asking about every other URL.
// docs/specifications/extensible-single-sign-on.md, 2.

// Parses a prefix into its parts; null if it is not an HTTP or HTTPS URL. The browser's own parser is used, so that the
// parts are written as in requests.
function parsed(prefix) {
    if (!URL.canParse(prefix)) return null;
    const url = new URL(prefix);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
    return { scheme: url.protocol, host: url.hostname.replace(/\.$/, ''), port: url.port, path: url.pathname };
}

export const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

// A regular expression (RE2) that matches the whole of a covered URL: `/realms/acme` covers `/realms/acme`,
// `/realms/acme?x` and `/realms/acme/x`, but not `/realms/acme-test`.
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

// Whether this extension handles navigations to this URL, according to Chromium's rules or Firefox's stored prefixes.
export async function isCovered(url) {
    if (!chrome.declarativeNetRequest) {
        const { prefixes = [] } = await chrome.storage.local.get('prefixes');
        return covers(prefixes, url);
    }
    const rules = await chrome.declarativeNetRequest.getDynamicRules();
    return rules.some(({ action, condition }) => action.type === 'redirect' && matches(condition, url));
}

// Evaluates a condition of redirect-rules.chromium.js as the browser does.
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
