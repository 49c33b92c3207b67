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
        return html`<p class="faint">Nobody compares the broker with the plan. On RabbitMQ, set safebunny.topology.management-uri to have it compared.</p>`;
    }
    const { asOf, findings = [] } = of.details ?? {};
    return html`
        <p><${Badge} of=${of.level} /> ${of.words} ${asOf && html`Looked at <${Time} at=${asOf} />.`}</p>
        <ul>${findings.map(finding => html`<li key=${finding}>${finding}</li>`)}</ul>`;
}

/** Is the broker as planned? */
export function Topology() {
    const now = usePoll(look('node', 'now'));
    const planned = usePoll(look('node', 'topology'), PLAN_EVERY);
    const { data: plan } = planned;
    return html`
        <${Page} title="Topology" question="Is the broker as planned?" polls=${[now, planned]}>
            ${now.data && html`<${Findings} of=${(now.data.parts ?? []).find(part => part.part === 'topology')} />`}
            ${plan?.queues && html`
                <h2>As planned</h2>
                <${Table} caption="Bindings" rows=${plan.bindings} id=${row => `${row.exchange} ${row.routingKey} ${row.queue}`} empty="None." columns=${[
                    { name: 'exchange', cell: row => row.exchange },
                    { name: 'routing key', cell: row => row.routingKey },
                    { name: 'queue', cell: row => row.queue },
                ]} />
                <${Table} caption="Queues" rows=${plan.queues} id=${row => row.name} empty="None." columns=${[
                    { name: 'queue', cell: row => row.name },
                    { name: 'arguments', cell: row => Object.entries(row.arguments ?? {}).map(([name, value]) => `${name}=${value}`).join(' ') },
                ]} />
                <${Table} caption="Exchanges" rows=${plan.exchanges} id=${row => row.name} empty="None." columns=${[
                    { name: 'exchange', cell: row => row.name },
                    { name: 'kind', cell: row => String(row.kind).toLowerCase() },
                    { name: 'what it cannot route goes to', cell: row => row.alternate ?? '–' },
                ]} />`}
        </${Page}>`;
}
