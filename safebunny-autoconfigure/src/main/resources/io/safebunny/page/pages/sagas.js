// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { look, serverTime } from '../ask.js';
import { usePoll } from '../poll.js';
import { Page } from '../parts/page.js';
import { href, replace } from '../parts/route.js';
import { Badge, Choose, countsIn, Id, Table, TextFilter } from '../parts/table.js';
import { asides, idle, simple, Status } from '../parts/tales.js';
import { Age, Countdown, time, timeOf } from '../parts/time.js';

/** It reads the store. */
const LIST_EVERY = 10_000;

const ATTENTION = 'attention';

const STATES = [
    [ATTENTION, 'need attention: stuck, blocked or late'],
    ['running', 'running'],
    ['stuck', 'stuck: they need a repair'],
    ['blocked', 'active, and blocked by a message that was set aside, or idle since a repair'],
    ['ended', 'ended'],
    ['all', 'all'],
];

/** As the endpoint takes them. */
const AGES = [['1m', 'a minute'], ['10m', 'ten minutes'], ['1h', 'an hour'], ['1d', 'a day'], ['7d', 'a week']];

const ENDED = ['COMPLETED', 'FAILED'];

const age = ({ status, startedAt }) => (ENDED.includes(status) ? html`started ${time(startedAt)}` : html`<${Age} since=${startedAt} />`);

function Why({ of }) {
    const { status, reason, stuckOn, blockedOn = [] } = of;
    if (status === 'COMPENSATION_FAILED') {
        return `compensation failed${asides(of)}${reason ? `; it failed because: ${reason}` : ''}`;
    }
    return html`
        ${stuckOn && html`stuck on ${stuckOn.type ?? 'a message'}${stuckOn.exception && `: ${simple(stuckOn.exception)}`} ${time(stuckOn.since)}`}
        ${blockedOn.map(({ type, node, reason: why }) => ` ${node} has set aside ${type}: ${why}`).join(',')}
        ${idle(of) || reason}`;
}

function next({ timeouts = {} }) {
    const [first] = Object.entries(timeouts).sort(([, one], [, other]) => Date.parse(one) - Date.parse(other));
    return first && html`${first[0]} <${Countdown} at=${first[1]} />`;
}

const named = (counts, count) => Object.entries(counts ?? {}).map(([saga, some]) => `${saga}: ${count(some)}`).join(', ') || 'none';

function Counts({ of }) {
    return html`
        <p>
            Need a repair: ${named(of.needingRepair, countsIn)}. Blocked: ${named(of.blocked, String)}. Being undone: ${named(of.undoing, some => some.count)}.
            ${of.asOf ? html` Counted ${time(of.asOf)}; the list below is of now.` : ' Not counted yet.'}
        </p>`;
}

/** A timeout that is due is run by the next instance that looks, and an undo takes as long as its participant. */
const LATE = 60_000;
const LATE_UNDO = 3_600_000;

const isLate = ({ status, changedAt, timeouts = {} }) => (status === 'COMPENSATING'
    ? serverTime() - Date.parse(changedAt) > LATE_UNDO
    : status === 'ACTIVE' && Object.values(timeouts).some(at => serverTime() - Date.parse(at) > LATE));

const keyOf = ({ saga, id }) => `${saga} ${id}`;

