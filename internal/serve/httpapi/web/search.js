// The search: it asks while the user types, keeps what is asked in the address, and never
// shows the answer of an older search after a newer one.
import * as address from './address.js';
import { ask, said, tablePath } from './api.js';
import { $, button, el, number, setText } from './dom.js';
import { showExamples } from './examples.js';
import { askFacets, showChips, showFacets } from './facets.js';
import { arrows, showHits } from './hits.js';

const mostSorts = 40; // fields to sort by, those of most tables
const typingPause = 120; // milliseconds without input before a search
const allTables = '*';

let state = address.read();
let tables = []; // that the user may search
let admin = false;
let typing = false; // the last word may be incomplete, and others may have slips
let explain = true; // the index can explain scores
let shown = null; // the request of the hits on the page, and its table
let next = null; // where they continue
let pause; // the timer of typingPause
let current = new AbortController(); // of the running search
let waiting = []; // tables that are not ready, a line for each

// openSearch shows the search of an address.
export function openSearch(all, access, from) {
  [tables, admin, typing] = [all, access === 'admin', false];
  show(from);
}

// showWaiting shows what tables wait for, and searches again when one is ready.
export function showWaiting(lines, all) {
  const ready = (list) => list.filter((t) => t.ready).length;
  const more = ready(all) > ready(tables);
  [waiting, tables] = [lines, all];
  if (more) run();
  else if (ready(tables) === 0) showNothing();
}

function show(from) {
  state = from;
  if ($('q').value !== state.q) $('q').value = state.q;
  $('fresh').checked = state.fresh;
  if (document.activeElement === document.body && matchMedia('(hover: hover)').matches) $('q').focus();
  run();
}

// change searches for something else, which is an entry of the history. what is a function of
// the state where it depends on it: a facet on the page may be older than the state.
function change(what) {
  state = { ...state, ...(typeof what === 'function' ? what(state) : what) };
  typing = false;
  address.keep(state);
  show(state);
}

// scope is the table that is searched.
const scope = () => state.table || (tables.length === 1 ? tables[0].table : allTables);

// fields returns the fields of the scope, by name: their types, and in how many tables.
function fields() {
  const found = new Map();
  for (const t of tables.filter((one) => scope() === allTables || one.table === scope())) {
    for (const f of t.fields) {
      const before = found.get(f.name);
      found.set(f.name, { type: f.type ?? before?.type ?? null, words: f.words || Boolean(before?.words), tables: (before?.tables ?? 0) + 1 });
    }
  }
  return found;
}

// bodyOf returns the request of a state.
function bodyOf(s) {
  return {
    q: s.q,
    filter: Object.fromEntries(s.filters),
    sort: s.sort ? [s.sort] : [],
    match: s.match,
    typing,
    fresh: s.fresh || null, // null: as the table's configuration says
    explain: explain && s.q !== '' && !s.sort,
  };
}

async function run({ after = '' } = {}) {
  clearTimeout(pause);
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const table = scope();
  if (tables.every((t) => !t.ready)) return showNothing();
  const post = (body, where = table) => ask(tablePath(where, 'search'), { method: 'POST', body, signal });
  try {
    let body = after ? { ...shown.body, after } : bodyOf(state);
    let answer = await post(body).catch((e) => {
      if (!body.explain || e.code !== 'bad_query') throw e;
      explain = false; // an index in a cluster refuses it
      body = { ...body, explain };
      return post(body);
    });
    if (answer.total === 0 && !body.typing && state.match === 'all' && state.q) {
      const unfinished = await post({ ...body, typing: true });
      if (unfinished.total > 0) [body, answer] = [{ ...body, typing: true }, unfinished];
    }
    showAnswer(answer, table, body, after !== '');
    if (after) return;
    const facets = await askFacets({ table, body, tables, fields: fields(), answer, post });
    if (!signal.aborted) showFacets(facets, state, change);
  } catch (e) {
    if (!signal.aborted) showError(e);
  }
}

function showAnswer(answer, table, body, append) {
  const same = shown !== null && shown.table === table && shown.body.q === body.q && shown.body.typing === body.typing;
  [shown, next] = [{ table, body }, answer.next];
  document.title = body.q ? `${body.q} – indexerd` : 'indexerd';
  $('state').hidden = true;
  setText($('found'), `${number(answer.total)} found${answer.took_ms ? `, ${number(answer.took_ms)} ms` : ''}`);
  const notes = [...(answer.notes ?? []), ...(answer.fresh === false ? ['the database could not be asked: these are hits as they are stored'] : []),
    ...(answer.missing?.length ? [`not searched, since not ready: ${answer.missing.join(', ')}`] : [])];
  setText($('notes'), notes.join('. '));
  $('notes').hidden = notes.length === 0;
  showSuggestion(answer.suggest);
  showHits(answer, { table, append, same, admin, fields: fields() });
  $('more').hidden = next === null;
  showSorts();
  showChips(state, fields(), change);
  if (answer.total === 0) showEmpty(answer);
  showExamples(answer, { table, fields: fields(), state, ask: (q) => change({ q, filters: new Map(), match: 'all' }) });
}

