// The search box. It searches while the user types, and never shows the answer of
// an older search after a newer one.
import { ask, hasToken, tablePath } from './api.js';
import { $, el, marked, number } from './dom.js';

const typingPause = 120; // milliseconds without input before a search
const facetValues = 8;
const allTables = '*'; // searches all of them

// typing: the last word may be incomplete. match: how many words a document must have,
// of the query as it stands. shown: the query of the hits on the page, and its typing.
// next: where they continue. explain: the index can explain scores.
const state = { table: '', facets: [], filter: new Map(), explain: true, typing: false, match: 'all', shown: null, next: null };
let pause; // the timer of typingPause
let current = new AbortController(); // of the running search

// followTables updates the list of tables. It chooses the first table once that has
// documents.
export function followTables(tables) {
  const names = tables.map((t) => t.table);
  if (names.length > 1) names.push(allTables);
  const select = $('table');
  if (names.join('\n') !== [...select.options].map((o) => o.value).join('\n')) {
    select.replaceChildren(...names.map((name) => el('option', { value: name }, name === allTables ? 'all tables' : name)));
    select.value = names.includes(state.table) ? state.table : (names[0] ?? '');
  }
  const chosen = tables.find((t) => t.table === select.value);
  if (chosen && chosen.documents > 0 && chosen.table !== state.table) choose(chosen.table);
}

async function choose(table) {
  Object.assign(state, { table, facets: [], filter: new Map(), explain: true, shown: null });
  await search();
  try {
    const facets = await facetFields(table);
    if (table !== state.table) return; // the user chose another table
    state.facets = facets;
    if (facets.length) await search();
  } catch {
    state.table = ''; // the next poll tries again
  }
}

// facetFields returns the fields to show facets of. The API does not return field
// types, so it requests a facet of every field of some documents, and skips fields
// whose values are unique.
async function facetFields(table) {
  const { hits } = await ask(tablePath(table, 'search?size=20&highlight=false'));
  const fields = new Set(hits.flatMap((h) => Object.keys(h.fields)));
  const tried = await Promise.all([...fields].map(async (field) => {
    const query = new URLSearchParams({ size: 0, facets: `${field}:${facetValues}` });
    const answer = await ask(tablePath(table, `search?${query}`)).catch(() => null);
    const values = answer?.facets[field] ?? [];
    return values.length > 0 && values[0].count > 1 ? field : null;
  }));
  return tried.filter((field) => field !== null);
}

function parameters(query) {
  return {
    ...query,
    filter: Object.fromEntries([...state.filter].map(([field, values]) => [field, [...values]])),
    facets: Object.fromEntries(state.facets.map((field) => [field, facetValues])),
    highlight: true,
    explain: state.explain,
    match: state.match,
    fresh: $('fresh').checked || null, // null: as the table's configuration says
  };
}

async function search({ after = '' } = {}) {
  clearTimeout(pause);
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const once = (query) => ask(tablePath(state.table, 'search'), { method: 'POST', body: { ...parameters(query), after }, signal });
  const post = (query) => once(query).catch((e) => {
    if (e.code !== 'bad_query' || !state.explain) throw e;
    state.explain = false; // an index in a cluster refuses it
    return once(query);
  });
  if (!state.table) return;
  try {
    let query = after ? state.shown : { q: $('q').value.trimStart(), typing: state.typing };
    let answer = await post(query);
    if (answer.total === 0 && !query.typing && state.match === 'all') {
      const unfinished = { ...query, typing: true };
      const found = await post(unfinished);
      if (found.total > 0) [query, answer] = [unfinished, found];
    }
    const same = query.q === state.shown?.q && query.typing === state.shown.typing;
    const inUse = same ? hitsInUse() : new Map();
    state.shown = query;
    showAnswer(answer, Boolean(after), inUse);
  } catch (e) {
    if (!signal.aborted) showMessage(e.message, true);
  }
}

// showSuggestion offers to search for other spellings, or for most of the words.
function showSuggestion(suggest) {
  if (!suggest) return;
  const have = suggest.match === 'all' ? number(suggest.total) : `${number(suggest.total)} have ${suggest.match} of the words`;
  const button = el('button', { type: 'button' }, suggest.query ? `did you mean ${suggest.query} (${have})` : have);
  button.addEventListener('click', () => {
    state.match = suggest.match;
    if (suggest.query) $('q').value = suggest.query;
    state.typing = false;
    search();
  });
  $('found').append(', ', button);
}

function showMessage(text, wrong = false) {
  $('found').textContent = text;
  $('found').classList.toggle('wrong', wrong);
}

// hitsInUse returns the hits that are unfolded or have the focus, by name. An answer
// to the same query keeps them: the first one with facets comes after the hits.
function hitsInUse() {
  const inUse = [...$('hits').children].filter((item) => item.matches('.open, :focus-within'));
  return new Map(inUse.map((item) => [item.dataset.name, item]));
}

function showAnswer(answer, append, inUse) {
  const missing = answer.missing?.length ? `, not ready: ${answer.missing.join(', ')}` : '';
  const stale = answer.fresh === false ? ', not fresh: not all hits could be checked in the database' : '';
  const notes = (answer.notes ?? []).map((note) => `, ${note}`).join('');
  showMessage(`${number(answer.total)} found, ${answer.took_ms} ms${missing}${stale}${notes}`);
  showSuggestion(answer.suggest);
  const focused = document.activeElement;
  const hits = answer.hits.map((h) => inUse.get(nameOf(h)) ?? hit(h));
  if (append) $('hits').append(...hits);
  else $('hits').replaceChildren(...hits);
  if (append) hits[0]?.querySelector('button').focus();
  else if ($('hits').contains(focused)) focused.focus();
  state.next = answer.next;
  $('more').hidden = answer.next === null;
  showFacets(answer.facets);
}

