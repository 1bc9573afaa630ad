// A site that does not accept an answer sends the browser back, possibly for ever: each answer starts a new chain of
// redirections, so the browser's own limit does not apply. So visits are counted here, for each tab.

const TIMES_MAX = 5;
const MILLISECONDS = 20_000;

// Counts this visit, and says whether the tab came to the same place too often.
export function isCircling(url, storage = sessionStorage, now = Date.now()) {
    const { origin, pathname } = new URL(url);
    const key = `visits ${origin}${pathname}`;
    let visits = [];
    try {
        visits = JSON.parse(storage.getItem(key) ?? '[]').filter((time) => now - time < MILLISECONDS);
    } catch {
        // Starts counting anew.
    }
    const circles = visits.length >= TIMES_MAX;
    storage.setItem(key, JSON.stringify(circles ? [] : [...visits, now]));
    return circles;
}
