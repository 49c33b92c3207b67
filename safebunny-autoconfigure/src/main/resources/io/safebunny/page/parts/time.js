// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { useClock } from '../poll.js';

const STEPS = [[86_400, 'd'], [3_600, 'h'], [60, 'min'], [1, 's']];
const DAY = 86_400_000;
/** Stands for all longer times. */
const LONGER = 1_000_000_000;
/** Clocks are not as exact as this. */
const NOW = 2_000;

function rough(millis) {
    const seconds = Math.floor(Math.abs(millis) / 1_000);
    const [size, unit] = STEPS.find(([step]) => seconds >= step) ?? [1, 's'];
    return `${Math.floor(seconds / size)} ${unit}`;
}

function told(millis) {
    if (millis < 0) {
        return `${rough(millis)} ago`;
    }
    return millis < NOW ? 'now' : `in ${rough(millis)}`;
}

/** Of two units, rounded down. */
function fine(millis) {
    const seconds = Math.floor(Math.abs(millis) / 1_000);
    const at = STEPS.findIndex(([step]) => seconds >= step);
    if (at < 0) {
        return '0 s';
    }
    const [size, unit] = STEPS[at];
    const [next, nextUnit] = STEPS[at + 1] ?? [];
    const rest = next ? Math.floor((seconds % size) / next) : 0;
    return `${Math.floor(seconds / size)} ${unit}${rest > 0 ? ` ${rest} ${nextUnit}` : ''}`;
}

/** A bound in milliseconds, rounded up, so that it stays one. */
export function within(millis) {
    if (millis >= LONGER) {
        return 'more than 5 d';
    }
    if (millis < 1_000) {
        return `≤ ${millis} ms`;
    }
    const seconds = millis / 1_000;
    const [size, unit] = STEPS.find(([step]) => seconds >= 2 * step) ?? [1, 's'];
    return `≤ ${Math.ceil(seconds / size)} ${unit}`;
}

/** How long something lasted that is written in ISO 8601, such as PT3H2M; what is written otherwise, as it is. */
export function lasted(text) {
    const found = /^PT(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d+)?S)?$/.exec(text ?? '');
    if (!found || text === 'PT') {
        return text;
    }
    const [hours, minutes, seconds] = found.slice(1).map(part => Number(part ?? 0));
    return rough(((hours * 60 + minutes) * 60 + seconds) * 1_000);
}

export const timeOfDay = at => new Date(at).toLocaleTimeString();

/** A time of day in the zone of this browser, with the day if it is another one. */
export const when = (time, now) => (Math.abs(time - now) < DAY / 2 ? timeOfDay(time) : new Date(time).toLocaleString());

/** What is told of a time by the clock of the application, each second anew, and when it is in the zone of this browser. */
function Told({ at, words }) {
    const now = useClock();
    const time = Date.parse(at ?? '');
    if (Number.isNaN(time)) {
        return html`<span class="faint">–</span>`;
    }
    return html`<time dateTime=${at}>${words(time, now)} <span class="when">${when(time, now)}</span></time>`;
}

export const Time = ({ at }) => html`<${Told} at=${at} words=${(time, now) => told(time - now)} />`;

/** The same, if there is a time. */
export const time = at => at && html`<${Time} at=${at} />`;

/** The same of a row of a table. */
export const timeOf = name => row => html`<${Time} at=${row[name]} />`;

/** To the second in the last hour. */
export const Countdown = ({ at }) => html`<${Told} at=${at} words=${(time, now) => (time > now ? `in ${fine(time - now)}` : `due ${fine(now - time)} ago`)} />`;

export const Age = ({ since }) => html`<${Told} at=${since} words=${(time, now) => fine(Math.max(0, now - time))} />`;
