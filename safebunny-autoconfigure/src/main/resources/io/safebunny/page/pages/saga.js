// SPDX-License-Identifier: Apache-2.0
import { html, useState } from '../vendor/htm-preact.js';
import { change, look, segment, send, session } from '../ask.js';
import { usePoll } from '../poll.js';
import { Act, Look, Rights } from '../parts/action.js';
import { Diff, pretty } from '../parts/diff.js';
import { Page } from '../parts/page.js';
import { Trouble } from '../parts/problem.js';
import { href } from '../parts/route.js';
import { Badge, Facts, Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

/** It reads the store. */
const EVERY = 5_000;

/** An id as a path, or as a parameter where no path can have it. */
function place(id) {
    return /^(?!\.+$)[\w.:-]+$/.test(id) ? { path: `sagas/${segment(id)}`, query: {} } : { path: 'sagas', query: { sagaId: id } };
}

/** One saga, and its repairs. */
export function Saga({ saga, id }) {
    const { path, query } = place(id);
    const request = look('node', path, { saga, content: 'false', ...query });
    const withState = look('node', path, { saga, ...query });
    const { data, problem, again } = usePoll(request, EVERY);
    const found = data?.sagas[0];
    return html`
        <${Page} title=${`${saga} ${id}`} question="Where is it, and what can be done?" requests=${[request]} problem=${problem} loading=${!data}>
            ${found && html`
                <${Facts} of=${[
                    ['status', html`<${Badge} of=${found.status} />`],
                    ['why', found.reason],
                    ['started', html`<${Time} at=${found.startedAt} />`],
                    ['changed', html`<${Time} at=${found.changedAt} />`],
                    ['version', String(found.version)],
                ]} />
                <${Repairs} of=${found} again=${again} withState=${withState} />
                <h2>Waits for</h2>
                <${Table} caption="Messages that were set aside" rows=${found.blockedOn} id=${row => row.messageId} empty="No message of it was set aside." columns=${[
                    { name: 'type', cell: row => row.type },
                    { name: 'node', cell: row => row.node },
                    { name: 'why', cell: row => row.reason },
                    { name: 'message', cell: row => (row.node === session().node ? html`<a href=${href(['poison', row.messageId])}>${row.messageId}</a>` : row.messageId) },
                ]} />
                <p><a href=${href(['poison'], { correlation: found.id })}>What this node has set aside with this correlation id</a></p>
                <${Table} caption="Timeouts" rows=${Object.entries(found.timeouts)} id=${([name]) => name} empty="It has no timeout." columns=${[
                    { name: 'timeout', cell: ([name]) => name },
                    { name: 'expires', cell: ([, at]) => html`<${Time} at=${at} />` },
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
                ]} />`}
        </${Page}>`;
}

const result = ({ outcome, note, saga }) => html`
    <p>${outcome === 'DONE' ? 'Done' : 'Sent'}. The saga is ${saga.status.toLowerCase().replaceAll('_', ' ')}. ${note}</p>`;

function Repairs({ of, again, withState }) {
    const [seen, setSeen] = useState({ state: null, problem: null });
    const { path, query } = place(of.id);
    const repair = action => values => change('node', path, { action, saga: of.saga, ...query, ...values });
    const common = { endpoint: 'node', done: result, after: again };

    async function showState() {
        try {
            const { body } = await send(withState);
            setSeen({ state: body.sagas[0]?.state ?? null, problem: null });
        } catch (problem) {
            setSeen({ state: null, problem });
        }
    }

    return html`
        <h2>Repair it</h2>
        <${Rights} endpoint="node" />
        <div class="buttons">
            <${Act} ...${common} label="Resume" title=${`Resume ${of.id}`} request=${repair('resume')}
                intro="It was stuck, and takes messages again. Do it when the cause is mended; replay what it missed." />
            <${Act} ...${common} label="Retry" title=${`Retry ${of.id}`} request=${repair('retry')}
                intro="Sends again what its participants have set aside." />
            <${Act} ...${common} label="Skip" title=${`Skip a step of ${of.id}`} request=${repair('skip')}
                fields=${[{ name: 'step', label: 'Step', required: true, value: of.steps[0]?.name, options: of.steps.map(step => [step.name, `${step.name} (${step.status.toLowerCase()})`]) }]}
                intro="The step need not be undone: somebody has taken care of it." />
            <${Act} ...${common} label="Fail" title=${`Fail ${of.id}`} request=${repair('fail')}
                intro="It ends as failed: its steps are undone, the last one first." />
            <${Act} ...${common} label="Patch" title=${`Patch the state of ${of.id}`} request=${repair('patch')}
                fields=${[
                    { name: 'version', label: 'Version that you have seen', required: true, type: 'number', min: 0, value: String(of.version) },
                    { name: 'state', label: 'New state, as JSON', required: true, area: true, value: seen.state === null ? '' : pretty(seen.state) },
                ]}
                preview=${values => seen.state !== null && html`<${Diff} before=${seen.state} after=${values.state} />`}
                intro=${seen.state === null ? 'Look at the state first, so that it is here and you see the difference.' : 'Replaces the state, unless the saga has changed since.'} />
            ${session().states && html`<${Look} label="Show the state" request=${withState} onClick=${showState} />`}
        </div>
        ${!session().states && html`<p class="faint">The state is not shown to you. It is if management.endpoint.safebunny.show-states allows it.</p>`}
        <${Trouble} problem=${seen.problem} />
        ${seen.state !== null && html`<h2>State</h2><pre class="content" role="group" tabindex="0" aria-label="State">${pretty(seen.state)}</pre>`}`;
}
