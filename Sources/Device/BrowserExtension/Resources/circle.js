// A site that does not take an answer sends the browser back, and would do so for ever: each answer ends the chain of
// redirections that a browser counts. So they are counted here, for each tab.

const TIMES_MAX = 5;
const MILLISECONDS = 20_000;

// Whether the tab came for the same place too often. Counts this time.
export function isCircling(url, storage = sessionStorage, now = Date.now()) {
    const { origin, pathname } = new URL(url);
    const key = `visits ${origin}${pathname}`;
    let visits = [];
    try {
        visits = JSON.parse(storage.getItem(key) ?? '[]').filter((time) => now - time < MILLISECONDS);
    } catch {
        // Begins anew.
    }
    const circles = visits.length >= TIMES_MAX;
    storage.setItem(key, JSON.stringify(circles ? [] : [...visits, now]));
    return circles;
}
