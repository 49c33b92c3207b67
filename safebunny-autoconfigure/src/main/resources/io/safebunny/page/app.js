// SPDX-License-Identifier: Apache-2.0
// The shell: who is looking, at which node, and which page.

import { html, render, useEffect, useErrorBoundary, useRef, useState } from './vendor/htm-preact.js';
import { open, session } from './ask.js';
import { Now } from './pages/now.js';
import { Message, Operation, Poison } from './pages/poison.js';
import { Saga } from './pages/saga.js';
import { Sagas } from './pages/sagas.js';
import { Topology } from './pages/topology.js';
import { Type, Types } from './pages/types.js';
import { Waiting } from './pages/waiting.js';
import { Dialogs } from './parts/action.js';
import { Trouble } from './parts/problem.js';
import { href, useRoute } from './parts/route.js';

const RETRY = 5_000;

/** In the order of the menu. */
const PAGES = [
    { name: 'now', title: 'Now', needs: ['node'], show: () => html`<${Now} />` },
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
        show: ([saga, id], query) => (id ? html`<${Saga} saga=${saga} id=${id} />` : html`<${Sagas} query=${query} />`),
    },
    {
        name: 'poison',
        title: 'Poison',
        needs: ['node', 'poison'],
        show: ([id], query) => (id ? html`<${Message} id=${id} />` : html`<${Poison} query=${query} />`),
    },
    { name: 'operations', needs: ['node'], show: ([id]) => html`<${Operation} id=${id ?? ''} />` },
    { name: 'waiting', title: 'Waiting', needs: ['node'], show: () => html`<${Waiting} />` },
    { name: 'topology', title: 'Topology', needs: ['node'], show: () => html`<${Topology} />` },
];

function Shell() {
    const { path, query } = useRoute();
    const [name, ...rest] = path;
    const page = PAGES.find(one => one.name === (name || 'now'));
    const main = useRef(null);
    const place = path.join('/');
    const before = useRef(place);

    useEffect(() => { // a screen reader says what has come
        if (before.current !== place) {
            before.current = place;
            main.current.querySelector('h1')?.focus();
        }
    }, [place]);

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
            <p class="user">${session().user}</p>
        </header>
        <main id="main" tabindex="-1" ref=${main} data-page=${page?.name ?? 'none'}>
            <${Content} key=${place} page=${page} rest=${rest} query=${query} />
        </main>
        <footer class="faint">Instance ${session().instance}. Times are by the clock of this browser.</footer>
        <${Dialogs} />`;
}

function Content({ page, rest, query }) {
    const [fault] = useErrorBoundary();
    if (fault) {
        return html`<h1 tabindex="-1">This page does not work</h1><${Trouble} problem=${fault} />`;
    }
    if (!page) {
        return html`<h1 tabindex="-1">No such page</h1><p><a href=${href(['now'])}>What is going on now</a></p>`;
    }
    const hidden = page.needs.map(name => session().endpoints[name]).filter(endpoint => endpoint.at === null);
    return hidden.length === 0
        ? page.show(rest, query)
        : html`<h1 tabindex="-1">${page.title}</h1>${hidden.map(endpoint => html`<p class="rights" key=${endpoint.refusal}>${endpoint.refusal}</p>`)}`;
}

/** Opens the session first, and again until it is open. */
function App() {
    const [state, setState] = useState({ isOpen: false, problem: null });
    useEffect(() => {
        let timer;
        async function begin() {
            try {
                await open();
                setState({ isOpen: true, problem: null });
            } catch (problem) {
                setState({ isOpen: false, problem });
                timer = setTimeout(begin, RETRY);
            }
        }
        begin();
        return () => clearTimeout(timer);
    }, []);
    return state.isOpen
        ? html`<${Shell} />`
        : html`<main><h1>SafeBunny</h1>${state.problem ? html`<${Trouble} problem=${state.problem} />` : html`<p role="status">Loading…</p>`}</main>`;
}

const root = document.getElementById('app');
root.replaceChildren();
if (window.top === window.self) {
    render(html`<${App} />`, root);
} else { // within another page, that could have somebody click on what he does not see
    root.append('This page does not work within another one. Open it in a window of its own.');
}
