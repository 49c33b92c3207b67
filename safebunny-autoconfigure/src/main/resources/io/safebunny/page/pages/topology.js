// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { look } from '../ask.js';
import { usePoll } from '../poll.js';
import { Page } from '../parts/page.js';
import { differs, Picture, wordsOf } from '../parts/picture.js';
import { Badge, Table } from '../parts/table.js';
import { time } from '../parts/time.js';

/** Each answer has all of it. */
const EVERY = 5_000;
const MOST_FINDINGS = 20;

const state = { name: 'state', cell: row => html`
    <${Badge} of=${wordsOf(row.mark).replace(' ', '_')} />
    ${row.findings?.length > 0 && html`<ul>${row.findings.map(finding => html`<li key=${finding}>${finding}</li>`)}</ul>`}` };

const sorted = (rows = []) => [...rows].sort((one, other) => differs(other) - differs(one));

function Verdict({ of: { comparison, exchanges = [], queues = [], bindings = [] } }) {
    const { level, words, asOf, marksAsOf, notices = [] } = comparison ?? { words: 'This instance does not tell whether the broker is as planned: it has an older version.' };
    const findings = [...notices, ...[...exchanges, ...queues, ...bindings].flatMap(one => one.findings ?? [])];
    return html`
        <section class="verdict" data-level=${String(level ?? 'unknown').toLowerCase()} aria-label="Is the broker as planned?">
            <p>${words}${asOf && html` Looked at ${time(asOf)}${marksAsOf === asOf ? ', depths included.' : html`; marks and depths are of ${time(marksAsOf)}.`}`}</p>
            <ul>${findings.slice(0, MOST_FINDINGS).map(finding => html`<li key=${finding}>${finding}</li>`)}</ul>
            ${findings.length > MOST_FINDINGS && html`<p>And ${findings.length - MOST_FINDINGS} more, in the tables below.</p>`}
        </section>`;
}

export function Topology() {
    const poll = usePoll(look('node', 'topology'), EVERY);
    const { data } = poll;
    return html`
        <${Page} title="Topology" question="Is the broker as planned?" polls=${[poll]}>
            ${data?.queues && html`
                <${Verdict} of=${data} />
                <${Picture} of=${data} />
                <${Table} caption="Queues" rows=${sorted(data.queues)} id=${row => row.name} empty="None." columns=${[
                    { name: 'queue', cell: row => row.name },
                    state,
                    { name: 'ready', cell: row => row.depth?.ready ?? '–' },
                    { name: 'unacknowledged', cell: row => row.depth?.unacknowledged ?? '–' },
                    { name: 'consumers', cell: row => row.depth?.consumers ?? '–' },
                    { name: 'arguments', cell: row => Object.entries(row.arguments ?? {}).map(([name, value]) => `${name}=${value}`).join(' ') },
                ]} />
                <${Table} caption="Bindings" rows=${sorted(data.bindings)} id=${row => `${row.exchange} ${row.routingKey} ${row.queue}`} empty="None." columns=${[
                    { name: 'exchange' },
                    { name: 'routing key', cell: row => row.routingKey },
                    { name: 'queue' },
                    state,
                ]} />
                <${Table} caption="Exchanges" rows=${sorted(data.exchanges)} id=${row => row.name} empty="None." columns=${[
                    { name: 'exchange', cell: row => row.name },
                    { name: 'kind', cell: row => String(row.kind).toLowerCase() },
                    { name: 'what it cannot route goes to', cell: row => row.alternate ?? '–' },
                    state,
                ]} />`}
        </${Page}>`;
}
