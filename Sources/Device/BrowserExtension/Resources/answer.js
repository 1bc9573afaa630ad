// What to do with the broker's final answer about a navigation.
// docs/specifications/extensible-single-sign-on.md, 16.3 to 16.9.

// The person or a rule of the organization stopped the sign-in: nothing loads by itself. Any other failure loads the
// page as if there were no single sign-on, so that a broken extension locks nobody out (8.11, 8.12).
const STAYS = new Set(['canceledByPerson', 'canceledByExtension', 'screenLocked']);

// Returns one of { kind: 'web' }, { kind: 'stay', reason }, { kind: 'location', target, cookies },
// { kind: 'body', body, base, cookies }.
export function decide(url, outcome) {
    if (outcome?.outcome === 'canceled' && STAYS.has(outcome.reason)) return { kind: 'stay', reason: outcome.reason };
    const response = outcome?.outcome === 'response' ? outcome.response : null;
    // The broker has checked the origin already. It is checked again because it decides for whom cookies are set.
    if (!response || !URL.canParse(response.url) || new URL(response.url).origin !== new URL(url).origin) {
        return { kind: 'web' };
    }
    const cookies = response.headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value);
    if (response.status === 302) {
        const location = response.headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
        const target = location !== undefined && URL.canParse(location, response.url)
            ? new URL(location, response.url) : null;
        if (!target || !mayFollow(target)) return { kind: 'web' };
        if (!target.hash) target.hash = new URL(url).hash;
        return { kind: 'location', target: target.href, base: response.url, cookies };
    }
    if (response.status === 200 && response.body) {
        return { kind: 'body', body: textOf(response.body), base: response.url, cookies };
    }
    return { kind: 'web' };
}

// Whether a redirection may be followed: to HTTP or HTTPS, or to an app on this device by a scheme of its own, which
// has a dot (RFC 8252 section 7.1). Schemes such as `javascript:`, which would run with this extension's privileges,
// are refused.
function mayFollow(target) {
    return target.protocol === 'https:' || target.protocol === 'http:' || target.protocol.includes('.');
}

function textOf(base64) {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}
