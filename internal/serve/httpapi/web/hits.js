// The list of hits. Folded a hit shows where it matches and a few values, unfolded all
// fields, and why it is where it is.
import { ask, hasToken, said, tablePath } from './api.js';
import { $, button, el, marked } from './dom.js';
import { isKey } from './facets.js';

const shortFields = 3; // fields with matches of a folded hit
const shortValues = 4; // values of a folded hit

// showHits shows the hits of an answer, below those that are shown if append. The hits of
// the same query that are unfolded or have the focus stay as they are.
export function showHits(answer, context) {
  const list = $('hits');
  const inUse = context.same ? new Map([...list.children].filter((item) => item.matches('.open, :focus-within')).map((item) => [item.dataset.name, item])) : new Map();
  const focused = document.activeElement;
  const hits = answer.hits.map((h) => inUse.get(nameOf(h, context)) ?? hit(h, context));
  if (context.append) list.append(...hits);
  else list.replaceChildren(...hits);
  if (context.append) hits[0]?.querySelector('.key').focus();
  else if (list.contains(focused)) focused.focus();
}

// nameOf returns the key of a hit, in a search in all tables after its table.
const nameOf = ({ table, oid }, context) => (context.table === '*' ? `${table} ${oid}` : oid);

function hit(h, context) {
  const { table = context.table, oid, fields = {}, highlights = {}, explain = [] } = h;
  const name = nameOf(h, context);
  const title = h.title && h.title !== oid ? h.title : name;
  const key = button(toggle, { class: 'key', 'aria-expanded': 'false' }, ...withMarks(title, Object.values(highlights).flat()));
  const api = (what) => answerLink(tablePath(table, `${what}/${encodeURIComponent(oid)}`), what);
  const links = context.admin ? el('div', { class: 'links' }, api('explain'), api('versions')) : null;
  const item = el('li', { 'data-name': name },
    el('div', { class: 'head' }, el('h3', {}, key), title === name ? null : el('span', { class: 'address' }, name)),
    el('div', { class: 'short' }, ...summary(h, title, context)));
  function toggle() {
    const open = item.classList.toggle('open');
    key.setAttribute('aria-expanded', String(open));
    if (open && !item.querySelector('.all')) item.append(...details(fields, highlights, explain), ...(links ? [links] : []));
  }
  return item;
}

// summary returns what a folded hit shows: the matches, or without any the beginning of
// its text, and some values.
function summary({ fields = {}, highlights = {} }, title, { fields: types }) {
  const names = Object.keys(fields).filter((name) => text(fields[name]) !== '');
  const matches = names.filter((name) => highlights[name] && !title.includes(text(fields[name])));
  const plain = names.filter((name) => types.get(name)?.words && !highlights[name] && !title.includes(text(fields[name])));
  const lines = matches.slice(0, shortFields).map((name) => line(name, fragments(highlights[name])));
  for (const name of plain.slice(0, Math.max(0, 2 - lines.length))) lines.push(line(name, [text(fields[name])]));
  const values = names.filter((name) => types.get(name)?.type && !matches.includes(name) && !plain.slice(0, 2).includes(name) && text(fields[name]) !== title);
  const few = [...values.filter((name) => !isKey(name)), ...values.filter(isKey)].slice(0, shortValues).map((name) => el('span', { class: 'pair' }, el('span', { class: 'name' }, name), ' ', brief(fields[name], types.get(name).type)));
  return [...lines, ...(few.length ? [el('p', { class: 'values' }, ...few)] : [])];
}

// withMarks returns a text with the words marked that are marked in some fragments.
function withMarks(whole, fragments) {
  const words = new Set(fragments.flatMap((f) => marked(f).filter((node) => node.nodeName === 'MARK').map((node) => node.textContent)));
  if (words.size === 0) return [whole];
  const escaped = [...words].sort((a, b) => b.length - a.length).map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return whole.split(new RegExp(`(${escaped.join('|')})`, 'u')).filter(Boolean).map((part) => (words.has(part) ? el('mark', {}, part) : part));
}

const fragments = (list) => list.flatMap((f, i) => (i ? [' … ', ...marked(f)] : marked(f)));
const line = (name, nodes) => el('p', { class: 'match' }, el('span', { class: 'name' }, name), ' ', ...nodes);

// details returns all fields, those with matches first, and the parts of the score.
function details(fields, highlights, explain) {
  const names = Object.keys(fields).filter((name) => text(fields[name]) !== '');
  names.sort((a, b) => Boolean(highlights[b]) - Boolean(highlights[a]));
  const rows = names.map((name) => el('div', {}, el('dt', {}, name), el('dd', {}, ...withMarks(text(fields[name]), highlights[name] ?? []))));
  const why = (p) => (p.distance ? `${p.word} near each other in ${p.field}` : p.word ? `${p.word} in ${p.field}` : 'matches without a word');
  const score = explain.map((p) => el('p', {}, `${p.score.toFixed(3)} ${why(p)}`));
  return [el('dl', { class: 'all' }, ...rows), ...(score.length ? [el('div', { class: 'score' }, el('h4', {}, 'Score'), ...score)] : [])];
}

// answerLink links to an answer of the API. A browser does not send the token with
// a link, so with a token the answer is shown below the hit.
function answerLink(path, name) {
  const link = el('a', { href: `/api/v1/${path}` }, name);
  link.addEventListener('click', async (event) => {
    if (!hasToken()) return;
    event.preventDefault();
    const item = link.closest('li');
    const answer = await ask(path).then((a) => JSON.stringify(a, null, 2), said);
    item.querySelector('pre')?.remove();
    item.append(el('pre', { tabindex: 0 }, answer));
  });
  return link;
}

// text returns a value as a person reads it.
export function text(value) {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(text).join(', ');
  if (typeof value === 'object') return Object.values(value).map(text).join(' ');
  return String(value).replace(/^(\d{4}-\d\d-\d\d)T00:00:00(?:\.0+)?Z?$/, '$1').replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');
}

// brief is a value of a folded hit: numbers with separators, long text cut by the style.
const brief = (value, type) => el('span', { class: 'value' }, type === 'number' && typeof value === 'number' && Math.abs(value) >= 10_000 ? value.toLocaleString('en') : text(value));

// arrows moves the focus between the box and the hits with the arrow keys. Escape folds a
// hit, leads back to the box, and clears it.
export function arrows(clear) {
  $('search').addEventListener('keydown', (event) => {
    const at = document.activeElement;
    if (event.key === 'Escape' && !event.isComposing) escape(event, at, clear);
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const stops = [$('q'), ...$('hits').querySelectorAll('.key')];
    const to = stops[stops.indexOf(at) + (event.key === 'ArrowDown' ? 1 : -1)];
    if (!stops.includes(at) || !to) return;
    event.preventDefault();
    to.focus();
    to.closest('li')?.scrollIntoView({ block: 'nearest' });
  });
  document.addEventListener('keydown', (event) => {
    const writing = event.target.closest('input:not([type=checkbox], [type=radio]), textarea, select');
    if (event.key !== '/' || writing || event.ctrlKey || event.metaKey || event.altKey || $('search').hidden) return;
    event.preventDefault();
    $('q').focus();
    $('q').select();
  });
}

function escape(event, at, clear) {
  const item = at.closest('#hits li');
  if (at === $('q')) {
    event.preventDefault();
    clear();
  } else if (item?.matches('.open')) {
    const key = item.querySelector('.key');
    key.click();
    key.focus();
  } else {
    $('q').focus();
  }
}
