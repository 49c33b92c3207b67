// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { useClock } from '../poll.js';

const STEPS = [[86_400, 'd'], [3_600, 'h'], [60, 'min'], [1, 's']];

function rough(millis) {
    const seconds = Math.round(Math.abs(millis) / 1_000);
    const [size, unit] = STEPS.find(([step]) => seconds >= step) ?? [1, 's'];
    return `${Math.floor(seconds / size)} ${unit}`;
}

/** How long ago something was, or how long until it is, by the clock of this browser. */
export function Time({ at }) {
    const now = useClock();
    if (!at) {
        return html`<span class="faint">–</span>`;
    }
    const millis = Date.parse(at) - now;
    return html`<time dateTime=${at} title=${at}>${millis > 0 ? `in ${rough(millis)}` : `${rough(millis)} ago`}</time>`;
}
