// Chromium's background: it keeps the rules in line with the installed profiles, and ends what suppression.js began.
// All listeners are added synchronously, and no state is kept here, so the browser may end and restart it at any time.
// Pages that wait for an answer do not need it.

import { followProfiles } from './profiles.js';
import { setRules } from './redirect-rules.chromium.js';
import { endSuppression, pageChanged } from './suppression.js';

chrome.webNavigation.onCommitted.addListener(pageChanged);
chrome.webNavigation.onErrorOccurred.addListener(pageChanged);
chrome.tabs.onRemoved.addListener(endSuppression);
chrome.runtime.onInstalled.addListener(() => {});
chrome.runtime.onStartup.addListener(() => {});
followProfiles(setRules);
