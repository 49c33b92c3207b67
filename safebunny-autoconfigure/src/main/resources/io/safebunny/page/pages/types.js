// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { change, look, mixed, segment } from '../ask.js';
import { usePoll } from '../poll.js';
import { Act, Rights } from '../parts/action.js';
import { Page } from '../parts/page.js';
import { href, replace } from '../parts/route.js';
import { Badge, Facts, Table, TextFilter } from '../parts/table.js';
import { Time } from '../parts/time.js';

/** Each answer has all of them. */
const ALL_EVERY = 5_000;
const HANDLERS_EVERY = 60_000;

/** Nobody can tell which instance is "this" one if several answer in turns. */
const where = () => ({
    name: 'scope',
    label: 'Where',
    value: 'node',
    options: [['node', 'all instances of this node'], ...(mixed().length > 0 ? [] : [['instance', 'this instance only']])],
});

/** It is only asked: the application takes any pause. */
const REPLACE = 'replace';

const result = answer => html`
    <p>Operation ${answer.operation}, ${answer.stored ? 'stored for all instances' : 'not stored'}.</p>
    <ul>${(answer.instances ?? []).map(one => html`<li key=${one.id}>${one.id}: ${one.applied ? 'done' : 'has not answered'}</li>`)}</ul>
    ${answer.note && html`<p>${answer.note}</p>`}`;

function Pause({ type, pause, again }) {
    const what = 'Its messages wait in their queue. Those that are being handled go on.';
    return html`<${Act} endpoint="node" label="Pause" title=${`Pause ${type}`}
        intro=${pause ? html`${what} It is paused already, by ${pause.by}, until <${Time} at=${pause.until} />: ${pause.reason}` : what}
        fields=${[
            ...(pause ? [{ name: REPLACE, label: 'Replace that pause, also if it would have been longer', check: true, required: true }] : []),
            { name: 'duration', label: 'For how long', value: '10m', required: true, hint: 'a number with a unit: 30s, 10m, 2h' },
            where(),
        ]}
        request=${({ [REPLACE]: unused, ...values }) => change('node', `breakers/${segment(type)}`, { state: 'open', ...values })}
        done=${result} after=${again} />`;
}

function Resume({ type, again }) {
    return html`<${Act} endpoint="node" label="Resume" title=${`Resume ${type}`}
        intro="Ends a pause by an operator. A breaker that opened by itself closes once its probes succeed."
        fields=${[where()]}
        request=${values => change('node', `breakers/${segment(type)}`, { state: 'closed', ...values })}
        done=${result} after=${again} />`;
}

function Changes({ of: { type, state, pause }, again }) {
    return html`
        <span class="buttons">
            <${Pause} type=${type} pause=${pause} again=${again} />
            ${(state !== 'CLOSED' || pause) && html`<${Resume} type=${type} again=${again} />`}
        </span>`;
}

const isHandled = ({ state, pause }) => state === 'CLOSED' && !pause;

const isShown = (breaker, { q = '', state }) =>
    breaker.type.toLowerCase().includes(q.toLowerCase()) && (state !== 'paused' || !isHandled(breaker));

/** What needs a look comes first: of hundreds of types only the beginning is shown. */
const urgency = breaker => (isHandled(breaker) ? breaker.failureRate ?? 0 : 1_000);

const byUrgency = (one, other) => urgency(other) - urgency(one) || one.type.localeCompare(other.type);

const failure = last => last && html`<${Time} at=${last.at} /> ${last.type}${last.text ? `: ${last.text}` : ''}`;

/** Which one fails, or is paused? */
export function Types({ query }) {
    const poll = usePoll(look('node', 'breakers'), ALL_EVERY);
    const { data, again } = poll;
    const rows = Object.values(data ?? {}).filter(breaker => isShown(breaker, query)).sort(byUrgency);
    return html`
        <${Page} title="Types" about=${query.state === 'paused' ? 'not handled now' : undefined} question="Which one fails, or is paused?" polls=${[poll]}>
            <${Rights} endpoint="node" />
            <form class="filter" onSubmit=${event => event.preventDefault()}>
                <${TextFilter} id="q" label="Type" value=${query.q} live=${true} set=${q => replace(['types'], { ...query, q })} />
                <span class="pair">
                    <label for="state">State</label>
                    <select id="state" value=${query.state ?? ''} onChange=${event => replace(['types'], { ...query, state: event.target.value || undefined })}>
                        <option value="">all</option><option value="paused">not handled now</option>
                    </select>
                </span>
            </form>
            ${data && html`<${Table} caption="Types, those that need a look first" rows=${rows} id=${row => row.type} empty="No such type." columns=${[
                { name: 'type', cell: row => html`<a href=${href(['types', row.type])}>${row.type}</a>` },
                { name: 'state', cell: row => html`<${Badge} of=${row.state} />` },
                { name: 'since', cell: row => html`<${Time} at=${row.since} />` },
                { name: 'until', cell: row => html`<${Time} at=${row.until} />` },
                { name: 'why', cell: row => row.reason },
                { name: 'failing', cell: row => (row.failureRate === undefined || row.failureRate === null ? '–' : `${row.failureRate} %`) },
                { name: 'last failure', cell: row => failure(row.lastFailure) },
                { name: 'change', cell: row => html`<${Changes} of=${row} again=${again} />` },
            ]} />`}
        </${Page}>`;
}

/** One type: its handler and its breaker. */
export function Type({ type }) {
    const poll = usePoll(look('node', `breakers/${segment(type)}`));
    const handlers = usePoll(look('node', `handlers/${segment(type)}`), HANDLERS_EVERY);
    const { data, again } = poll;
    const { data: handler } = handlers;
    return html`
        <${Page} title=${type} question="How is it handled?" polls=${[poll, handlers]}>
            <${Rights} endpoint="node" />
            ${data && html`
                <${Changes} of=${data} again=${again} />
                <h2>Breaker</h2>
                <${Facts} of=${[
                    ['state', html`<${Badge} of=${data.state} />`],
                    ['since', html`<${Time} at=${data.since} />`],
                    ['until', data.until && html`<${Time} at=${data.until} />`],
                    ['why', data.reason],
                    ['failing', data.failureRate === undefined || data.failureRate === null ? null : `${data.failureRate} % of the latest messages`],
                    ['last failure', failure(data.lastFailure)],
                    ['paused by', data.pause && `${data.pause.by}: ${data.pause.reason}`],
                    ['paused until', data.pause && html`<${Time} at=${data.pause.until} />`],
                ]} />`}
            ${handler && html`
                <h2>Handler</h2>
                <${Facts} of=${[
                    ['handler', handler.handler],
                    ['payload', handler.payload],
                    ['from', (handler.from ?? []).join(', ')],
                    ['prefetch', String(handler.prefetch)],
                    ['retries in memory', String(handler.inMemoryRetries)],
                    ['delayed retries', (handler.delayedRetries ?? []).join(', ') || 'none'],
                ]} />
                <p><a href=${href(['poison'], { type })}>What was set aside of this type</a></p>`}
        </${Page}>`;
}
