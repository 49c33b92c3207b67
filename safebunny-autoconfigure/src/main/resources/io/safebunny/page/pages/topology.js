// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { look } from '../ask.js';
import { usePoll } from '../poll.js';
import { Page } from '../parts/page.js';
import { Badge, Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

const PLAN_EVERY = 60_000;

function Findings({ of }) {
    if (!of) {
        return html`<p class="faint">Nobody compares the broker with the plan. Set safebunny.topology.management-uri to have it compared.</p>`;
    }
    return html`
        <p><${Badge} of=${of.level} /> ${of.words} ${of.details.asOf && html`Looked at <${Time} at=${of.details.asOf} />.`}</p>
        <ul>${(of.details.findings ?? []).map(finding => html`<li key=${finding}>${finding}</li>`)}</ul>`;
}

/** Is the broker as planned? */
export function Topology() {
    const nowRequest = look('node', 'now');
    const planRequest = look('node', 'topology');
    const { data: now, problem } = usePoll(nowRequest);
    const { data: plan, problem: other } = usePoll(planRequest, PLAN_EVERY);
    return html`
        <${Page} title="Topology" question="Is the broker as planned?" requests=${[nowRequest, planRequest]} problem=${problem ?? other}
            loading=${!now || !plan}>
            ${now && html`<${Findings} of=${now.parts.find(part => part.part === 'topology')} />`}
            ${plan?.queues && html`
                <h2>As planned</h2>
                <${Table} caption="Bindings" rows=${plan.bindings} id=${row => `${row.exchange} ${row.routingKey} ${row.queue}`} empty="None." columns=${[
                    { name: 'exchange', cell: row => row.exchange },
                    { name: 'routing key', cell: row => row.routingKey },
                    { name: 'queue', cell: row => row.queue },
                ]} />
                <${Table} caption="Queues" rows=${plan.queues} id=${row => row.name} empty="None." columns=${[
                    { name: 'queue', cell: row => row.name },
                    { name: 'arguments', cell: row => Object.entries(row.arguments).map(([name, value]) => `${name}=${value}`).join(' ') },
                ]} />
                <${Table} caption="Exchanges" rows=${plan.exchanges} id=${row => row.name} empty="None." columns=${[
                    { name: 'exchange', cell: row => row.name },
                    { name: 'kind', cell: row => row.kind.toLowerCase() },
                    { name: 'what it cannot route goes to', cell: row => row.alternate ?? '–' },
                ]} />`}
        </${Page}>`;
}
