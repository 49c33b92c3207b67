// SPDX-License-Identifier: Apache-2.0
// What came of a change. The answer to a change only says that something was sent.

import { html, useEffect, useRef, useState } from '../vendor/htm-preact.js';
import { usePoll } from '../poll.js';

const FAST = 1_000;
/** As long as its dialog is open. */
const SLOW = 5_000;
const SOON = 10_000;
const ONCE = 0;

const UNTOLD = { level: 'unknown', words: 'It is sent. Looking what comes of it…' };

/**
 * What came of a change, in words and in a colour that is never the one of success for what went wrong.
 *
 * @param of a tale: level (up, down, ended or unknown), words, and whether it is over; or what to follow: a request, tell, which makes a
 *     tale of its answer and of whether it is late, and last, which is asked once if no tale is known then
 * @param said of the answer
 * @param settled called once the tale is over
 */
export function Outcome({ of = { level: 'up' }, said, settled }) {
    return of.tell || of.last
        ? html`<${Followed} of=${of} said=${said} settled=${settled} />`
        : html`<${Tale} tale=${of} said=${said} />`;
}

function Tale({ tale: { level, words }, said }) {
    return html`<div class="outcome" data-level=${level}>${words && html`<p class="came">${words}</p>`}${said}</div>`;
}

function Followed({ of: { request = null, tell, last }, said, settled }) {
    const [isLate, setLate] = useState(false);
    const seen = useRef(null);
    const poll = usePoll(request, isLate ? SLOW : FAST, data => tell(data, isLate).isOver === true);
    seen.current = poll.data ?? seen.current;
    const tale = seen.current ? tell(seen.current, isLate) : unseen(poll.problem, isLate);
    const isOver = tale.isOver === true;

    useEffect(() => {
        if (isOver) {
            settled?.();
            return undefined;
        }
        const timer = setTimeout(() => setLate(true), SOON);
        return () => clearTimeout(timer);
    }, [isOver]);

    return isLate && last && (!request || tale.isUnknown)
        ? html`<${Last} of=${last} said=${said} settled=${settled} />`
        : html`<${Tale} tale=${tale} said=${said} />`;
}

function unseen(problem, isLate) {
    if (problem) {
        return { level: 'unknown', words: `It is sent. Nobody knows yet what came of it (${problem.title}: ${problem.detail})`, isUnknown: isLate };
    }
    return UNTOLD;
}

/** What disturbs others is asked only once. */
function Last({ of: { request, tell }, said, settled }) {
    const { data, problem } = usePoll(request, ONCE);
    const isOver = (data ?? problem) !== null;
    useEffect(() => {
        if (isOver) {
            settled?.();
        }
    }, [isOver]);
    return html`<${Tale} tale=${isOver ? tell(data, problem) : UNTOLD} said=${said} />`;
}
