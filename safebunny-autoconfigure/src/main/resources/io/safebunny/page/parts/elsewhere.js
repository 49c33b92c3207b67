// SPDX-License-Identifier: Apache-2.0
// Operations, and what other instances of this node say of theirs: nothing of it is proven, and nothing of it can be changed from here.

import { html } from '../vendor/htm-preact.js';
import { hostOf, Instance, pageOf } from './node.js';
import { Badge, IdLink, Table } from './table.js';
import { timeOf } from './time.js';

export const what = ({ kind, dryRun }) => `${kind.toLowerCase()}${dryRun ? ', dry run' : ''}`;

/** Those of others have an instance, and those of this one a reason. */
export function Operations({ caption, of = [], empty }) {
    const others = { name: 'instance', cell: row => html`<${Instance} of=${row.instance} to=${['operations', row.operation]} />` };
    return html`
        <${Table} caption=${caption} rows=${of} id=${row => row.operation} empty=${empty} columns=${[
            { name: 'operation', cell: row => html`<${IdLink} page="operations" of=${row.operation} />` },
            { name: 'what', cell: what },
            { name: 'state', cell: row => html`<${Badge} of=${row.state} />` },
            { name: 'moved', cell: row => (row.dryRun ? `none, would move ${row.wouldMove ?? row.moved} of ${row.matched}` : `${row.moved} of ${row.matched}`) },
            ...(of[0]?.instance
                ? [others, { name: 'holds', cell: row => row.held }]
                : [{ name: 'by' }, { name: 'reason' }]),
            { name: 'begun', cell: timeOf('begunAt') },
        ]} />`;
}

/** Those that run, or else the last ones, and who has not told its own. */
export function Elsewhere({ of, caption = 'Operations that run at other instances', lacks = 'what they hold, so more may be set aside than is seen here' }) {
    if (!of) { // of an older instance
        return null;
    }
    const { operations = [], silent = {}, problem } = of;
    const names = Object.keys(silent);
    return html`
        ${operations.length > 0 && html`
            <${Operations} caption=${caption} of=${operations} />`}
        ${problem && html`<p class="rights">What the other instances of this node hold is not known: ${problem}.</p>`}
        ${names.length > 0 && html`
            <div class="rights">
                <p>These instances have not said ${lacks}:</p>
                <ul>${names.map(name => html`<li key=${name}>${name} ${silent[name]}</li>`)}</ul>
            </div>`}`;
}

/** What only the instance that began an operation tells and does. */
export function OfAnother({ of: { instance } }) {
    const host = hostOf(instance);
    return html`
        <p class="rights">
            Instance ${instance} has begun it. Only that one tells who began it and why, and what it did not move, and only there can it be stopped.
            ${host !== instance && !pageOf(host) && ` To have a link to its page, set management.endpoint.safebunnyui.pages.${host} to its address.`}
        </p>`;
}
