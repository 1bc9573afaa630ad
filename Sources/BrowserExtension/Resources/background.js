// Chromium's background: it keeps the rules as the profiles are, and ends what suppression.js began. All listeners are
// added at once, and nothing is remembered here, so it may be ended and started again at any time. Pages that wait for
// an answer do not need it.

import { Host } from './host.js';
import { setRules } from './rules.js';
import { endSuppression, pageChanged } from './suppression.js';

chrome.webNavigation.onCommitted.addListener(pageChanged);
chrome.webNavigation.onErrorOccurred.addListener(pageChanged);
chrome.tabs.onRemoved.addListener(endSuppression);
chrome.runtime.onInstalled.addListener(() => {});
chrome.runtime.onStartup.addListener(() => {});
// Starts this script again if the browser has ended it, or if there was no host.
chrome.alarms.onAlarm.addListener(() => { if (!host) connect(); });
chrome.alarms.create('watch', { periodInMinutes: 1 });

let host = null;

function connect() {
    host = new Host({
        onEvent: (event) => { if (event.type === 'profilesChanged') readRules(); },
        onEnd: async () => {
            host = null;
            // Nobody could be asked: do not make anybody wait.
            await setRules([]);
        },
    });
    // The first event comes as soon as there is a broker.
    host.ask({ type: 'watch' }, () => {});
}

function readRules() {
    let urls = [];
    host?.ask({ type: 'rules' }, (answer) => {
        if (answer.type !== 'rules') return;
        urls = urls.concat(answer.urls);
        if (!answer.more) setRules(urls);
    });
}

connect();
