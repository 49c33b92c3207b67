// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { serverTime } from '../ask.js';
import { when } from './time.js';

/** Sentences have times in UTC, without the day if it is today. */
const TIME = /((?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\dZ)/;

/** A sentence, in which names of types are between backticks. Its times are shown in the zone of this browser, as all others are. */
export function Words({ of }) {
    return of.split('`').map((text, at) => (at % 2 === 1 ? html`<code>${text}</code>` : text.split(TIME).map((part, odd) => (odd % 2 === 1 ? html`<${Local} of=${part} />` : part))));
}

function Local({ of }) {
    const now = serverTime();
    const [day, time] = of.includes(' ') ? of.split(' ') : [new Date(now).toISOString().slice(0, 10), of];
    const at = `${day}T${time}`;
    return Number.isNaN(Date.parse(at)) ? of : html`<time dateTime=${at} title=${`${day} ${time}`}>${when(Date.parse(at), now)}</time>`;
}
