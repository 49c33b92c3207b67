// SPDX-License-Identifier: Apache-2.0
// How fast a type is handled, how long that takes, and how both have gone on since this tab looks.

import { html, useMemo } from '../vendor/htm-preact.js';
import { answering } from '../ask.js';
import { useArrival } from '../poll.js';
import { timeOfDay, within } from './time.js';

const KEPT = 60;
/** Between two of them, in milliseconds; less a bit, because answers do not come on the dot. */
const STEP = 4_500;
/** If nobody has looked for so long, a line would say what it does not know. It begins anew. */
const GAP = 30_000;
const WIDTH = 100;
const HEIGHT = 28;

/** Points by type, the oldest first, of one instance. No node keeps them. */
const seen = new Map();
let instance = null;

export const isKnown = value => value !== undefined && value !== null;

/** Retries and what was set aside, per second. */
export const failing = ({ rates }) => (rates?.retried ?? 0) + (rates?.setAside ?? 0);

/** Something is being handled, and nothing was for as long as is counted: it hangs, or takes longer than that. */
export const isStalled = ({ inWork, rates }) => inWork > 0 && rates?.handled === 0;

export const perSecond = value => (isKnown(value) ? `${value}/s` : '–');

function keep(row, at) {
    if (!isKnown(row.rates?.handled)) {
        return;
    }
    const points = seen.get(row.type) ?? [];
    const last = points.at(-1);
    if (last && at - last.at < STEP) {
        return;
    }
    const since = last && at - last.at > GAP ? [] : points.slice(1 - KEPT);
    seen.set(row.type, [...since, { at, handled: row.rates.handled, failing: failing(row) }]);
}

/** Keeps what each answer says of these types, also if it says the same as the one before. */
export function useSeen(rows, cameAt) {
    const at = useArrival([{ cameAt }]);
    useMemo(() => {
        if (instance !== answering()) { // what another one has told is nothing to go on with
            instance = answering();
            seen.clear();
        }
        if (at !== null) {
            rows.forEach(row => keep(row, at));
        }
    }, [rows, at]);
}

function Line({ type }) {
    const points = seen.get(type) ?? [];
    if (points.length < 2) {
        return null;
    }
    const values = points.flatMap(point => [point.handled, point.failing]);
    const most = Math.max(...values);
    const [begin, end] = [points[0].at, points.at(-1).at];
    const x = at => (WIDTH * (at - begin)) / (end - begin);
    const y = value => HEIGHT - 2 - (most === 0 ? 0 : (value / most) * (HEIGHT - 4));
    const line = of => points.map(point => `${x(point.at).toFixed(1)},${y(point[of]).toFixed(1)}`).join(' ');
    return html`
        <svg class="pace" width=${WIDTH} height=${HEIGHT} viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${words(points)}>
            <polyline points=${line('handled')} class="handled" />
            ${points.some(point => point.failing > 0) && html`<polyline points=${line('failing')} class="failing" />`}
        </svg>
        <span class="when">up to ${most}/s</span>`;
}

function words(points) {
    const told = of => {
        const values = points.map(point => point[of]);
        return `${Math.min(...values)} to ${Math.max(...values)} per second, ${values.at(-1)} at last`;
    };
    return `Since ${timeOfDay(points[0].at)}: handled ${told('handled')}; retried or set aside ${told('failing')}.`;
}

export function Took({ of: { p50, p95 } = {} }) {
    return isKnown(p95)
        ? html`95 % ${within(p95)} <span class="when">half ${within(p50)}</span>`
        : html`<span class="faint">–</span>`;
}

export function Explained({ of: rows }) {
    const seconds = rows.map(row => row.rates?.seconds).find(isKnown);
    return html`
        <p class="faint">
            Rates and critical times are of this instance, ${isKnown(seconds) ? `in the last ${seconds} seconds` : 'and counted from now on'}.
            Critical time is from when a message was sent, by the clock of its sender, until it was handled and its publications were confirmed, with retries, pauses and replays:
            so long 95 % and half of the messages took at most, in steps of 1, 2, 5, 10 ms and so on. What is still in work is not among them.
            Each point of a line is such a rate; a line begins when this tab begins to look, and anew after half a minute without, or if another instance answers. What was retried or set aside is dashed.
        </p>`;
}

export function Handled({ of }) {
    return html`
        ${perSecond(of.rates?.handled)} <${Line} type=${of.type} />
        ${of.rates?.expired > 0 && html`<div>${perSecond(of.rates.expired)} expired</div>`}
        ${of.inWork > 0 && html`<div>${of.inWork} in work${isStalled(of) && ', none was handled'}</div>`}`;
}
