// The URLs that the installed profiles cover, as the broker reports them. Each background stores them in its browser's
// way.

import { Host } from './host.js';

// The background's own connection; null while there is none.
export let host = null;

// Calls `keep` with the prefixes whenever they change. They stay when the host or the browser ends: a page that comes
// before the broker's answer is asked about, and goes on to the web if there is nobody to ask. Adds its listeners
// synchronously, as a background must.
export function followProfiles(keep) {
    // Starts the background again if the browser has ended it, or if there was no host.
    chrome.alarms.onAlarm.addListener(() => { if (!host) connect(keep); });
    chrome.alarms.create('watch', { periodInMinutes: 1 });
    connect(keep);
}

function connect(keep) {
    host = new Host({
        onEvent: (event) => { if (event.type === 'profilesChanged') read(keep); },
        onEnd: () => { host = null; },
    });
    // The first event comes as soon as there is a broker.
    host.ask({ type: 'watch' }, () => {});
}

function read(keep) {
    let urls = [];
    host?.ask({ type: 'rules' }, (answer) => {
        if (answer.type !== 'rules') return;
        urls = urls.concat(answer.urls);
        if (!answer.more) keep(urls);
    });
}
