// SPDX-License-Identifier: Apache-2.0
// A saga's history is stored as words: what they mean.

/** The history names messages and steps; the node of a participant only if that has set something aside. */
const OTHERS = 'others';
export const CLOCK = 'timeouts';
const OPERATORS = 'operators';

/** What begins an event, and where it came from, or went. The first one that fits. */
const MOVES = [
    [/^took /, { from: OTHERS }],
    [/^undone: /, { from: OTHERS }],
    [/^(?:undoing )?step /, { to: OTHERS }],
    [/^timeout .* is over$/, { from: CLOCK }],
    [/^(?:cancelled )?timeout /, { to: CLOCK }],
    [/^(?:refused )?(?:RETRY|SKIP|FAIL|RESUME|PATCH)\b/, { from: OPERATORS }],
];

const SET_ASIDE = /^(?<type>\S*[^\s:]) (?<messageId>\S+) was set aside by (?<node>\S+): (?<reason>.*)/;
const SENT_AGAIN = /^(?:RETRY|RESUME): /;
const ANSWERED = /^(?:took|undone:|failed:|stuck:|completed) ?| was set aside/;

/** The messages that events say were set aside, the last one last. */
export const asidesIn = events => events.map(({ what }) => SET_ASIDE.exec(what)?.groups).filter(Boolean);

/** Whether somebody has answered what the saga had sent. */
export const isAnswer = ({ what }) => /^(?:took|undone:) /.test(what);

/** Whether the saga has gone on by it. */
export const isProgress = ({ what }) => /^took |^timeout .* is over$/.test(what);

/** When something was sent again that nobody has answered since; undefined if nothing is on its way. */
export function sentAgain({ history = [], steps = [], blockedOn = [] }) {
    const from = history.findLastIndex(({ what }) => SENT_AGAIN.test(what));
    const waits = steps.some(step => (history[from]?.what.startsWith('RETRY') ? ['SENT', 'UNDOING'] : ['UNDOING']).includes(step.status));
    return from >= 0 && waits && blockedOn.length === 0 && !history.slice(from + 1).some(({ what }) => ANSWERED.test(what)) ? history[from].at : undefined;
}

/** An event as what went from one place to another; self is the saga's. */
export function drawn({ at, what }, self) {
    const node = SET_ASIDE.exec(what)?.groups.node;
    const { from, to } = MOVES.find(([begin]) => begin.test(what))?.[1] ?? { from: node };
    return { at, what, ...(to ? { from: self, node: to } : { from, node: self }) };
}
