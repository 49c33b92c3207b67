// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../vendor/htm-preact.js';
import { change, look, place, serverTime, session } from '../ask.js';
import { usePoll } from '../poll.js';
import { Act, AsTest, Look, Rights } from '../parts/action.js';
import { Content, Diff, pretty } from '../parts/diff.js';
import { Page } from '../parts/page.js';
import { href } from '../parts/route.js';
import { Sequence } from '../parts/sequence.js';
import { Badge, Facts, Table } from '../parts/table.js';
import { Countdown, Time } from '../parts/time.js';

/** It reads the store. */
const EVERY = 5_000;

const RUNNING = ['ACTIVE', 'STUCK'];
const UNDOING = ['COMPENSATING', 'COMPENSATION_FAILED'];

/** One saga, and its repairs. */
export function Saga({ saga, id }) {
    const { path, query } = place('sagas', id, 'sagaId');
    const poll = usePoll(look('node', path, { saga, content: 'false', ...query }), EVERY);
    const found = poll.data?.sagas?.[0];
    return html`
        <${Page} title=${`${saga} ${id}`} question="Where is it, and what can be done?" polls=${[poll]}>
            ${found && html`
                <${Facts} of=${[
                    ['status', html`<${Badge} of=${found.status} />`],
                    ['why', found.reason],
                    ['stuck since', found.stuckOn && html`<${Time} at=${found.stuckOn.since} />`],
                    ['started', html`<${Time} at=${found.startedAt} />`],
                    ['changed', html`<${Time} at=${found.changedAt} />`],
                    ['version', String(found.version)],
                ]} />
                <${Repairs} of=${found} again=${poll.again} withState=${look('node', path, { saga, ...query })} />
                <${AsTest} isAllowed=${session().states && session().bodies} request=${look('node', path, { saga, as: 'test', ...query })} />
                <h2>Waits for</h2>
                ${found.stuckOn && html`<${Stuck} of=${found.stuckOn} />`}
                <${Table} caption="Messages that were set aside" rows=${found.blockedOn} id=${row => row.messageId} empty=${found.stuckOn ? 'None by others.' : 'No message of it was set aside.'} columns=${[
                    { name: 'type', cell: row => row.type },
                    { name: 'node', cell: row => row.node },
                    { name: 'why', cell: row => row.reason },
                    { name: 'message', cell: row => (row.node === session().node ? html`<a href=${href(['poison', row.messageId])}>${row.messageId}</a>` : row.messageId) },
                ]} />
                <p><a href=${href(['poison'], { correlation: found.id })}>What this node has set aside with this correlation id</a></p>
                <${Table} caption="Timeouts" rows=${timeouts(found)} id=${([name]) => name} empty="It has no timeout." columns=${[
                    { name: 'timeout', cell: ([name]) => name },
                    { name: 'expires', cell: ([, at]) => html`<${Countdown} at=${at} />` },
                ]} />
                <h2>What it did</h2>
                <${Table} caption="Steps" rows=${found.steps} id=${row => row.name} empty="It has sent no step." columns=${[
                    { name: 'step', cell: row => row.name },
                    { name: 'command', cell: row => row.type },
                    { name: 'status', cell: row => html`<${Badge} of=${row.status} />` },
                    { name: 'undo', cell: row => row.undo ?? 'none' },
                    { name: 'message', cell: row => row.messageId },
                ]} />
                <${Table} caption="History" rows=${found.history} id=${row => `${row.at} ${row.what}`} empty="Nothing yet." columns=${[
                    { name: 'when', cell: row => html`<${Time} at=${row.at} />` },
                    { name: 'what', cell: row => row.what },
                ]} />
                ${Date.parse(found.history?.[0]?.at) > Date.parse(found.startedAt) && html`<p class="faint">What came before is not kept.</p>`}
                <${Drawn} of=${found} />`}
        </${Page}>`;
}

/** The next one first. */
const timeouts = ({ timeouts: of }) => Object.entries(of ?? {}).sort(([, one], [, other]) => Date.parse(one) - Date.parse(other));

/** The history names messages and steps; the node of a participant only if that has set something aside. */
const OTHERS = 'others';
const CLOCK = 'timeouts';
const OPERATORS = 'operators';

/** What begins an entry of the history, and where it came from, or went. The first one that fits. */
const MOVES = [
    [/^took /, { from: OTHERS }],
    [/^undone: /, { from: OTHERS }],
    [/^(?:undoing )?step /, { to: OTHERS }],
    [/^timeout .* is over$/, { from: CLOCK }],
    [/^(?:cancelled )?timeout /, { to: CLOCK }],
    [/^(?:refused )?(?:RETRY|SKIP|FAIL|RESUME|PATCH)\b/, { from: OPERATORS }],
];

const SET_ASIDE = /^(?!failed: )\S+ \S+ was set aside by (\S+): /;

function drawn({ at, what }, self) {
    const node = SET_ASIDE.exec(what)?.[1];
    const { from, to } = MOVES.find(([begin]) => begin.test(what))?.[1] ?? { from: node };
    return to ? { at, what, from: self, node: to } : { at, what, from, node: self };
}

