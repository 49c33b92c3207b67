// SPDX-License-Identifier: Apache-2.0
// The shell: who is looking, at which node, and which page.

import { html, render, useEffect, useRef, useState } from './vendor/htm-preact.js';
import { open, placeThatWasLeft, session } from './ask.js';
import { Now } from './pages/now.js';
import { Audit } from './pages/audit.js';
import { Instances } from './pages/instances.js';
import { Message, Operation, Poison } from './pages/poison.js';
import { Saga } from './pages/saga.js';
import { Sagas } from './pages/sagas.js';
import { Scheduled, ScheduledOne } from './pages/scheduled.js';
import { Search, Story } from './pages/story.js';
import { Topology } from './pages/topology.js';
import { Type, Types } from './pages/types.js';
import { Waiting } from './pages/waiting.js';
import { Dialogs } from './parts/action.js';
import { Page } from './parts/page.js';
import { Boundary, Trouble } from './parts/problem.js';
import { href, useRoute } from './parts/route.js';
import { SearchBox } from './parts/search.js';
import { isWatched, useMixed, whenWatched } from './poll.js';

const RETRY = 2_000;
const LONGEST = 30_000;
/** The session may become another one, of another user with other rights. */
const RENEWAL = 60_000;

/** Of an endpoint of which the instance that answers has never heard. */
const OLDER = { at: null, refusal: 'The instance that answers has an older version, without this.' };

/** In the order of the menu. */
const PAGES = [
    { name: 'now', title: 'Now', needs: ['node'], show: () => html`<${Now} />` },
    { name: 'story', title: 'Search', needs: ['story'], show: ([id]) => (id ? html`<${Story} key=${id} id=${id} />` : html`<${Search} />`) },
    {
        name: 'types',
        title: 'Types',
        needs: ['node'],
        show: ([type], query) => (type ? html`<${Type} type=${type} />` : html`<${Types} query=${query} />`),
    },
    {
        name: 'sagas',
        title: 'Sagas',
        needs: ['node'],
        show: ([saga, id], query) => (session().sagas === false ? html`<${NoSagas} />` : id ? html`<${Saga} saga=${saga} id=${id} />` : html`<${Sagas} query=${query} />`),
    },
    {
        name: 'poison',
        title: 'Poison',
        needs: ['node', 'poison'],
        show: ([id], query) => (id ? html`<${Message} id=${id} />` : html`<${Poison} query=${query} />`),
    },
    { name: 'operations', needs: ['node'], show: ([id]) => html`<${Operation} id=${id ?? ''} />` },
    {
        name: 'scheduled',
        title: 'Scheduled',
        needs: ['node'],
        show: ([id], query) => (id ? html`<${ScheduledOne} key=${id} id=${id} />` : html`<${Scheduled} query=${query} />`),
    },
    { name: 'waiting', title: 'Outbox', needs: ['node'], show: () => html`<${Waiting} />` },
    { name: 'topology', title: 'Topology', needs: ['node'], show: () => html`<${Topology} />` },
    { name: 'instances', title: 'Instances', needs: ['node'], show: () => html`<${Instances} />` },
    { name: 'audit', title: 'Audit', needs: ['node'], show: (path, query) => html`<${Audit} query=${query} />` },
];

function Shell() {
    const { path, query, isQuiet } = useRoute();
    const [name, ...rest] = path;
    const page = PAGES.find(one => one.name === (name || 'now'));
    const main = useRef(null);
    const place = path.join('/');
    const shown = JSON.stringify([path, query]);
    const before = useRef(shown);

    useEffect(() => { // a screen reader says what has come
        if (before.current !== shown) {
            before.current = shown;
            if (!isQuiet) {
                main.current.querySelector('h1')?.focus();
            }
        }
    }, [shown]);

    function skip(event) { // the hash is the address of the page, so it must stay
        event.preventDefault();
        main.current.focus();
    }

    return html`
        <a class="skip" href="#main" onClick=${skip}>To the content</a>
        <header>
            <p class="brand"><b>${session().node}</b> <span class="faint">SafeBunny</span></p>
            <nav aria-label="Pages">
                <ul>${PAGES.filter(one => one.title).map(one => html`
                    <li key=${one.name}><a href=${href([one.name])} aria-current=${one === page ? 'page' : undefined}>${one.title}</a></li>`)}</ul>
            </nav>
            <${SearchBox} />
            <p class="user">${session().user}</p>
        </header>
        <main id="main" tabindex="-1" ref=${main} data-page=${page?.name ?? 'none'}>
            <${Mixed} />
            <${Boundary} key=${place} title="This page does not work">
                <${Content} page=${page} rest=${rest} query=${query} />
            </${Boundary}>
        </main>
        <footer class="faint">Instance ${session().instance}. Ages are by the clock of the application, times of day in the zone of this browser.</footer>
        <${Dialogs} />`;
}

function NoSagas() {
    return html`
        <${Page} title="Sagas">
            <p>Node ${session().node} has no sagas: its application has no class with @BunnySaga. Those of another node are on that node's own page.</p>
        </${Page}>`;
}

function Mixed() {
    const instances = useMixed();
    return instances && html`
        <p class="rights" data-mixed="yes">
            Several instances answer at this address, in turns: ${instances}. Each number is of one of them, and all that an operation
            does is known only to the one that has begun it. Have a session stay with one of them.
        </p>`;
}

function Content({ page, rest, query }) {
    if (!page) {
        return html`<${Page} title="No such page"><p><a href=${href(['now'])}>What is going on now</a></p></${Page}>`;
    }
    const hidden = page.needs.map(name => session().endpoints[name] ?? OLDER).filter(({ at }) => (at ?? null) === null);
    return hidden.length === 0
        ? page.show(rest, query)
        : html`
            <${Page} title=${page.title ?? page.name}>
                ${hidden.map(({ refusal }) => html`<p class="rights" key=${refusal}>${refusal}</p>`)}
            </${Page}>`;
}

/** Opens the session, again until it is open, and renews it then; both only while somebody looks. */
function App() {
    const [state, setState] = useState({ seen: '', problem: null });
    useEffect(() => {
        let timer;
        let failures = 0;
        let isOpen = false;
        let isBusy = false;

        async function renew() {
            clearTimeout(timer);
            if (isBusy || !isWatched()) {
                return;
            }
            isBusy = true;
            try {
                const { csrf, ...seen } = await open();
                if (!isOpen) {
                    isOpen = true;
                    goBack();
                }
                failures = 0;
                setState({ seen: JSON.stringify(seen), problem: null });
            } catch (problem) {
                failures++;
                setState(({ seen }) => ({ seen, problem }));
            }
            isBusy = false;
            timer = setTimeout(renew, isOpen ? RENEWAL : Math.min(RETRY * 2 ** failures, LONGEST));
        }

        const unwatch = whenWatched(renew);
        renew();
        return () => {
            clearTimeout(timer);
            unwatch();
        };
    }, []);
    return state.seen
        ? html`<${Shell} />`
        : html`<main><h1>SafeBunny</h1>${state.problem ? html`<${Trouble} problem=${state.problem} />` : html`<p role="status">Loading…</p>`}</main>`;
}

/** To the place where the user was when the session ended. */
function goBack() {
    const left = placeThatWasLeft();
    if (left?.startsWith('#') && location.hash.length <= 1) {
        location.replace(left);
    }
}

const root = document.getElementById('app');
root.replaceChildren();
if (window.top === window.self) {
    render(html`<${App} />`, root);
} else { // within another page, that could have somebody click on what he does not see
    root.append('This page does not work within another one. Open it in a window of its own.');
}
