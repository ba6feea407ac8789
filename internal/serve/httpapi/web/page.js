// The page: who uses it, which view it shows, and whether indexerd answers.
import * as address from './address.js';
import { ask, dropToken, hasToken, keepToken, readiness, said } from './api.js';
import { $, setText } from './dom.js';
import { showStatus } from './operations.js';
import { beat } from './poll.js';
import { openSearch, showWaiting, startSearch } from './search.js';

const everyReady = 30_000; // milliseconds between requests while someone searches
const everyWaiting = 3_000; // the same while tables are not ready
const everyStatus = 2_000; // the same while someone looks at the operations

let view = address.read().view;
let access = ''; // admin or search; "" while nobody is signed in
let tables = []; // that the user may search

// enter asks who the user is, and shows the view.
async function enter() {
  try {
    ({ access, tables } = await ask('tables'));
  } catch (e) {
    if (e.code === 'unauthorized' || e.code === 'forbidden') return login(e);
    alarm(e);
    setTimeout(enter, everyWaiting);
    return;
  }
  $('leave').hidden = !hasToken();
  $('login').hidden = true;
  show(address.read());
}

// show shows a view, which needs an admin's token if it is that of the operations.
function show(state) {
  view = state.view;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = view === 'operations' ? 'Operations – indexerd' : 'indexerd';
  const allowed = view === 'search' || access === 'admin';
  $('search').hidden = view !== 'search';
  $('operations').hidden = view !== 'operations' || !allowed;
  $('login').hidden = allowed;
  if (!allowed) return login({ message: 'this token may only search: operations need an admin\'s token' });
  if (view === 'search') openSearch(tables, access, state);
  now();
}

const now = beat(async () => {
  if (access === '' || !$('login').hidden) return null;
  try {
    const pause = view === 'operations' ? await lookAtStatus() : await lookAtReadiness();
    $('alarm').hidden = true;
    return pause;
  } catch (e) {
    if (e.code === 'unauthorized' || e.code === 'forbidden') {
      login(e);
      return null;
    }
    alarm(e);
    return everyWaiting;
  }
});

async function lookAtStatus() {
  const status = await ask('status');
  pill(status.ready ? 'ready' : 'not ready', status.ready ? 'following' : 'loading');
  showStatus(status, address.read().table);
  return everyStatus;
}

async function lookAtReadiness() {
  const lines = (await readiness()).filter((line) => tables.some((t) => line.startsWith(`${t.table}: `)));
  pill(lines.length ? 'not ready' : 'ready', lines.length ? 'loading' : 'following');
  if (lines.length < tables.filter((t) => !t.ready).length) ({ tables } = await ask('tables'));
  showWaiting(lines, tables);
  return lines.length ? everyWaiting : everyReady;
}

function pill(text, state) {
  setText($('ready'), text);
  $('ready').dataset.state = state;
}

function alarm(e) {
  pill('no answer', 'failing');
  setText($('alarm'), `indexerd does not answer (${e.code ? said(e) : e.message}). This page tries again by itself.`);
  $('alarm').hidden = false;
}

// login asks for a token. error is why the server refused the last one.
function login(error) {
  pill('locked', 'failing');
  $('alarm').hidden = true;
  $('login').hidden = false;
  $('search').hidden = true;
  $('operations').hidden = true;
  setText($('refusal'), hasToken() ? error.message : '');
  $('token').focus();
}

$('login').addEventListener('submit', (event) => {
  event.preventDefault();
  keepToken($('token').value.trim());
  $('token').value = '';
  enter();
});

$('leave').addEventListener('click', () => {
  dropToken();
  location.assign('/');
});

for (const link of document.querySelectorAll('nav a')) {
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const state = { ...address.read(), view: link.dataset.view };
    address.keep(state);
    if (access) show(state);
  });
}

document.addEventListener('refused', (event) => login(event.detail));
address.follow((state) => access && show(state));
startSearch();
enter();
