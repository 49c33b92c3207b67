// SPDX-License-Identifier: Apache-2.0
import { html, useMemo, useRef } from '../vendor/htm-preact.js';
import { change, look, mixed, segment } from '../ask.js';
import { usePoll } from '../poll.js';
import { Act, Rights } from '../parts/action.js';
import { Page } from '../parts/page.js';
import { Explained, failing, Handled, isKnown, isStalled, perSecond, Took, useSeen } from '../parts/pace.js';
import { href, replace } from '../parts/route.js';
import { Badge, Choose, Facts, Table, TextFilter } from '../parts/table.js';
import { Age, time } from '../parts/time.js';

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
        intro=${pause ? html`${what} It is paused already, by ${pause.by}, until ${time(pause.until)}: ${pause.reason}` : what}
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

const urgency = breaker => (!isHandled(breaker) ? 1_000 : isStalled(breaker) ? 500 : breaker.failureRate ?? 0);

const at = text => Date.parse(text ?? '') || 0;

/** By numbers, the largest first; then by name. Of hundreds of types only the beginning is shown. */
const by = (...numbers) => (one, other) => numbers.reduce((found, of) => found || of(other) - of(one), 0) || one.type.localeCompare(other.type);

const ORDERS = [
    { name: 'look', text: 'what needs a look first', order: by(urgency, failing) },
    { name: 'failing', text: 'failing first', order: by(failing, ({ failureRate }) => failureRate ?? 0, ({ lastFailure }) => at(lastFailure?.at)) },
    { name: 'slow', text: 'slow first', order: by(isStalled, ({ criticalMillis }) => criticalMillis?.p95 ?? -1, ({ criticalMillis }) => criticalMillis?.p50 ?? -1) },
    { name: 'paused', text: 'paused first', order: by(breaker => !isHandled(breaker), breaker => (isHandled(breaker) ? 0 : -at(breaker.since))) },
    { name: 'busy', text: 'busy first', order: by(({ rates }) => rates?.handled ?? 0) },
    { name: 'name', text: 'by name', order: by() },
];

/**
 * Rows in this order; as they are while somebody is about to press a button in one of them.
 *
 * @param place what the rows are in
 */
function useSorted(rows, { name, order }, place) {
    const kept = useRef({ name, types: [] });
    const isHeld = kept.current.name === name && (place.current?.querySelector('tbody:hover, tbody :focus') ?? null) !== null;
    const before = new Map(isHeld ? kept.current.types.map((type, index) => [type, index]) : []);
    const index = row => before.get(row.type) ?? before.size;
    const sorted = rows.sort((one, other) => index(one) - index(other) || order(one, other));
    kept.current = { name, types: sorted.map(row => row.type) };
    return sorted;
}

const failure = last => last && html`${time(last.at)} ${last.type}${last.text ? `: ${last.text}` : ''}`;

const percent = rate => (isKnown(rate) ? `${rate} %` : '–');

const condition = ({ state, since, until, reason }) => html`
    <${Badge} of=${state} /> for <${Age} since=${since} />${reason && html` <div>${reason}</div>`}${until && html`<div>until ${time(until)}</div>`}`;

/** Without the package of its class, which the type's own page has. */
const brief = last => last && failure({ ...last, type: last.type.split('.').at(-1) });

export function Types({ query }) {
    const poll = usePoll(look('node', 'breakers'), ALL_EVERY);
    const { data, again } = poll;
    const all = useMemo(() => Object.values(data ?? {}), [data]);
    useSeen(all, poll.cameAt);
    const sort = ORDERS.find(({ name }) => name === query.sort) ?? ORDERS[0];
    const place = useRef(null);
    const rows = useSorted(all.filter(breaker => isShown(breaker, query)), sort, place);
    const set = changed => replace(['types'], { ...query, ...changed });
    return html`
        <${Page} title="Types" about=${query.state === 'paused' ? 'not handled now' : undefined} question="Which one fails, is slow, is paused?" polls=${[poll]}>
            <${Rights} endpoint="node" />
            <form class="filter" onSubmit=${event => event.preventDefault()}>
                <${TextFilter} id="q" label="Type" value=${query.q} live=${true} set=${q => set({ q })} />
                <${Choose} id="state" label="State" value=${query.state} of=${[['', 'all'], ['paused', 'not handled now']]} set=${state => set({ state })} />
                <${Choose} id="sort" label="Order" value=${sort.name} of=${ORDERS.map(({ name, text }) => [name, text])} set=${name => set({ sort: name })} />
            </form>
            ${data && html`
                <div ref=${place}><${Table} caption=${`Types, ${sort.text}`} rows=${rows} id=${row => row.type} empty="No such type." columns=${[
                    { name: 'type', cell: row => html`<a href=${href(['types', row.type])}>${row.type}</a>` },
                    { name: 'state', cell: condition },
                    { name: 'handled', cell: row => html`<${Handled} of=${row} />` },
                    { name: 'retried', cell: row => perSecond(row.rates?.retried) },
                    { name: 'set aside', cell: row => perSecond(row.rates?.setAside) },
                    { name: 'critical time', cell: row => html`<${Took} of=${row.criticalMillis} />` },
                    { name: 'failing', cell: row => percent(row.failureRate) },
                    { name: 'last failure', cell: row => brief(row.lastFailure) },
                    { name: 'change', cell: row => html`<${Changes} of=${row} again=${again} />` },
                ]} /></div>
                <${Explained} of=${all} />`}
        </${Page}>`;
}

export function Type({ type }) {
    const poll = usePoll(look('node', `breakers/${segment(type)}`));
    const handlers = usePoll(look('node', `handlers/${segment(type)}`), HANDLERS_EVERY);
    const { data, again } = poll;
    const { data: handler } = handlers;
    const rows = useMemo(() => (data ? [data] : []), [data]);
    useSeen(rows, poll.cameAt);
    return html`
        <${Page} title=${type} question="How is it handled?" polls=${[poll, handlers]}>
            <${Rights} endpoint="node" />
            ${data && html`
                <${Changes} of=${data} again=${again} />
                <h2>Pace</h2>
                <${Facts} of=${[
                    ['handled', html`<${Handled} of=${data} />`],
                    ['retried', perSecond(data.rates?.retried)],
                    ['set aside', perSecond(data.rates?.setAside)],
                    ['expired, told or dropped or set aside', perSecond(data.rates?.expired)],
                    ['critical time', html`<${Took} of=${data.criticalMillis} />`],
                ]} />
                <${Explained} of=${rows} />
                <h2>Breaker</h2>
                <${Facts} of=${[
                    ['state', html`<${Badge} of=${data.state} />`],
                    ['since', time(data.since)],
                    ['until', time(data.until)],
                    ['why', data.reason],
                    ['failing', isKnown(data.failureRate) ? `${percent(data.failureRate)} of the latest messages` : null],
                    ['last failure', failure(data.lastFailure)],
                    ['paused by', data.pause && `${data.pause.by}: ${data.pause.reason}`],
                    ['paused until', data.pause && time(data.pause.until)],
                ]} />`}
            ${handler && html`
                <h2>Handler</h2>
                <${Facts} of=${[
                    ['handler', handler.handler],
                    ['payload', handler.payload],
                    ['from', (handler.from ?? []).join(', ')],
                    ['prefetch', handler.prefetch],
                    ['retries in memory', handler.inMemoryRetries],
                    ['delayed retries', (handler.delayedRetries ?? []).join(', ') || 'none'],
                ]} />
                <p><a href=${href(['poison'], { type })}>What was set aside of this type</a></p>`}
        </${Page}>`;
}
