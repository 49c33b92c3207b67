// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { look, session } from '../ask.js';
import { usePoll, useStale } from '../poll.js';
import { perSecond } from '../parts/pace.js';
import { Page } from '../parts/page.js';
import { Badge } from '../parts/table.js';
import { href } from '../parts/route.js';
import { time } from '../parts/time.js';

const sum = counts => Object.values(counts ?? {}).reduce((all, one) => all + (typeof one === 'object' ? sum(one) : one), 0);

export function Now() {
    const now = usePoll(look('node', 'now'));
    const { data } = now;
    return html`
        <${Page} title="Now" question="Is anything stuck?" polls=${[now]}>
            ${data && html`
                <${Verdict} of=${data} />
                <${Numbers} of=${data} />
                <h2>Parts of this node</h2>
                <ul class="parts">
                    ${(data.parts ?? []).map(part => html`
                        <li key=${part.part} data-part=${part.part} data-level=${String(part.level).toLowerCase()}>
                            ${part.part} <${Badge} of=${part.level} /> <span>${part.words}</span> <${Linked} page=${part.page} />
                        </li>`)}
                </ul>`}
        </${Page}>`;
}

/** What is not known is not what somebody has come for, and sagas wait for a person. */
const rank = part => (part?.level === 'UNKNOWN' ? 4 : 0) + (part?.level === 'DOWN' ? 0 : 2) + (part?.part === 'sagas' ? 0 : 1);

/** Of an answer that is too old, it says so before anything else. */
function Verdict({ of: { level, words = [], parts = [], asOf } }) {
    const isStale = useStale();
    const lines = words.map(one => ({ one, part: parts.find(part => part.words === one) })).sort((one, other) => rank(one.part) - rank(other.part));
    return html`
        <section class="verdict" data-level=${isStale ? 'unknown' : String(level).toLowerCase()} aria-label="Verdict">
            <${Badge} of=${isStale ? 'old' : level} />
            ${isStale && html`<p>Nobody knows what is going on now. This was so ${time(asOf)}:</p>`}
            <ul>${lines.map(({ one, part }) => html`<li key=${one} class=${part?.level === 'UNKNOWN' && 'hint'}>${one} <${Linked} page=${part?.page} /></li>`)}</ul>
        </section>`;
}

/** A link only to a place of this page: where there is more, and the repair. */
const Linked = ({ page }) => page?.startsWith('#/') && html`<a href=${page}>See ${page === '#/waiting' ? 'Outbox' : page[2].toUpperCase() + page.slice(3)}</a>`;

function Numbers({ of: { rates = {}, counts = {}, sagas = {} } }) {
    return html`
        <h2>Numbers</h2>
        <div class="tiles">
            ${session().sagas && html`
                <${Tile} name="sagas need a repair" value=${sagas.asOf ? sum(sagas.needingRepair) : '?'} to=${['sagas']} where=${{ state: 'stuck' }} looks=${sum(sagas.needingRepair) > 0} />
                <${Tile} name="sagas are blocked or idle" value=${sagas.asOf ? sum(sagas.blocked) : '?'} to=${['sagas']} where=${{ state: 'blocked' }} looks=${sum(sagas.blocked) > 0} />`}
            <${Tile} name="handled" value=${perSecond(rates.handled)} to=${['types']} />
            <${Tile} name="retried" value=${perSecond(rates.retried)} to=${['types']} looks=${rates.retried > 0} />
            <${Tile} name="set aside" value=${perSecond(rates.setAside)} to=${['poison']} looks=${rates.setAside > 0} />
            <${Tile} name="wait in the poison queue" value=${counts.setAside ?? '?'} to=${['poison']} looks=${counts.setAside > 0} />
            ${counts.held > 0 && html`<${Tile} name="are held by operations" value=${counts.held} to=${['poison']} looks=${true} />`}
            <${Tile} name=${`of ${counts.types ?? 0} types are not handled`} value=${counts.notClosed ?? '?'} to=${['types']} where=${{ state: 'paused' }} looks=${counts.notClosed > 0} />
            <${Tile} name="of them are paused by an operator" value=${counts.paused ?? '?'} to=${['types']} where=${{ state: 'paused' }} looks=${counts.paused > 0} />
            <${Tile} name="publications are refused" value=${counts.waitingPublications ?? 0} to=${['waiting']} looks=${counts.waitingPublications > 0} />
            ${(counts.outbox ?? null) !== null && html`<${Tile} name="wait in the outbox" value=${counts.outbox} to=${['waiting']} />`}
        </div>
        <p class="faint">
            ${rates.seconds ? `Rates are of this instance, in the last ${rates.seconds} seconds.` : 'Rates are of this instance, and counted from now on.'}
            ${sagas.asOf && html` Sagas were counted ${time(sagas.asOf)}.`}
            ${counts.oldestPublication && html` The oldest publication that is refused was made ${time(counts.oldestPublication)}.`}
        </p>`;
}

function Tile({ name, value, to, where, looks }) {
    return html`<a class="tile" href=${href(to, where)} data-looks=${looks ? 'yes' : 'no'}><b>${value}</b> ${name}</a>`;
}
