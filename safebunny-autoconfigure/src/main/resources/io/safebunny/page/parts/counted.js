// SPDX-License-Identifier: Apache-2.0
// All that was set aside, in groups, as the last count of the whole queue found it. The count is a dry run of all; to look at it takes no copies.

import { html } from '../vendor/htm-preact.js';
import { change, look, remove, segment } from '../ask.js';
import { usePoll } from '../poll.js';
import { Act } from './action.js';
import { Trouble } from './problem.js';
import { href } from './route.js';
import { Badge, ClassName, Table } from './table.js';
import { time, timeOf, timeOfDay } from './time.js';

/** The most that one operation reads. */
const ALL = 100_000;
const STEP = 100;

export const isOver = operation => operation.state !== 'RUNNING';

const isBrokenOff = operation => ['CANCELLED', 'FAILED'].includes(operation.state);

/** The counts, of the operations with the last one first: the one to show, and the last one if that was broken off. */
export function countsOf(operations, archived) {
    const counts = (operations ?? []).filter(one => one.count && one.kind === (archived ? 'RESTORE' : 'REPLAY'));
    const shown = counts.find(one => !isBrokenOff(one)) ?? counts[0];
    return { shown, brokenOff: counts[0] === shown ? undefined : counts[0] };
}

const begun = answer => html`
    <p>
        ${isOver(answer)
            ? `It has read ${answer.scanned} copies.`
            : 'It reads one copy after the other, and goes on by itself. Until it ends, it holds what it has read: nobody else sees or counts these, and this instance begins no other operation.'}
    </p>`;

export function Count({ archived, after }) {
    return html`
        <${Act} endpoint="poison" label="Count all" title=${archived ? 'Count all in the archive' : 'Count all in the poison queue'} done=${begun} after=${after}
            intro="Reads the whole queue once, without moving anything, and groups it. It may take minutes, and can be stopped. Meanwhile others see and count less than there is."
            request=${values => change('poison', '', { action: archived ? 'restore' : 'replay', all: true, dryRun: true, limit: ALL, ...values })} />`;
}

export const groupOf = row => `${row.type} ${row.reason} ${row.exception}`;

export const ofGroup = here => [
    { name: 'type', cell: row => row.type || 'none' },
    { name: 'reason', cell: row => row.reason || 'none' },
    { name: 'exception', cell: row => (row.exception ? html`<${ClassName} of=${row.exception} />` : 'none') },
    { name: 'copies', cell: row => html`
        <a href=${href(['poison'], { ...here, type: row.type ?? '', poisonReason: row.reason ?? '', exception: row.exception ?? '' })}>${row.copies}</a>` },
    { name: 'first', cell: timeOf('first') },
    { name: 'last', cell: timeOf('last') },
];

export function Counted({ operation, brokenOff, filter, archived, from, after }) {
    const { correlation, verdict, ...ofGroups } = filter;
    const start = Number(from) || 0;
    const poll = usePoll(look('poison', '', { operation, ...ofGroups, after: start || undefined }), undefined, isOver);
    const { data, problem, again } = poll;
    const here = { ...filter, archived };
    return html`
        <section aria-labelledby="counted">
            <h2 id="counted">As it was counted</h2>
            ${brokenOff && html`
                <p class="rights" role="status">
                    A later count was broken off: <a href=${href(['operations', brokenOff.operation])}>${brokenOff.state.toLowerCase()}</a>${brokenOff.failure && `, ${brokenOff.failure}`}
                </p>`}
            <${Trouble} problem=${problem} />
            ${data && html`
                <${Extent} of=${data} />
                ${!isOver(data) && html`
                    <${Act} endpoint="node" label="Stop" title="Stop counting" reasonless=${true} intro="It ends before its next copy, and puts back what it has read."
                        request=${() => remove('node', `operations/${segment(operation)}`)} after=${() => { again(); after(); }} />`}
                ${Object.keys(filter).length > 0 && html`
                    <p>
                        ${data.copies} of these are in groups that match, and a replay would move ${data.replayable} of them.
                        ${(correlation ?? verdict) !== undefined && ' The count is not filtered by the correlation id, nor by what a replay would do.'}
                    </p>`}
                <${Table} caption="Groups, the largest first" rows=${data.groups} id=${groupOf} empty=${data.forgotten ? 'Its groups were forgotten for those of later operations: count again.' : 'No group matches.'} columns=${[
                    ...ofGroup(here),
                    { name: archived ? 'a replay would move, once restored' : 'a replay would move', cell: row => row.replayable },
                    { name: 'examples', cell: row => html`<${Examples} of=${row.examples} archived=${archived} />` },
                ]} />
                <p class="buttons">
                    ${start > 0 && html`<a href=${href(['poison'], { ...here, from: start > STEP ? start - STEP : undefined })}>The groups before</a>`}
                    ${start + STEP < data.found && html`<a href=${href(['poison'], { ...here, from: start + STEP })}>The next groups (${data.found - start - STEP} are left)</a>`}
                </p>`}
        </section>`;
}

function Extent({ of }) {
    const { state, depth, scanned, matched, missed, limit, others, verdicts } = of;
    const isRunning = state === 'RUNNING';
    const nothing = isRunning ? 'Nothing was read yet' : 'Nothing was read: the queue was empty, or somebody else held all of it';
    const unknown = verdicts?.UNKNOWN ?? 0;
    return html`
        <p role="status">
            ${depth > 0 ? `${scanned} of ${depth} copies that nobody else held were read` : nothing}; begun ${time(of.begunAt)}${of.endedAt
                && html`, ended at ${timeOfDay(Date.parse(of.endedAt))}`}. <${Badge} of=${state} />
            ${matched >= limit && ` It has stopped at ${limit}: the groups are of these alone.`}
            ${missed > 0 && ` ${missed} never came: somebody else has them.`}
            ${others > 0 && ` ${others} were counted in none of the groups, because there are too many, or a name is too long: a group may have more than it says.`}
            ${isRunning ? ' What it has read is in no list until it ends.' : ' What has come or gone since is not in it.'}
        </p>
        ${unknown > 0 && html`
            <p class="rights">
                ${unknown} could not be judged, because the store, or what they are read with, did not answer: a replay may move more of them than it says here. Count again.
            </p>`}
        ${of.failure && html`<p class="rights">${of.failure}</p>`}`;
}

function Examples({ of = [], archived }) {
    return of.map((id, at) => html`${at > 0 && ', '}${archived ? id : html`<a href=${href(['poison', id])}>${id}</a>`}`);
}