/** The history as a sequence, and the timeouts that are expected. */
function Drawn({ of }) {
    const self = `${of.saga} ${of.id}`;
    const events = [
        ...(of.history ?? []).map(event => drawn(event, self)),
        ...timeouts(of).map(([name, at]) => ({
            at, what: Date.parse(at) > serverTime() ? `timeout ${name} expires` : `timeout ${name} was due, and is not over yet`, from: CLOCK, node: self, expected: true,
        })),
    ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
    return html`
        <details open=${true}>
            <summary>As a diagram</summary>
            <${Sequence} of=${events} />
            <p class="hint">Dashed is what is expected. <a href=${href(['story', of.id])}>Its story</a> tells which nodes the others are.</p>
        </details>`;
}

/** Why it is stuck, and who is waited for. */
function Stuck({ of: { messageId, node, type, exception, text } }) {
    const failure = exception ? `It failed with ${exception}${text ? `: ${text}` : ''}` : 'Nothing is known of how it failed: look at the message';
    return html`
        <section class="verdict" data-level="down" aria-label="Why it is stuck">
            <p>
                It takes no message until somebody replays ${type ?? 'the message'}
                ${' '}${node === session().node ? html`<a href=${href(['poison', messageId])}>${messageId}</a>` : messageId},
                which ${node} has set aside, or resumes the saga without it. ${failure}.
            </p>
        </section>`;
}

const status = saga => String(saga.status).toLowerCase().replaceAll('_', ' ');

const result = ({ outcome, note, saga }) => html`
    <p>${outcome === 'DONE' ? 'Done.' : 'Sent.'} ${saga && `The saga is ${status(saga)}.`} ${note}</p>`;

/** What its status can take; a saga may still refuse. */
function Repairs({ of, again, withState }) {
    const [seen, setSeen] = useState(null); // with the version that it had then
    const { path, query } = place('sagas', of.id, 'sagaId');
    const repair = action => values => change('node', path, { action, saga: of.saga, ...query, ...values });
    const common = { endpoint: 'node', done: result, after: again };
    const open = (of.steps ?? []).filter(step => ['SENT', 'UNDOING'].includes(step.status));
    const isRunning = RUNNING.includes(of.status);
    const isUndoing = UNDOING.includes(of.status);
    return html`
        <h2>Repair it</h2>
        <${Rights} endpoint="node" />
        ${!isRunning && !isUndoing && html`<p class="faint">It is ${status(of)}: nothing is left to resume, retry, skip or fail.</p>`}
        <div class="buttons">
            ${(of.status === 'STUCK' || isUndoing) && html`
                <${Act} ...${common} label="Resume" title=${`Resume ${of.id}`} request=${repair('resume')}
                    intro=${isUndoing ? 'Sends its last undo again.' : 'It was stuck, and takes messages again. Do it when the cause is mended; replay what it missed.'} />`}
            ${(isRunning || isUndoing) && of.blockedOn?.length > 0 && html`
                <${Act} ...${common} label="Retry" title=${`Retry ${of.id}`} request=${repair('retry')}
                    intro="Sends again what its participants have set aside." />`}
            ${(isRunning || isUndoing) && open.length > 0 && html`
                <${Act} ...${common} label="Skip" title=${`Skip a step of ${of.id}`} request=${repair('skip')}
                    fields=${[{ name: 'step', label: 'Step', required: true, options: [['', 'choose one'], ...open.map(step => [step.name, `${step.name} (${step.status.toLowerCase()})`])] }]}
                    intro="The step need not be undone: somebody has taken care of it." />`}
            ${isRunning && html`
                <${Act} ...${common} label="Fail" title=${`Fail ${of.id}`} request=${repair('fail')}
                    intro="It ends as failed: its steps are undone, the last one first." />`}
            <${Patch} of=${of} seen=${seen} common=${common} repair=${repair('patch')} />
        </div>
        <${State} of=${of} seen=${seen} setSeen=${setSeen} withState=${withState} />`;
}

/** With the version that the state had when it was looked at: whatever was written since would be lost with any other. */
function Patch({ of, seen, common, repair }) {
    if (!seen?.isWhole || seen.version !== of.version) {
        return null;
    }
    const before = pretty(seen.state);
    return html`
        <${Act} ...${common} label="Patch" title=${`Patch the state of ${of.id}`} request=${values => repair({ version: String(seen.version), ...values })}
            fields=${[{ name: 'state', label: 'New state, as JSON', required: true, area: true, value: before }]}
            preview=${values => html`<${Diff} before=${before} after=${values.state} />`}
            intro=${`Replaces the state of version ${seen.version}, which you have seen, unless the saga has changed since.`} />`;
}

function State({ of, seen, setSeen, withState }) {
    function take({ sagas }) {
        const { state, version, shown, masked } = sagas[0];
        setSeen({ state: state ?? '', version, isShown: shown === true, isWhole: shown === true && masked === false });
    }

    return session().states
        ? html`
            <${Look} label="Show the state" request=${withState} take=${take} />
            ${seen && html`
                <h2>State of version ${seen.version}</h2>
                <${Patchable} of=${of} seen=${seen} />
                <${Content} label="State" text=${seen.state} />`}`
        : html`
            <p class="faint">
                The state is not shown to you, so you cannot patch it here. It is if management.endpoint.safebunny.show-states allows it.
            </p>`;
}

/** Why there is no button to patch it. */
function Patchable({ of, seen }) {
    if (!seen.isShown) {
        return html`<p class="rights">It is not shown, so it cannot be patched here.</p>`;
    }
    if (!seen.isWhole) {
        return html`<p class="rights">Some of it is masked, and would be overwritten by its mask. Patch it where all of it can be seen.</p>`;
    }
    return seen.version !== of.version && html`
        <p class="rights">The saga has changed since: it has version ${of.version} by now. Show the state again before you patch it.</p>`;
}
