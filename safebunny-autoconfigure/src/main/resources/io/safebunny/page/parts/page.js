// SPDX-License-Identifier: Apache-2.0
import { html, useLayoutEffect } from '../vendor/htm-preact.js';
import { Stale, useArrival, useIdle, useOld } from '../poll.js';
import { Curl, Look } from './action.js';
import { Trouble } from './problem.js';
import { Id } from './table.js';
import { timeOfDay } from './time.js';

/**
 * The frame of a page: its title, the id of what it is about, the question that it answers, of when its answer is, what went wrong, and the requests that it makes.
 *
 * @param about what of it is shown, where it shows less than all
 * @param polls those that fill it, the most important one first
 * @param also others, without which it can be acted upon
 * @param quiet problems of which its content tells
 */
export function Page({ title, id, about, question, polls = [], also = [], quiet = [], children }) {
    const heading = about ? `${title}: ${about}` : title;
    const problem = polls.find(poll => poll.problem)?.problem;
    const isOld = useOld(polls);
    const isStale = isOld || polls.some(poll => poll.isStale);
    const isLoading = !problem && polls.some(poll => !poll.data);
    const requests = [...polls, ...also].map(poll => poll.request).filter(Boolean);
    useLayoutEffect(() => { // before the focus is put on it
        document.title = `${heading}${id ? ` ${id}` : ''} · SafeBunny`;
    }, [heading, id]);
    return html`
        <h1 tabindex="-1">${heading}${id && html` <${Id} of=${id} />`}</h1>
        ${question && html`<p class="question">${question}</p>`}
        ${polls.length > 0 && html`<${AsOf} polls=${[polls[0], ...also]} isStale=${isStale} />`}
        <${Trouble} problem=${quiet.includes(problem) ? null : problem} />
        ${isLoading && html`<p class="faint" role="status">Loading…</p>`}
        <${Stale.Provider} value=${isStale}>
            <div class="answer" data-stale=${isStale ? 'yes' : 'no'}>${children}</div>
        </${Stale.Provider}>
        ${requests.length > 0 && html`<details class="asked"><summary>This page as curl</summary><${Curl} of=${requests} /></details>`}`;
}

function AsOf({ polls, isStale }) {
    const [poll] = polls;
    const at = useArrival(polls);
    const isIdle = useIdle();
    const isOnce = poll.every === 0;
    const when = at === null ? '' : `${isOnce ? 'Read at' : 'As of'} ${timeOfDay(at)}${isStale ? ', and too old to act upon' : ''}.`;
    return html`
        <p class="asof faint" role=${isOnce ? 'status' : undefined} aria-busy=${poll.isBusy}>
            ${poll.isBusy ? 'Reading…' : when}${isIdle && ' Nobody has touched this page for an hour, so it has stopped asking.'}
        </p>
        ${isIdle && html`<${Look} label="Go on" request=${poll.request} again=${poll.again} />`}`;
}