// nameOf returns the key of a hit, in a search in all tables after its table.
function nameOf({ table, oid }) {
  return state.table === allTables ? `${table} ${oid}` : oid;
}

// hit returns the element of a document, with its title beside the key if it has one. Folded it shows the highlights, unfolded
// all fields.
function hit({ table = state.table, oid, title, fields, highlights = {}, explain = [] }) {
  const names = Object.keys(fields).filter((name) => text(fields[name]) !== '');
  names.sort((a, b) => Boolean(highlights[b]) - Boolean(highlights[a]));
  const list = el('dl', {}, ...names.map((name) => field(name, fields[name], highlights[name])));
  const address = nameOf({ table, oid });
  if (title === oid) title = undefined;
  const key = el('button', { type: 'button', class: 'key', 'aria-expanded': 'false' }, title ?? address);
  const api = (what) => answerLink(tablePath(table, `${what}/${encodeURIComponent(oid)}`), what);
  const links = el('span', { class: 'links' }, api('explain'), api('versions'));
  const item = el('li', { 'data-name': address }, el('div', { class: 'head' }, key, title ? el('span', { class: 'quiet address' }, address) : null, links), list, scoreOf(explain));
  key.addEventListener('click', () => {
    const open = item.classList.toggle('open');
    key.setAttribute('aria-expanded', String(open));
  });
  return item;
}

// scoreOf returns the parts of a hit's score, which an unfolded hit shows.
function scoreOf(parts) {
  const why = (p) => (p.distance ? `${p.word} near each other in ${p.field}` : p.word ? `${p.word} in ${p.field}` : 'matches without a word');
  const line = (p) => `${p.score.toFixed(3)} ${why(p)}`;
  return el('div', { class: 'score' }, ...parts.map((p) => el('p', {}, line(p))));
}

// answerLink links to an answer of the API. A browser does not send the token with
// a link, so with a token the answer is shown below the hit.
function answerLink(path, name) {
  const link = el('a', { href: `/api/v1/${path}` }, name);
  link.addEventListener('click', async (event) => {
    if (!hasToken()) return;
    event.preventDefault();
    const item = link.closest('li');
    const answer = await ask(path).then((a) => JSON.stringify(a, null, 2), (e) => e.message);
    item.querySelector('pre')?.remove();
    item.append(el('pre', {}, answer));
  });
  return link;
}

function field(name, value, fragments = []) {
  const folded = fragments.flatMap((f, i) => (i ? [' … ', ...marked(f)] : marked(f)));
  const found = el('span', { class: 'found' }, ...folded);
  const all = el('span', { class: 'all' }, text(value));
  return el('div', { class: folded.length ? 'hit' : '' }, el('dt', {}, name), el('dd', {}, folded.length ? found : null, all));
}

function text(value) {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(text).join(', ');
  if (typeof value === 'object') return Object.values(value).map(text).join(' ');
  return String(value);
}

function showFacets(facets) {
  const groups = state.facets.map((field) => {
    const chosen = state.filter.get(field) ?? new Set();
    const values = facets[field] ?? [];
    const gone = [...chosen].filter((c) => !values.some((v) => v.value === c)).map((value) => ({ value, count: 0 }));
    return el('div', { class: 'facet', role: 'group', 'aria-label': field },
      el('span', { class: 'quiet' }, field),
      el('div', {}, ...[...values, ...gone].map(({ value, count }) => facetButton(field, value, count, chosen.has(value)))));
  });
  const focused = document.activeElement?.dataset.facet;
  $('facets').replaceChildren(...groups);
  if (focused) [...$('facets').querySelectorAll('button')].find((b) => b.dataset.facet === focused)?.focus();
}

function facetButton(field, value, count, chosen) {
  const button = el('button', { type: 'button', 'aria-pressed': String(chosen), 'data-facet': `${field}:${value}` },
    value, el('span', { class: 'count' }, number(count)));
  button.addEventListener('click', () => {
    const values = state.filter.get(field) ?? new Set();
    if (!values.delete(value)) values.add(value);
    if (values.size) state.filter.set(field, values);
    else state.filter.delete(field);
    search();
  });
  return button;
}

// move moves the focus between the search box and the hits with the arrow keys.
function move(event) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops = [$('q'), ...$('hits').querySelectorAll('.key')];
  const at = stops.indexOf(document.activeElement);
  const to = stops[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (at < 0 || !to) return;
  event.preventDefault();
  to.focus();
}

export function startSearch() {
  $('q').addEventListener('input', () => {
    clearTimeout(pause);
    [state.typing, state.match] = [true, 'all'];
    pause = setTimeout(search, typingPause);
  });
  $('q').form.addEventListener('submit', (event) => {
    event.preventDefault();
    [state.typing, state.match] = [false, 'all'];
    search();
  });
  $('fresh').addEventListener('change', () => search());
  $('table').addEventListener('change', () => choose($('table').value));
  $('more').addEventListener('click', () => search({ after: state.next }));
  $('search').addEventListener('keydown', move);
  document.addEventListener('keydown', (event) => {
    const writing = event.target.closest('input, textarea, select');
    if (event.key !== '/' || writing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    $('q').focus();
    $('q').select();
  });
}
