// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { serverTime } from '../ask.js';
import { Id } from './table.js';
import { when } from './time.js';

/** Sentences have times in UTC, without the day if it is today; histories have instants. */
const TIME = /((?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** What others have written: between quotes, and after these in a history. */
const WRITTEN = /((?<=^(?:failed|RETRY|SKIP|FAIL|RESUME|PATCH): )[^]*|(?<=^refused [A-Z]+ )[^]*|"[^"]*")/;

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';

/** Finds ids as whole words: this one, and all that cannot be anything else. */
const ids = id => new RegExp(`(?<![\\w-])(${id ? `${id.replace(/[^\w]/g, '\\$&')}|` : ''}${UUID})(?![\\w-])`);

const splitBy = (text, separator, show) => text.split(separator).map((part, at) => (at % 2 === 1 ? show(part) : part));

/**
 * A sentence, in which names of types are between backticks. Its times are shown in the zone of this browser, as all others are. What others
 * have written in it stays as it is.
 *
 * @param id what it is about; absent if that is no single one
 */
export function Words({ of, id }) {
    const others = text => splitBy(text, TIME, time => html`<${Local} of=${time} />`)
        .flatMap(part => (typeof part === 'string' ? splitBy(part, ids(id), one => html`<${Id} of=${one} />`) : part));
    const own = text => text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : others(part)));
    return of.split(WRITTEN).map((text, at) => (at % 2 === 1 ? text : own(text)));
}

const instant = (of, now) => Date.parse(/^\d{4}/.test(of) ? of.replace(' ', 'T') : `${new Date(now).toISOString().slice(0, 11)}${of}`);

export function plain(of) {
    const now = serverTime();
    const own = text => text.replaceAll('`', '').split(TIME).map((part, at) => (at % 2 === 1 ? when(instant(part, now), now) : part)).join('');
    return of.split(WRITTEN).map((text, at) => (at % 2 === 1 ? text : own(text))).join('');
}

function Local({ of }) {
    const now = serverTime();
    const at = instant(of, now);
    return Number.isNaN(at) ? of : html`<time dateTime=${new Date(at).toISOString()} title=${new Date(at).toISOString().replace('T', ' ').replace(/\.\d+/, '')}>${when(at, now)}</time>`;
}
