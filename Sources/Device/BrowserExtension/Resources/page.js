// The page on which a navigation waits for single sign-on. It shows nothing unless it has to wait or to ask, and it
// always ends somewhere: where the answer leads, or on the web as if there were no single sign-on. It never goes round
// in a circle.

import { decide } from './answer.js';
import {
    canceledCard, circleCard, formCard, otherTabCard, sayThatWaitingIsLong, sayWhoAnswers, strangeCard, waitingCard,
} from './cards.js';
import { converse, isHeld } from './conversation.js';
import { setCookies } from './cookies.js';
import { isCovered } from './coverage.js';
import { readForm, sendForm } from './form.js';
import { isCircling } from './circle.js';
import { endSuppression, suppress } from './suppression.js';

// How long the broker may take for its first message.
const ANSWER_MILLISECONDS = 1000;
// How long after the tab came here the card appears. Showing it for a quicker answer would flicker; later the tab looks
// broken.
const SILENT_MILLISECONDS = 250;
// How long after the card appeared it says what to do. An extension may take up to a minute, which nobody waits through
// unexplained.
const LONG_MILLISECONDS = 8000;

// Any site may have written this address. It is brought into the browser's own spelling, so that all who read it see
// the same URL.
const given = location.hash.slice(1);
let url = URL.canParse(given) ? new URL(given).href : '';
// Whether the tab was really on its way to that URL. Only then may this page load it without being asked: Chromium
// treats a navigation by this extension like one of the site itself, and sends even `SameSite=Strict` cookies.
let mayGo = false;
let conversation = null;
// The background's first message: the fields of a POST that Firefox held, and the store of the tab's cookies.
let start = { fields: null };
let who = { url, site: '', asking: null, extensionName: null, organization: null };
let answerTimer;
let waitingTimer;
let isWaitingShown = false;
let otherTab = null;
let isOver = false;
let isLeaving = false;

async function begin() {
    // Any site may lead a tab to this page. In a frame, or for other URLs than HTTP and HTTPS, it does nothing.
    if (window.top !== window || !/^https?:/.test(url)) return;
    who.site = new URL(url).host;
    mayGo = await isCovered(url);
    // If the background holds the navigation, it has checked the URL itself.
    if (!mayGo && !isHeld()) {
        showStrange();
    } else if (!isHeld() && isCircling(url)) {
        circleCard(who, { web: goOnTheWeb, again });
    } else {
        ask();
    }
}

function ask() {
    answerTimer = setTimeout(() => goToTheWeb('once'), ANSWER_MILLISECONDS);
    waitingTimer = setTimeout(showWaiting, Math.max(0, SILENT_MILLISECONDS - performance.now()));
    conversation = converse(url, receive);
}

function showWaiting() {
    isWaitingShown = true;
    waitingCard(who, { cancel: stop, web: goOnTheWeb });
    waitingTimer = setTimeout(sayThatWaitingIsLong, LONG_MILLISECONDS);
}

function receive(message) {
    if (isOver) return;
    if (message.type === 'start') {
        start = message;
        if (isHeld()) {
            // The background's URL counts, not the one in this page's address: it saw where the tab was going.
            url = start.url;
            who = { ...who, url, site: new URL(url).host };
            mayGo = true;
        }
        if (URL.canParse(message.initiatorOrigin ?? '')) who.asking = new URL(message.initiatorOrigin).host;
        if (message.isCircling) {
            clearTimers();
            circleCard(who, { web: goOnTheWeb, again });
        }
        return;
    }
    clearTimeout(answerTimer);
    switch (message.type) {
    case 'working':
        who = { ...who, extensionName: message.extensionName ?? null, organization: message.organization ?? null };
        if (isWaitingShown) sayWhoAnswers(who);
        break;
    case 'presenting':
        clearTimeout(waitingTimer);
        isWaitingShown = false;
        present(message.presenting);
        break;
    case 'finished':
        finish(message.outcome).catch((error) => {
            console.warn(`The answer cannot be used: ${error.message}`);
            goToTheWeb('once');
        });
        break;
    default:
        goToTheWeb('once');
    }
}