// showSuggestion offers to search for other spellings, or for most of the words.
function showSuggestion(suggest) {
  $('suggest').hidden = !suggest;
  if (!suggest) return;
  const most = suggest.match !== 'all';
  const what = suggest.query ? `did you mean ${suggest.query} (${number(suggest.total)})` : `${number(suggest.total)} have ${suggest.match} of the words`;
  const offer = button(() => change({ q: suggest.query || state.q, match: suggest.match }), {}, most && suggest.query ? `${what}, most of the words` : what);
  $('suggest').replaceChildren(offer);
}

// showState shows a message in place of hits, with what may help.
function showState(title, text, ...actions) {
  $('hits').replaceChildren();
  $('more').hidden = true;
  $('state').replaceChildren(el('h2', {}, title), el('p', {}, text), el('div', { class: 'actions' }, ...actions));
  $('state').hidden = false;
}

function showEmpty() {
  const filtered = state.filters.size > 0;
  const text = state.q === '' && !filtered ? 'No document is indexed yet, or none that you may see.'
    : filtered ? 'No document matches the words and all of the filters.' : 'No document has all of these words. Try fewer or other words, or a part of one with * at its end.';
  showState('Nothing found', text,
    filtered ? button(() => change({ filters: new Map() }), { class: 'main' }, 'Remove the filters') : null,
    state.table && tables.length > 1 ? button(() => change({ table: '' }), {}, 'Search all tables') : null);
}

function showError(e) {
  if (e.code === 'unauthorized') document.dispatchEvent(new CustomEvent('refused', { detail: e })); // the token has ended
  for (const id of ['notes', 'suggest', 'examples']) $(id).hidden = true;
  setText($('found'), '');
  showChips(state, fields(), change);
  showSorts();
  const titles = { bad_query: 'This search is not possible', unknown_table: 'There is no such table', not_ready: 'Not ready yet', busy: 'The server is busy', deadline: 'The search took too long' };
  const ours = e.code === 'bad_query' || e.code === 'unknown_table'; // trying again does not help
  const again = ours ? null : button(() => run(), { class: 'main' }, 'Try again');
  const narrow = state.filters.size > 0 || state.table !== '' || state.sort !== '';
  const wider = narrow ? button(() => change({ filters: new Map(), table: '', sort: '' }), { class: ours ? 'main' : '' }, 'Search everything for these words') : null;
  showState(titles[e.code] ?? (e.code ? 'The search failed' : 'indexerd does not answer'), e.code ? sentence(said(e)) : 'The connection to the server was lost. What is on this page may be old.', again, wider);
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;

// showNothing shows that no table can be searched yet.
function showNothing() {
  if (tables.length === 0) return showState('Nothing to search', 'No table is configured, or your token sees none.');
  setText($('found'), '');
  showState('Nothing to search yet', 'Documents can be searched when their table is loaded:', el('ul', {}, ...waiting.map((line) => el('li', {}, line))));
}

// showSorts lists the orders of the scope.
function showSorts() {
  const orders = { number: ['low to high', 'high to low'], date: ['oldest first', 'newest first'], keyword: ['A to Z', 'Z to A'] };
  const options = [['', 'best first']];
  for (const [name, f] of [...fields()].sort(([, a], [, b]) => b.tables - a.tables).slice(0, mostSorts)) {
    if (orders[f.type]) orders[f.type].forEach((text, i) => options.push([i ? `-${name}` : name, `${name}, ${text}`]));
  }
  if (state.sort && !options.some(([value]) => value === state.sort)) options.push([state.sort, state.sort]);
  const values = (list) => list.map(([value]) => value).join('\n');
  if (values([...$('sort').options].map((o) => [o.value])) !== values(options)) {
    $('sort').replaceChildren(...options.map(([value, text]) => el('option', { value }, text)));
  }
  $('sort').value = state.sort;
}

// clear empties the box, and leaves it if it is empty.
function clear() {
  if ($('q').value === '') $('q').blur();
  else change({ q: '', match: 'all' });
}

export function startSearch() {
  $('q').addEventListener('input', () => {
    clearTimeout(pause);
    [typing, state] = [true, { ...state, q: $('q').value.trimStart(), match: 'all' }];
    pause = setTimeout(() => {
      address.keep(state, true);
      run();
    }, typingPause);
  });
  $('ask').addEventListener('submit', (event) => {
    event.preventDefault();
    change({ q: $('q').value.trim(), match: 'all' });
  });
  $('fresh').addEventListener('change', () => change({ fresh: $('fresh').checked }));
  $('sort').addEventListener('change', () => change({ sort: $('sort').value }));
  $('more').addEventListener('click', () => run({ after: next }));
  arrows(clear);
  const narrow = matchMedia('(width < 60rem)');
  const fold = () => { $('filters').open = !narrow.matches; };
  narrow.addEventListener('change', fold);
  fold();
}
