// Puts the cookies of an answer into the browser's store, as the server's own answer would have done.
// RFC 6265 section 5.

// `storeId` is the cookie store of the tab. A cookie that the browser refuses, for example for another domain, is
// skipped.
export async function setCookies(lines, url, storeId) {
    for (const line of lines) {
        const cookie = parseCookie(line, url);
        if (!cookie) continue;
        const { expired, ...details } = { ...cookie, ...(storeId ? { storeId } : {}) };
        try {
            if (expired) {
                await remove(details);
            } else {
                await chrome.cookies.set(details);
            }
        } catch (error) {
            console.warn(`A cookie named “${details.name}” was refused: ${error.message}`);
        }
    }
}

async function remove({ url, name, path, storeId }) {
    // A cookie is removed at its own path, which may be deeper than the URL's.
    const place = new URL(path, url).href;
    await chrome.cookies.remove({ url: place, name, ...(storeId ? { storeId } : {}) });
}

export function parseCookie(line, url, now = Date.now()) {
    const [pair, ...attributes] = line.split(';');
    const equals = pair.indexOf('=');
    const name = equals < 0 ? '' : pair.slice(0, equals).trim();
    const value = pair.slice(equals + 1).trim();
    if (!name && !value) return null;
    const cookie = { url, name, value, path: defaultPath(url) };
    let maxAge = null;
    for (const attribute of attributes) {
        const border = attribute.indexOf('=');
        const key = (border < 0 ? attribute : attribute.slice(0, border)).trim().toLowerCase();
        const given = border < 0 ? '' : attribute.slice(border + 1).trim();
        if (key === 'domain' && given) cookie.domain = given.replace(/^\./, '').toLowerCase();
        if (key === 'path') cookie.path = given.startsWith('/') ? given : defaultPath(url);
        if (key === 'secure') cookie.secure = true;
        if (key === 'httponly') cookie.httpOnly = true;
        if (key === 'samesite') cookie.sameSite = SAME_SITE[given.toLowerCase()] ?? cookie.sameSite;
        if (key === 'max-age' && /^-?\d+$/.test(given)) maxAge = Number(given);
        if (key === 'expires' && !Number.isNaN(Date.parse(given))) cookie.expirationDate = Date.parse(given) / 1000;
    }
    if (maxAge !== null) cookie.expirationDate = now / 1000 + maxAge;
    if (cookie.expirationDate !== undefined && cookie.expirationDate <= now / 1000) cookie.expired = true;
    return cookie;
}

const SAME_SITE = { strict: 'strict', lax: 'lax', none: 'no_restriction' };

// RFC 6265 section 5.1.4.
function defaultPath(url) {
    const { pathname } = new URL(url);
    return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')));
}
