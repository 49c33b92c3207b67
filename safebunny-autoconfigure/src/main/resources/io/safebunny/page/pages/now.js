// SPDX-License-Identifier: Apache-2.0
import { html } from '../vendor/htm-preact.js';
import { look } from '../ask.js';
import { usePoll } from '../poll.js';
import { Page } from '../parts/page.js';
import { Badge } from '../parts/table.js';
import { href } from '../parts/route.js';
import { Time } from '../parts/time.js';

const sum = counts => Object.values(counts ?? {}).reduce((all, one) => all + (typeof one === 'object' ? sum(one) : one), 0);

/** Is anything stuck? */
export function Now() {
    const request = look('node', 'now');
    const { data, problem } = usePoll(request);
    return html`
        <${Page} title="Now" question="Is anything stuck?" requests=${[request]} problem=${problem} loading=${!data}>
            ${data && html`
                <section class="verdict" data-level=${data.level.toLowerCase()} aria-label="Verdict">
                    <${Badge} of=${data.level} />
                    <ul>${data.words.map(words => html`<li key=${words}>${words}</li>`)}</ul>
                </section>
                <${Numbers} of=${data} />
                <h2>Parts of this node</h2>
                <ul class="parts">
                    ${data.parts.map(part => html`
                        <li key=${part.part} data-part=${part.part} data-level=${part.level.toLowerCase()}>
                            <a href=${part.page}>${part.part}</a> <${Badge} of=${part.level} /> <span>${part.words}</span>
                        </li>`)}
                </ul>`}
        </${Page}>`;
}

function Numbers({ of: { rates, counts, sagas } }) {
    return html`
        <h2>Numbers</h2>
        <div class="tiles">
            <${Tile} name="handled" value=${`${rates.handled}/s`} to=${href(['types'])} />
            <${Tile} name="retried" value=${`${rates.retried}/s`} to=${href(['types'])} looks=${rates.retried > 0} />
            <${Tile} name="set aside" value=${`${rates.setAside}/s`} to=${href(['poison'])} looks=${rates.setAside > 0} />
            <${Tile} name="wait in the poison queue" value=${counts.setAside ?? '?'} to=${href(['poison'])} looks=${counts.setAside > 0} />
            <${Tile} name=${`of ${counts.types} types are paused`} value=${counts.paused} to=${href(['types'], { state: 'paused' })} looks=${counts.paused > 0} />
            <${Tile} name="sagas need a repair" value=${sagas.asOf ? sum(sagas.needingRepair) : '?'} to=${href(['sagas'], { state: 'stuck' })} looks=${sum(sagas.needingRepair) > 0} />
            <${Tile} name="sagas are blocked" value=${sagas.asOf ? sum(sagas.blocked) : '?'} to=${href(['sagas'], { state: 'blocked' })} looks=${sum(sagas.blocked) > 0} />
            <${Tile} name="publications are refused" value=${counts.waitingPublications} to=${href(['waiting'])} looks=${counts.waitingPublications > 0} />
            ${counts.outbox !== null && html`<${Tile} name="wait in the outbox" value=${counts.outbox} to=${href(['waiting'])} looks=${false} />`}
        </div>
        <p class="faint">
            Rates are of this instance, in the last ${rates.seconds} seconds.
            ${counts.oldestPublication && html` The oldest publication that is refused was made <${Time} at=${counts.oldestPublication} />.`}
        </p>`;
}

function Tile({ name, value, to, looks }) {
    return html`<a class="tile" href=${to} data-looks=${looks ? 'yes' : 'no'}><b>${value}</b> ${name}</a>`;
}
