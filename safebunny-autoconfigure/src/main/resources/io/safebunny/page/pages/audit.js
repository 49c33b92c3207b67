// SPDX-License-Identifier: Apache-2.0
import { html, useEffect, useState } from '../vendor/htm-preact.js';
import { look, session } from '../ask.js';
import { usePoll } from '../poll.js';
import { LookAgain } from '../parts/action.js';
import { Elsewhere } from '../parts/elsewhere.js';
import { Page } from '../parts/page.js';
import { href, replace } from '../parts/route.js';
import { Badge, Choose, Id, IdLink, inWords, Table, TextFilter } from '../parts/table.js';
import { timeOf } from '../parts/time.js';
import { Words } from '../parts/words.js';

/** Not again and again: where it is kept, it is read there type by type. */
const ONCE = 0;
const MOST = 500;
const QUESTION = 'Who did what, and what came of it?';

/** In what is shown of an event, these have places of their own. */
const ELSEWHERE = ['operation', 'reason', 'failure', 'repair'];

export function Audit({ query }) {
    return session().audit === false
        ? html`
            <${Page} title="Audit" question=${QUESTION}>
                <p class="rights">
                    Who did what is not shown to you. It is if management.endpoint.safebunny.show-audit allows it: when-authorized, the default,
                    shows it to those who log in (and have one of management.endpoint.safebunny.roles, if there are any), and always to everybody.
                </p>
            </${Page}>`
        : html`<${Events} query=${query} />`;
}

function Events({ query }) {
    const { by, action, about, after, looks } = query;
    const showsLooks = looks === 'true';
    const limit = query.limit ? String(Math.min(MOST, Number(query.limit) || MOST)) : undefined;
    const [isRefused, setRefused] = useState(false); // by an older instance, which does not know the latest parameters
    const ofOthers = !by && !about && !isRefused;
    const poll = usePoll(look('node', 'audit', { by, action, about, after, looks: showsLooks || action || isRefused ? undefined : 'false', elsewhere: ofOthers || undefined, limit }), ONCE);
    const { data, problem } = poll;
    useEffect(() => {
        if (problem?.body?.status === 400) {
            setRefused(true);
        }
    }, [problem]);
    const filtered = changed => replace(['audit'], { by, action, about, after, looks, limit, ...changed });
    return html`
        <${Page} title="Audit" about=${[by, action && inWords(action), about, after && `after ${after}`].filter(Boolean).join(', ')} question=${QUESTION} polls=${[poll]}>
            <form class="filter" onSubmit=${event => event.preventDefault()}>
                <${TextFilter} id="by" label="Who" value=${by} set=${value => filtered({ by: value })} />
                <${Choose} id="action" label="What" value=${action} of=${[['', 'anything'], ...known(data, action).map(one => [one, inWords(one)])]} set=${value => filtered({ action: value })} />
                <${TextFilter} id="about" label="About" value=${about} set=${value => filtered({ about: value })} />
            </form>
            <div class="buttons">
                <${LookAgain} of=${poll} />
            </div>
            ${data && html`
                ${!action && html`<${Looks} count=${data.hiddenLooks} isShown=${showsLooks} query=${{ by, about, after, limit }} />`}
                <p class=${data.kept === 'REPOSITORY' ? 'faint' : 'rights'} data-kept=${data.kept}><${Words} of=${data.note} /></p>
                <${Table} caption="What was done, the last one first" rows=${data.events.map((one, row) => ({ ...one, row }))} id=${one => one.row}
                    empty="Nobody has done anything that this filter finds." columns=${[
                        { name: 'when', cell: timeOf('at') },
                        { name: 'who', cell: row => html`<a href=${href(['audit'], { by: row.by, action, about, after, looks })}>${row.by}</a>` },
                        { name: 'what', cell: row => inWords(row.action) },
                        { name: 'about', cell: row => html`<${About} of=${row} />` },
                        { name: 'why', cell: row => row.data.reason },
                        { name: 'what came of it', cell: row => html`<${Result} of=${row} />` },
                    ]} />
                ${data.truncated && html`
                    <p>There are more. ${data.events.length < MOST ? html`<a href=${href(['audit'], { by, action, about, after, looks, limit: MOST })}>Show up to ${MOST}</a>` : 'Use a filter to see others.'}</p>`}
                <${Others} of=${data.elsewhere} />`}
        </${Page}>`;
}

/** Who began them and why, leaves no instance. */
function Others({ of }) {
    return of && html`
        <h2>Operations of other instances</h2>
        ${of.instances.length === 0 && !of.problem && html`<p class="faint">No other instance of this node is known.</p>`}
        <${Elsewhere} of=${of} caption="What other instances have done with poison messages, the last ten of each" lacks="what they have done" />
        ${of.operations.length > 0 && html`<p class="faint">Who began them, and why, only that instance tells: on its own page.</p>`}`;
}

/** Who only looks changes nothing, and looks more often than somebody repairs. */
function Looks({ count = 0, isShown, query }) {
    if (isShown) {
        return html`<p>Looks at bodies and states are shown, too. <a href=${href(['audit'], query)}>Hide them</a></p>`;
    }
    return count > 0 && html`<p>${count === 1 ? '1 look at a body or a state is' : `${count} looks at bodies and states are`} not shown. <a href=${href(['audit'], { ...query, looks: 'true' })}>Show looks, too</a></p>`;
}

/** The choice stays while it finds nothing. */
const known = (data, action) => [...new Set([...(data?.actions ?? []), ...(action ? [action] : [])])].sort();

function About({ of: { data } }) {
    return html`
        <ul class="plain">${Object.entries(data).filter(([name]) => !ELSEWHERE.includes(name)).map(([name, value]) => html`
            <li key=${name}>${name} <${Value} name=${name} value=${value} of=${data} /></li>`)}</ul>`;
}

function Value({ name, value, of }) {
    if (name === 'messageId') {
        return html`<${IdLink} page="poison" of=${value} />`;
    }
    return name === 'sagaId' ? html`<a href=${href(['sagas', of.saga ?? '', value])}><${Id} of=${value} /></a>` : value;
}

function Result({ of: { result, detail, operation } }) {
    return html`
        <${Badge} of=${result} /> ${detail}
        ${operation && html` <a href=${href(['operations', operation])}>its progress</a>`}`;
}
