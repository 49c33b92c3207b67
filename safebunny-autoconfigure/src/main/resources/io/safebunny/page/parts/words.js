// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { serverTime } from '../ask.js';
import { Id } from './table.js';
import { when } from './time.js';

/** Sentences have times in UTC, without the day if it is today. */
const TIME = /((?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\dZ)/;

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';

/** Finds ids as whole words: this one, and all that cannot be anything else. */
const ids = id => new RegExp(`(?<![\\w-])(${id ? `${id.replace(/[^\w]/g, '\\$&')}|` : ''}${UUID})(?![\\w-])`);

const splitBy = (text, separator, show) => text.split(separator).map((part, at) => (at % 2 === 1 ? show(part) : part));

/**
 * A sentence, in which names of types are between backticks. Its times are shown in the zone of this browser, as all others are.
 *
 * @param id what it is about; absent if that is no single one
 */
export function Words({ of, id }) {
    const others = text => splitBy(text, TIME, time => html`<${Local} of=${time} />`)
        .map(part => (typeof part === 'string' ? splitBy(part, ids(id), one => html`<${Id} of=${one} />`) : part));
    return of.split('`').map((text, at) => (at % 2 === 1 ? html`<code>${text}</code>` : others(text)));
}

function Local({ of }) {
    const now = serverTime();
    const [day, time] = of.includes(' ') ? of.split(' ') : [new Date(now).toISOString().slice(0, 10), of];
    const at = `${day}T${time}`;
    return Number.isNaN(Date.parse(at)) ? of : html`<time dateTime=${at} title=${`${day} ${time}`}>${when(Date.parse(at), now)}</time>`;
}