function present({ id, form, page }) {
    const answer = (action, values) => conversation.answer(id, action, values);
    if (form) {
        formCard(who, form, {
            submit: (values) => answer('submit', values), cancel: () => answer('cancel'), web: goOnTheWeb,
        });
    } else if (page && /^https?:/.test(page)) {
        openTab(page, () => answer('cancel'));
    } else {
        answer('unavailable');
    }
}

// Opens an extension's page on the web in a tab. The extension itself requested it, so no extension is asked about it.
async function openTab(page, cancel) {
    const tab = await chrome.tabs.create({ url: 'about:blank', active: true });
    otherTab = tab.id;
    otherTabCard(who, {
        show: () => chrome.tabs.update(tab.id, { active: true }), cancel, web: goOnTheWeb,
    });
    chrome.tabs.onRemoved.addListener((closed) => {
        if (closed === otherTab && !isOver) cancel();
    });
    await suppress(tab.id, page, 'tab');
    await chrome.tabs.update(tab.id, { url: page });
}

async function closeTab() {
    if (otherTab === null) return;
    const closed = otherTab;
    otherTab = null;
    await chrome.tabs.remove(closed).catch(() => {});
    await endSuppression(closed);
    await chrome.tabs.update((await chrome.tabs.getCurrent()).id, { active: true });
}

async function finish(outcome) {
    end();
    await closeTab();
    const decision = decide(url, outcome);
    switch (decision.kind) {
    case 'location':
        await setCookies(decision.cookies, decision.base, start.cookieStoreId);
        location.replace(decision.target);
        break;
    case 'body': {
        const form = readForm(decision.body, decision.base);
        if (!form) {
            await goToTheWeb('once');
            break;
        }
        await setCookies(decision.cookies, decision.base, start.cookieStoreId);
        await suppress((await chrome.tabs.getCurrent()).id, form.action, 'once');
        sendForm(form);
        break;
    }
    case 'stay':
        showCanceled(decision.reason);
        break;
    default:
        await goToTheWeb('once');
    }
}

// Cancels while the broker's answer is still awaited.
function stop() {
    end();
    showCanceled('canceledByPerson');
}

function showCanceled(reason) {
    canceledCard(who, reason, { web: goOnTheWeb, again });
}

// Starts again: Chromium by reloading this page, Firefox by loading the URL, which its background then holds again.
function again() {
    if (!isHeld()) location.reload();
    else if (mayGo) visit();
    else showStrange();
}

// When a person chose the web, that holds until the tab leaves the site, so that the site's next pages do not ask
// either.
const goOnTheWeb = () => goToTheWeb('origin');

// Shown if no navigation led to this page: it goes on only when the person presses the button.
function showStrange() {
    strangeCard(who, {
        web: () => { mayGo = true; goOnTheWeb(); }, back: goBack, hasHistory: history.length > 1,
    });
}

// Returns to the page before this one; if there is none, the tab was opened for this page and is closed.
async function goBack() {
    if (history.length > 1) history.back();
    else await chrome.tabs.remove((await chrome.tabs.getCurrent()).id);
}

async function goToTheWeb(reach) {
    if (isLeaving) return;
    if (!mayGo) {
        end();
        showStrange();
        return;
    }
    isLeaving = true;
    end();
    await closeTab();
    await suppress((await chrome.tabs.getCurrent()).id, url, reach);
    visit();
}

// Loads the URL, and posts again what was posted.
function visit() {
    if (start.fields) {
        sendForm({ action: url, method: 'post', enctype: 'application/x-www-form-urlencoded', fields: start.fields });
    } else {
        location.replace(url);
    }
}

function end() {
    isOver = true;
    clearTimers();
    conversation?.end();
}

function clearTimers() {
    clearTimeout(answerTimer);
    clearTimeout(waitingTimer);
}

begin();
