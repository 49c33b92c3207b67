// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { look } from '../ask.js';
import { usePoll } from '../poll.js';
import { isHere, MOST_NAMES, Name, nameOf, names, pageOf } from '../parts/node.js';
import { Page } from '../parts/page.js';
import { href } from '../parts/route.js';
import { Badge, Table } from '../parts/table.js';
import { lasted, time, timeOf } from '../parts/time.js';

/** All of them are asked each time. */
const EVERY = 10_000;
const MOST_TYPES = 50;

const rowsOf = nodes => nodes.flatMap(({ node, note, instances = [] }) =>
    (instances.length > 0 ? instances.map(one => ({ ...one, node })) : [{ node, note, instance: '', version: '' }]));

export function Instances() {
    const poll = usePoll(look('node', 'nodes'), EVERY);
    const { data } = poll;
    const rows = rowsOf(data?.nodes ?? []);
    const unlinked = (data?.nodes ?? []).filter(one => !isHere(one) && !pageOf(one.node)).map(({ node }) => node);
    return html`
        <${Page} title="Instances" question="Who runs on this broker, in which version, and who is silent?" polls=${[poll]}>
            ${data && html`
                <${Silence} of=${rows} problem=${data.problem} />
                <${Versions} of=${rows} />
                <${Table} caption="Nodes and their instances" rows=${rows} id=${row => `${row.node} ${row.instance}`} empty="Nobody." columns=${[
                    { name: 'node', cell: row => html`<${Name} of=${row.node} />` },
                    { name: 'instance', cell: row => (row.instance ? `${row.instance}${row.instance === data.instance ? ' (this one)' : ''}` : 'none is known') },
                    { name: 'state', cell: row => html`<${Badge} of=${row.facts ? 'answers' : 'silent'} />` },
                    { name: 'version', cell: row => row.version || 'unknown' },
                    { name: 'runs for', cell: row => row.facts && lasted(row.facts.uptime) },
                    { name: 'heard', cell: timeOf('lastHeard') },
                    { name: 'store', cell: row => row.facts?.store },
                    { name: 'handles', cell: row => html`<${Types} of=${row.facts} />` },
                    { name: 'not handled now', cell: row => html`<${NotClosed} of=${row} />` },
                    { name: 'note' },
                ]} />
                <p class="faint">
                    What an instance says of itself is not proven: whoever may write to the broker could say it. One that stops is forgotten at once,
                    one that dies after a day.${unlinked.length > 0 && ` To have a link to the page of ${names(unlinked)}, set management.endpoint.safebunnyui.pages.${unlinked.length === 1 ? unlinked[0] : 'NODE'} to its address.`}
                </p>`}
        </${Page}>`;
}

function Silence({ of, problem }) {
    const silent = of.filter(row => !row.facts);
    const nodes = new Set(of.map(row => row.node)).size;
    return html`
        <section class="verdict" data-level=${silent.length > 0 || problem ? 'degraded' : 'up'} aria-label="Who is silent">
            ${problem && html`<p>Others could not be asked, or not be heard: ${problem}. So nobody knows whether they run.</p>`}
            <p>${silent.length > 0
                ? `Silent: ${names(silent.map(nameOf))}. The reasons that are known are below.`
                : `All that are known have answered: ${of.length} ${of.length === 1 ? 'instance' : 'instances'} of ${nodes} ${nodes === 1 ? 'node' : 'nodes'}.`}</p>
        </section>`;
}

function Versions({ of }) {
    const byVersion = new Map();
    of.filter(row => row.version).forEach(row => byVersion.set(row.version, [...(byVersion.get(row.version) ?? []), nameOf(row)]));
    const versions = [...byVersion.keys()].sort();
    if (versions.length < 2) {
        return versions.length === 1 && html`<p>All whose version is known have ${versions[0]} of SafeBunny.</p>`;
    }
    return html`
        <section class="verdict" data-level="degraded" aria-label="Versions differ">
            <p>Versions differ: an update is under way, or somebody was forgotten.</p>
            <ul>${versions.map(version => html`<li key=${version}>${version}: ${names(byVersion.get(version))}</li>`)}</ul>
            <p>
                Messages between them are understood. What is stored by a newer version in a way that an older one of the same node cannot read is left
                alone by the older one: such a message or saga waits, and is tried again every minute, until an instance of the newer version has it. What
                an instance of another version says here may lack something.
            </p>
        </section>`;
}

function Types({ of }) {
    if (!of) {
        return null;
    }
    const { types = [], cut } = of;
    const rest = types.length - MOST_TYPES;
    return types.length === 0 ? 'nothing' : html`
        <details>
            <summary>${types.length === 1 ? '1 type' : `${types.length} types`}${cut ? ' at least' : ''}</summary>
            <ul>${types.slice(0, MOST_TYPES).map(({ type, from = [] }) => html`<li key=${type}>${type} from ${from.join(', ')}</li>`)}</ul>
            ${rest > 0 && `and ${rest} more`}
        </details>`;
}

function NotClosed({ of }) {
    const all = of.facts?.notClosed ?? [];
    return all.length > 0 && html`
        <ul>${all.slice(0, MOST_NAMES).map(({ type, state, until, reason }) => html`
            <li key=${type}>
                ${isHere(of) ? html`<a href=${href(['types', type])}>${type}</a>` : type}${' '}<${Badge} of=${state} />
                ${' '}${reason}${until && html` until ${time(until)}`}
            </li>`)}</ul>
        ${all.length > MOST_NAMES && `and ${all.length - MOST_NAMES} more`}`;
}
