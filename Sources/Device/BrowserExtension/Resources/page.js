// The page on which a navigation waits for single sign-on. It shows nothing unless it has to wait or to ask, and it
// always ends somewhere: where the answer leads, or on the web as if there were no single sign-on. Never in a circle.

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

// Until the broker has said anything at all.
const ANSWER_MILLISECONDS = 1000;
// Since the tab came here. A quicker answer is not worth a picture; after it an empty tab looks broken.
const SILENT_MILLISECONDS = 250;
// Since something is shown. An extension has a minute to answer: nobody waits for that without a word.
const LONG_MILLISECONDS = 8000;

// Anybody may have written it. In the form in which browsers ask for it, so that it is one and the same for all readers.
const given = location.hash.slice(1);
let url = URL.canParse(given) ? new URL(given).href : '';
// Whether the tab was really on its way there. Only then may it go on by itself: a navigation of this extension's is as good
// as the site's own to Chromium, which sends the site's strictest cookies along.
let mayGo = false;
let conversation = null;
// Of the first message: what was posted, if Firefox held a POST, and the store of the tab's cookies.
let start = { fields: null };
let who = { url, site: '', asking: null, extensionName: null, organization: null };
let answerTimer;
let waitingTimer;
let isWaitingShown = false;
let otherTab = null;
let isOver = false;
let isLeaving = false;

async function begin() {
    // Anybody may lead a tab to this page; not a frame, and not to anything but the web.
    if (window.top !== window || !/^https?:/.test(url)) return;
    who.site = new URL(url).host;
    mayGo = await isCovered(url);
    // The background has looked at what it held.
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
            // The background knows where this tab was going.
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

// An extension's page of the web. It is the extension's own request, so nobody is asked about it again.
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

// Before anything could be answered.
function stop() {
    end();
    showCanceled('canceledByPerson');
}

function showCanceled(reason) {
    canceledCard(who, reason, { web: goOnTheWeb, again });
}

// Asks anew: Chromium on this page; Firefox's background takes the visit up once more.
function again() {
    if (!isHeld()) location.reload();
    else if (mayGo) visit();
    else showStrange();
}

// A person's wish holds until the tab leaves the site, so that the site's own next pages ask nobody either.
const goOnTheWeb = () => goToTheWeb('origin');

// What no navigation led to this page; a person who wants to go there presses the button.
function showStrange() {
    strangeCard(who, {
        web: () => { mayGo = true; goOnTheWeb(); }, back: goBack, hasHistory: history.length > 1,
    });
}

// To where the tab was before; a tab that was opened for this goes.
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

// With what was posted.
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
