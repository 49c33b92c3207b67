// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { useClock } from '../poll.js';

const STEPS = [[86_400, 'd'], [3_600, 'h'], [60, 'min'], [1, 's']];
const DAY = 86_400_000;
/** Clocks are not as exact as this. */
const NOW = 2_000;

function rough(millis) {
    const seconds = Math.round(Math.abs(millis) / 1_000);
    const [size, unit] = STEPS.find(([step]) => seconds >= step) ?? [1, 's'];
    return `${Math.floor(seconds / size)} ${unit}`;
}

function told(millis) {
    if (millis < 0) {
        return `${rough(millis)} ago`;
    }
    return millis < NOW ? 'now' : `in ${rough(millis)}`;
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

/** A time of day in the zone of this browser. */
export const timeOfDay = at => new Date(at).toLocaleTimeString();

/** How long ago something was, or how long until it is, by the clock of the application; and when, in the zone of this browser. */
export function Time({ at }) {
    const now = useClock();
    const time = Date.parse(at ?? '');
    if (Number.isNaN(time)) {
        return html`<span class="faint">–</span>`;
    }
    const when = Math.abs(time - now) < DAY / 2 ? timeOfDay(time) : new Date(time).toLocaleString();
    return html`<time dateTime=${at}>${told(time - now)} <span class="when">${when}</span></time>`;
}