/** Those that need a person are in three lists: the late ones are among those that run. */
function Attention({ lists: [stuck, blocked, running], query: { saga, olderThan } }) {
    const lists = [['stuck', stuck], ['blocked', blocked], ['running', running]].filter(([, { data }]) => data);
    const all = lists.flatMap(([state, { data }]) => data.sagas.filter(one => state !== 'running' || isLate(one)));
    const rows = [...new Map(all.map(one => [keyOf(one), one])).values()];
    const more = lists.filter(([, { data }]) => data.next);
    const place = (state, after) => [['sagas'], { state, saga, olderThan, after }];
    return html`
        ${rows.length > 0 && html`<${List} caption="Sagas that need attention: stuck, then blocked, then late" rows=${rows} />`}
        ${rows.length === 0 && lists.length === 3 && html`
            <section class="verdict" data-level=${more.length > 0 ? 'unknown' : 'up'} aria-label="Attention">
                <p>No saga${saga || olderThan ? ' of this filter' : ''}${more.length > 0 ? ' that was looked at' : ''} needs attention${more.length > 0 ? '; there are more than were looked at' : ''}. These are running:</p>
            </section>
            <${List} caption="Running sagas, the oldest first" rows=${running.data.sagas} />`}
        ${more.map(([state, { data }]) => html`
            <p key=${state}><a href=${href(...place(state, data.next))}>The next that are ${state}</a>${state === 'running' && ': whether those are late was not looked at'}</p>`)}
        <p><a href=${href(...place('running'))}>All that run</a>, <a href=${href(...place('all'))}>all sagas</a></p>`;
}

function List({ caption, rows }) {
    return html`
        <${Table} caption=${caption} rows=${rows} id=${keyOf} empty="No such sagas on this page of the list." columns=${[
            { name: 'saga' },
            { name: 'id', cell: row => html`<a href=${href(['sagas', row.saga, row.id])}><${Id} of=${row.id} /></a>` },
            { name: 'status', cell: row => html`<${Status} of=${row} />${isLate(row) && html` <${Badge} of="late" />`}` },
            { name: 'age', cell: age },
            { name: 'changed', cell: timeOf('changedAt') },
            { name: 'next timeout', cell: next },
            { name: 'why', cell: row => html`<${Why} of=${row} />` },
        ]} />`;
}

export function Sagas({ query }) {
    const { saga, olderThan, after } = query;
    const state = query.state ?? ATTENTION;
    const useList = wanted => usePoll(wanted && look('node', 'sagas', { state: wanted, saga, olderThan, after: state === ATTENTION ? undefined : after }), LIST_EVERY);
    const lists = (state === ATTENTION ? ['stuck', 'blocked', 'running'] : [state, null, null]).map(useList);
    const counts = usePoll(look('node', 'sagas'));
    const { data } = lists[0];
    // a list of all that need a person says itself how many they are
    const isCounted = after || !['attention', 'stuck', 'blocked'].includes(state) || lists.some(list => list.data?.next);
    const filtered = changed => replace(['sagas'], { state, saga, olderThan, ...changed });
    const ages = AGES.some(([length]) => length === (olderThan ?? AGES[0][0])) ? AGES : [...AGES, [olderThan, olderThan]];
    return html`
        <${Page} title="Sagas" about=${[query.state, saga, olderThan && `older than ${olderThan}`, after && 'another page'].filter(Boolean).join(', ')} question="Where are they, and who is late?" polls=${[...lists.filter(list => list.request), counts]}>
            ${counts.data && isCounted && html`<${Counts} of=${counts.data} />`}
            <form class="filter" onSubmit=${event => event.preventDefault()}>
                <${Choose} id="state" label="State" value=${state} of=${STATES} set=${word => filtered({ state: word })} />
                <${Choose} id="age" label="Older than" value=${olderThan} of=${[['', 'any age'], ...ages]} set=${length => filtered({ olderThan: length })} />
                <${TextFilter} id="saga" label="Name of the saga" value=${saga} set=${name => filtered({ saga: name })} />
            </form>
            ${state === ATTENTION && html`<${Attention} lists=${lists} query=${query} />`}
            ${state !== ATTENTION && data && html`
                <${List} caption="Sagas, the oldest first" rows=${data.sagas} />
                ${data.next && html`<p><a href=${href(['sagas'], { state, saga, olderThan, after: data.next })}>Next page</a> (${data.scanned} sagas were read for this one)</p>`}`}
        </${Page}>`;
}
