// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { change, look, place, session } from '../ask.js';
import { usePoll } from '../poll.js';
import { Act, Rights } from '../parts/action.js';
import { Page } from '../parts/page.js';
import { href, replace } from '../parts/route.js';
import { Badge, Facts, IdLink, Table, TextFilter } from '../parts/table.js';
import { Time, time, timeOf } from '../parts/time.js';

/** It reads the store. */
const LIST_EVERY = 10_000;
const EVERY = 5_000;

const done = ({ note, message }) => html`
    <p>Done. ${message?.status === 'WAITING' ? html`It is due ${time(message.dueAt)}.` : ''} ${note}</p>`;

const two = number => String(number).padStart(2, '0');

/** A time as it is in the zone of this browser. */
function here(at) {
    const of = new Date(at ?? Date.now());
    return `${of.getFullYear()}-${two(of.getMonth() + 1)}-${two(of.getDate())} ${two(of.getHours())}:${two(of.getMinutes())}:${two(of.getSeconds())}`;
}

const FORM = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)$/;

/** A time of this browser as everybody's. No other form is guessed at: as it is, the application refuses it. */
function everywhere(local = '', dueAt) {
    const parts = FORM.exec(local.trim());
    const of = parts ? new Date(`${parts[1]}T${parts[2]}`) : null;
    if (local === here(dueAt)) { // not changed, so as exact as it was
        return dueAt;
    }
    return of && !Number.isNaN(of.getTime()) ? of.toISOString() : local;
}

/** Another instance of the node may be sending it right now: of the two, exactly one comes first, and the answer says which. */
function Changes({ of: { id, type, dueAt }, again }) {
    const what = type ? `${type} ${id}` : id;
    const { path, query } = place('scheduled', id, 'messageId');
    const request = action => values => change('node', path, { ...query, action, dueAt, ...values });
    const common = { endpoint: 'node', done, after: again };
    return html`
        <span class="buttons">
            <${Act} ...${common} label="Run now" title=${`Run now: ${what}`} request=${request('run')}
                intro="It is due at once, and published as soon as the node has handled its wake-up call." />
            <${Act} ...${common} label="Move" title=${`Move ${what}`} request=${({ at, ...values }) => request('move')({ at: everywhere(at, dueAt), ...values })}
                fields=${[{ name: 'at', label: 'To when', value: here(dueAt), required: true, hint: 'such as 2026-01-31 10:00, in the time zone of this browser' }]}
                preview=${({ at }) => html`<p>That is <${Time} at=${everywhere(at, dueAt)} />.</p>`}
                intro="Earlier or later, at most 365 days from now." />
            <${Act} ...${common} label="Cancel" title=${`Cancel ${what}`} request=${request('cancel')}
                intro="It is never published. What is scheduled with the same idempotency key is not published either, until the retention is over." />
        </span>`;
}

export function Scheduled({ query }) {
    const { type, correlation, after } = query;
    const list = usePoll(look('node', 'scheduled', { type, correlation, after }), LIST_EVERY);
    const { data } = list;
    const filtered = changed => replace(['scheduled'], { type, correlation, ...changed });
    return html`
        <${Page} title="Scheduled" about=${[type, correlation, after && 'another page'].filter(Boolean).join(', ')} question="What is due when?" polls=${[list]}>
            <${Rights} endpoint="node" />
            ${data?.present === false && html`<p class="faint">${data.note}</p>`}
            ${data?.present && html`
                <form class="filter" onSubmit=${event => event.preventDefault()}>
                    <${TextFilter} id="type" label="Type" value=${type} set=${one => filtered({ type: one })} />
                    <${TextFilter} id="correlation" label="Correlation id" value=${correlation} set=${one => filtered({ correlation: one })} />
                </form>
                <${Table} caption="Scheduled messages, those due first" rows=${data.messages} id=${row => row.id} empty="No such messages on this page of the list." columns=${[
                    { name: 'due', cell: timeOf('dueAt') },
                    { name: 'type', cell: row => row.type ?? 'unknown: a newer version wrote it' },
                    { name: 'message', cell: row => html`<${IdLink} page="scheduled" of=${row.id} />` },
                    { name: 'correlation id', cell: row => row.correlationId && html`<${IdLink} page="story" of=${row.correlationId} />` },
                    { name: 'scheduled', cell: timeOf('scheduledAt') },
                    { name: 'because of', cell: row => row.causationId ?? 'no message' },
                    { name: 'change', cell: row => row.type && html`<${Changes} of=${row} again=${list.again} />` },
                ]} />
                ${data.crowded && html`<p class="rights">More than are listed are due ${time(data.crowded)}: look for the others by their ids.</p>`}
                ${data.next && html`<p><a href=${href(['scheduled'], { type, correlation, after: data.next })}>Next page</a> (${data.scanned} messages were read for this one)</p>`}
                <p class="faint">
                    Not among them: ${session().sagas ? html`timeouts of sagas, which are <a href=${href(['sagas'])}>theirs</a>; ` : ''}
                    what was published with a delay, which waits in the broker; and what is on its way to the store.
                    One that is late and has been woken again is listed where it is looked after next.
                </p>`}
        </${Page}>`;
}

export function ScheduledOne({ id }) {
    const { path, query } = place('scheduled', id, 'messageId');
    const poll = usePoll(look('node', path, query), EVERY);
    const { data } = poll;
    return html`
        <${Page} title="Scheduled" id=${id} question="When is it due, and what became of it?" polls=${[poll]}>
            <${Rights} endpoint="node" />
            ${data && html`
                <${Facts} of=${[
                    ['status', html`<${Badge} of=${data.status} />`],
                    ['due', time(data.dueAt)],
                    ['ended', time(data.endedAt)],
                    ['type', data.type],
                    ['correlation id', data.correlationId],
                    ['scheduled', time(data.scheduledAt)],
                    ['because of', data.causationId],
                ]} />
                ${data.status === 'WAITING' && html`<${Changes} of=${data} again=${poll.again} />`}
                <p><a href=${href(['story', id])}>Its story</a></p>`}
        </${Page}>`;
}
