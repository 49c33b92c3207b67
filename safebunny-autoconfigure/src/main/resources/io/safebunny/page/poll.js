// SPDX-License-Identifier: Apache-2.0
// Asks again and again, but only while somebody looks.

import { useEffect, useRef, useState } from './vendor/htm-preact.js';
import { send } from './ask.js';

const EVERY = 2_000;
const LONGEST = 30_000;
const NOTHING = { data: null, problem: null };

/**
 * The latest answer to a request: asked every two seconds while the page is seen, less and less often while it fails. What is drawn changes
 * only if the answer does.
 *
 * @param request null for none yet
 * @param every milliseconds; 0 to ask only once, for what must not be asked often
 */
export function usePoll(request, every = EVERY) {
    const [state, setState] = useState(NOTHING);
    const again = useRef(() => {});
    const url = request?.url;

    useEffect(() => {
        if (!request) {
            return undefined;
        }
        const control = new AbortController();
        let timer;
        let failures = 0;
        let busy = false;
        let last = null;

        async function ask() {
            clearTimeout(timer);
            if (busy || (document.hidden && every > 0)) {
                return;
            }
            busy = true;
            try {
                const { body, text } = await send(request, control.signal);
                failures = 0;
                if (text !== last && !control.signal.aborted) {
                    last = text;
                    setState({ data: body, problem: null });
                }
            } catch (problem) {
                failures++;
                last = null;
                if (!control.signal.aborted) {
                    setState(before => ({ ...before, problem }));
                }
            } finally {
                busy = false;
            }
            if (every > 0 && !control.signal.aborted) {
                timer = setTimeout(ask, Math.min(every * 2 ** failures, Math.max(every, LONGEST)));
            }
        }

        function seen() {
            clearTimeout(timer);
            if (!document.hidden && every > 0) {
                ask();
            }
        }

        setState(NOTHING);
        again.current = ask;
        document.addEventListener('visibilitychange', seen);
        ask();
        return () => {
            control.abort();
            clearTimeout(timer);
            document.removeEventListener('visibilitychange', seen);
        };
    }, [url, every]);

    return { ...state, again: () => again.current() };
}

const clocks = new Set();

setInterval(() => {
    if (!document.hidden) {
        clocks.forEach(tick => tick(Date.now()));
    }
}, 1_000);

/** The time, as often as every second, while the page is seen. */
export function useClock() {
    const [now, setNow] = useState(Date.now());
    useEffect(() => {
        clocks.add(setNow);
        return () => clocks.delete(setNow);
    }, []);
    return now;
}
