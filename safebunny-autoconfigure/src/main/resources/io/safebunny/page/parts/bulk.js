// SPDX-License-Identifier: Apache-2.0
// What is done with many copies at once. Which ones they are is for the application to find, in the whole queue.

import { html } from '../vendor/htm-preact.js';
import { change } from '../ask.js';
import { Act } from './action.js';
import { href } from './route.js';
import { Choice, inWords } from './table.js';
import { moved, replayedMany, VERDICTS } from './tales.js';

export const begun = answer => html`
    <p>${answer.dryRun ? 'Nothing was moved. It would have moved' : 'Moved'} ${answer.wouldMove ?? answer.moved} of ${answer.matched} that matched. What ${answer.kind === 'REPLAY' && !answer.dryRun ? 'the replay does' : 'a replay would do'}: ${verdictsOf(answer)}.</p>
    ${answer.limit && answer.matched >= answer.limit && html`<p>It has stopped at the limit of ${answer.limit}: more may match.</p>`}
    <${Note} of=${answer.note} />
    <p>${answer.state === 'RUNNING' && !answer.note ? 'It goes on by itself. ' : ''}<a href=${href(['operations', answer.operation])}>Its progress, and what was not moved</a></p>`;

/** What the number of moved copies does not say, and where that is told: the story of one message is a page, too. */
export function Note({ of = '' }) {
    const [before, about, after] = of.split(/GET safebunnystory\?(about=[^&]+)&format=text (?=tells what has come of it)/);
    return of && html`
        <p class="hint">
            ${before}${about && html`<a href=${href(['story', new URLSearchParams(about).get('about')])}>Its story</a> ${after}`}
        </p>`;
}

export const verdictsOf = ({ verdicts = {} }) =>
    Object.entries(verdicts).map(([verdict, count]) => `${count} ${inWords(verdict)}${Object.hasOwn(VERDICTS, verdict) ? ` (${VERDICTS[verdict]})` : ''}`).join(', ') || 'none matched';

const DRY = { name: 'dryRun', label: 'Dry run: only count what would be moved', check: true, value: true };
const RATE = { name: 'rate', label: 'Most in a second', type: 'number', min: 0, step: 'any', hint: 'empty: as fast as the broker confirms' };
const TEN_FIRST = { name: 'limit', label: 'At most', type: 'number', min: 1, max: 100000, value: '10', required: true, hint: 'ten first, then the rest' };
const FORCED = { name: 'forced', label: 'Also what is too old to know whether it was handled', check: true, hint: 'what its saga may not want any more, only with a filter for that' };

/**
 * Buttons that move copies.
 *
 * @param which the copies, in words
 * @param body which the copies are
 * @param fields what else is asked for
 */
function Moves({ which, body, fields, archived, again }) {
    const move = action => values => change('poison', '', { action, ...body, ...values });
    const common = { endpoint: 'poison', done: begun, outcome: moved, after: again };
    return archived
        ? html`
            <${Act} ...${common} label="Restore" title=${`Restore ${which}`} fields=${[DRY, ...fields]} request=${move('restore')}
                intro="Moves them from the archive back to the poison queue." />`
        : html`
            <${Act} ...${common} outcome=${replayedMany} label="Replay" title=${`Replay ${which}`} fields=${[DRY, ...fields, FORCED]} request=${move('replay')}
                intro="Sends them back to the queues of their handlers. What was done already is not done again." />
            <${Act} ...${common} kind="danger" label="Discard" title=${`Discard ${which}`} fields=${[DRY, ...fields]} request=${move('discard')}
                intro="Moves them to the archive, from where they can be restored." />`;
}

export function Bulk({ filter, archived, again }) {
    const isFiltered = Object.keys(filter).length > 0;
    return html`
        <div class="buttons">
            <${Moves} which=${isFiltered ? 'all that match the filter' : 'all in the queue'} body=${{ ...filter, all: isFiltered ? undefined : true }}
                fields=${[TEN_FIRST, RATE]} archived=${archived} again=${again} />
        </div>`;
}

/** What can be done with the messages that were ticked: with all of their copies that match the filter, wherever in the queue they are. */
export function Selected({ ids, filter, drop, archived, again }) {
    const which = `all copies of ${ids.length} messages${Object.keys(filter).length > 0 ? ' that match the filter' : ''}`;
    function done(answer) {
        if (!answer.dryRun) {
            drop();
        }
        again();
    }
    return ids.length > 0 && html`
        <div class="buttons" role="group" aria-label="Selected messages">
            <span role="status">${ids.length} selected</span>
            <${Moves} which=${which} body=${{ ...filter, ids: ids.join(',') }} fields=${[RATE]} archived=${archived} again=${done} />
            <${Choice} label="Select none" choose=${drop} />
        </div>`;
}

/** Whether one of many ids may be this one: it must hold nothing that would end it. */
export const isSelectable = id => /^[^,\s]+$/.test(id ?? '');
