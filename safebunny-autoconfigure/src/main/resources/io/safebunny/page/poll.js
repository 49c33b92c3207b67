// SPDX-License-Identifier: Apache-2.0
// Asks again and again, but only while somebody looks.

import { createContext, useContext, useEffect, useRef, useState } from './vendor/htm-preact.js';
import { mixed, PATIENCE, PATIENCE_OF_ONE, send, serverTime } from './ask.js';

const EVERY = 2_000;
const LONGEST = 30_000;
/** Nobody looks at a page without a key or a click for so long: it would keep a login alive for ever. */
const IDLE = 3_600_000;
const STALE = 2;
const NOTHING = { data: null, problem: null, failures: 0, isBusy: false };

/** Whether what is shown is too old to act upon. */
export const Stale = createContext(false);

export const useStale = () => useContext(Stale);

let touchedAt = Date.now();
const watchers = new Set();

export const isWatched = () => !document.hidden && Date.now() - touchedAt < IDLE;

function touched() {
    const wasWatched = isWatched();
    touchedAt = Date.now();
    if (!wasWatched) {
        watchers.forEach(watcher => watcher());
    }
}

addEventListener('keydown', touched, true);
addEventListener('pointerdown', touched, true);
document.addEventListener('visibilitychange', () => watchers.forEach(watcher => watcher()));

/** Calls it whenever somebody may have begun to look. Returns what ends that. */
export function whenWatched(watcher) {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
}

/**
 * The latest answer to a request: asked every two seconds while the page is seen, less and less often while it fails. Nothing is drawn for an
 * answer that is the one before.
 *
 * @param request null for none yet
 * @param every milliseconds; 0 to ask only once, for what must not be asked often
 * @param isOver whether an answer is the last one, because nothing changes any more
 * @returns the request; its data; what went wrong with the last one; whether the data are too old to act upon; when they have come, and
 *     were asked for; whether an answer is being waited for, for what is asked once; and what asks again
 */
export function usePoll(request, every = EVERY, isOver = () => false) {
    const [state, setState] = useState(NOTHING);
    const again = useRef(() => {});
    const cameAt = useRef(null);
    const askedAt = useRef(0);
    const ended = useRef(false);
    const url = request?.url;

    useEffect(() => {
        if (!request) {
            return undefined;
        }
        const control = new AbortController();
        let timer;
        let failures = 0;
        let busy = false;
        let wanted = false;
        let last = null;
        let over = every === 0;

        const tell = change => control.signal.aborted || setState(before => ({ ...before, ...change }));

        async function ask() {
            clearTimeout(timer);
            wanted = busy;
            if (busy) {
                return;
            }
            busy = true;
            const from = Date.now();
            if (every === 0) {
                tell({ isBusy: true });
            }
            try {
                const { body, text } = await send(request, { signal: control.signal, patience: every === 0 ? PATIENCE_OF_ONE : undefined });
                cameAt.current = Date.now();
                askedAt.current = from;
                if (text !== last || failures > 0) {
                    tell({ data: body, problem: null, failures: 0 });
                }
                last = text;
                failures = 0;
                over = every === 0 || isOver(body);
                ended.current = over;
            } catch (problem) {
                failures++;
                if (problem.body?.status === 404) { // an answer, too: it is gone
                    cameAt.current = Date.now();
                    tell({ data: null, problem, failures: 0 });
                } else {
                    tell({ problem, failures });
                }
            } finally {
                busy = false;
            }
            if (control.signal.aborted) {
                return;
            }
            if (wanted) {
                ask();
                return;
            }
            if (every === 0) {
                tell({ isBusy: false });
            } else if (!over) {
                timer = setTimeout(askIfWatched, Math.min(every * 2 ** failures, Math.max(every, LONGEST)));
            }
        }

        function askIfWatched() {
            clearTimeout(timer);
            if (!over && !busy && isWatched()) {
                ask();
            }
        }

        setState(NOTHING);
        cameAt.current = null;
        ended.current = false;
        again.current = ask;
        const unwatch = whenWatched(askIfWatched);
        if (every === 0 || isWatched()) {
            ask();
        }
        return () => {
            control.abort();
            clearTimeout(timer);
            unwatch();
        };
    }, [url, every]);

    return { ...state, request, every, isStale: state.failures >= STALE, cameAt, askedAt, ended, again: () => again.current() };
}

const clocks = new Set();

setInterval(() => {
    if (!document.hidden) {
        clocks.forEach(tick => tick());
    }
}, 1_000);

/** What is so now, looked at again every second while the page is seen. */
function useEachSecond(look) {
    const [, setSeen] = useState(null);
    useEffect(() => {
        const tick = () => setSeen(look());
        clocks.add(tick);
        return () => clocks.delete(tick);
    }, []);
    return look();
}

export const useClock = () => useEachSecond(serverTime);

/** When the oldest of these answers has come, in milliseconds; null if the first has not yet. */
export const useArrival = ([first, ...others]) => useEachSecond(() =>
    first.cameAt.current && Math.min(...[first, ...others].map(({ cameAt }) => cameAt.current ?? Infinity)));

/** Whether one of these answers is older than it would be if the page still asked for it. */
export const useOld = polls => useEachSecond(() => polls.some(({ every, cameAt, ended }) =>
    !ended.current && cameAt.current !== null && Date.now() - cameAt.current > 2 * every + PATIENCE));

/** The instances that answer in turns, as one text; empty if it is one. */
export const useMixed = () => useEachSecond(() => mixed().join(', '));

const narrow = matchMedia('(max-width: 40rem)');

/** Whether there is room for little at once, as on a phone: what somebody came for is first then. */
export const useNarrow = () => useEachSecond(() => narrow.matches);

/** Whether the page has stopped asking because nobody has touched it. */
export const useIdle = () => useEachSecond(() => !document.hidden && !isWatched());
