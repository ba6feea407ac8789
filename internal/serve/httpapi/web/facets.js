// Facets: the values of the documents found, to choose from. Those of a field are counted
// without its own filter, so that others can be added to the chosen ones.
import { $, button, el, label, number, setText } from './dom.js';
import { histogram, filterText } from './ranges.js';

const most = 16; // facets, as many as the API counts in one search
const few = 6; // values of a keyword, before "more"
const many = 50; // the same after it
const fewKinds = 12; // values of a keyword that tells documents apart at a glance
const intervals = 24; // of a number or date

const useful = new Map(); // names of the fields that are worth showing, by scope
const expanded = new Set(); // fields that show many values
let again = () => {}; // shows the facets once more

// askFacets counts the values of what a request finds. s has the table, the request, the
// fields and tables of the scope, the answer, and post, which sends a request.
export async function askFacets(s) {
  const scope = [s.table, ...s.fields.keys()].join('\n');
  if (!useful.has(scope)) useful.set(scope, await choose(s));
  const filtered = Object.keys(s.body.filter).filter((name) => s.fields.get(name)?.type);
  const names = [...new Set([...useful.get(scope), ...filtered])].slice(0, most + filtered.length);
  const count = async (list, without) => {
    const filter = Object.fromEntries(Object.entries(s.body.filter).filter(([name]) => name !== without));
    return list.length ? (await s.post(request({ ...s.body, filter }, s, list))).facets : {};
  };
  const ask = async () => Object.assign({}, ...await Promise.all([count(names.filter((name) => !filtered.includes(name))), ...filtered.map((name) => count([name], name))]));
  const facets = await ask();
  const result = { table: s.table, tables: s.tables, totals: await totals(s), fields: names.map((name) => ({ name, type: s.fields.get(name).type, counts: facets[name] ?? [] })) };
  again = async (state, change) => {
    const more = await ask();
    for (const f of result.fields) f.counts = more[f.name] ?? [];
    showFacets(result, state, change);
  };
  return result;
}

// request is a search for facets alone.
function request({ q, filter = {}, match, typing }, s, names) {
  const size = (name) => (['number', 'date'].includes(s.fields.get(name).type) ? intervals : expanded.has(name) ? many : few + 1);
  return { q, filter, match, typing, size: 0, highlight: false, fresh: false, facets: Object.fromEntries(names.map((name) => [name, size(name)])) };
}

// isKey reports whether a number is the key of another row, of which no range is asked for.
export const isKey = (name) => /(^|_)id$|[a-z]Id$/.test(name);

// choose returns the fields whose values occur in several documents: keywords with few
// values, then numbers and dates, then other keywords. Fields of most tables come first, and a
// field with too many different values to count is left out.
async function choose(s) {
  const names = [...s.fields].filter(([name, f]) => f.type && !(f.type === 'number' && isKey(name)))
    .sort(([, a], [, b]) => b.tables - a.tables).map(([name]) => name).slice(0, 3 * most);
  const ask = (list) => s.post({ ...request({ q: '' }, s, list), facets: Object.fromEntries(list.map((name) => [name, fewKinds + 1])) }).then((a) => a.facets);
  const facets = {};
  for (let at = 0; at < names.length; at += most) {
    const some = names.slice(at, at + most);
    try {
      Object.assign(facets, await ask(some));
    } catch (e) {
      if (e.code !== 'bad_query' && e.code !== 'deadline') throw e;
      for (const name of some) Object.assign(facets, await ask([name]).catch((one) => { if (!one.code) throw one; }));
    }
  }
  const rank = (name) => (facets[name][0].from !== undefined ? 1 : facets[name].length <= fewKinds ? 0 : 2);
  return names.filter((name) => {
    const counts = (facets[name] ?? []).filter((c) => c.count > 0);
    return counts.length > 1 && (counts[0].from !== undefined || counts[0].count > 1);
  }).sort((a, b) => rank(a) - rank(b)).slice(0, most);
}

// totals returns how many documents each table has for the words, null if there is one table.
// Filters do not count: a table is chosen without those that it can't answer.
async function totals({ table, tables, answer, body, post }) {
  if (tables.length < 2) return null;
  if (table === '*' && Object.keys(body.filter).length === 0) return answer.tables;
  const { q, match, typing } = body;
  return (await post({ q, match, typing, size: 0, highlight: false, fresh: false }, '*').catch((e) => {
    if (!e.code) throw e;
    return { tables: [] };
  })).tables;
}

// showFacets shows the facets, and keeps the focus.
export function showFacets(result, state, change) {
  const focused = document.activeElement?.dataset.key;
  const parts = result.fields.map((f) => (f.counts.some((c) => c.from !== undefined) ? range(f, state, change) : values(f, state, change)));
  $('facets').replaceChildren(...(result.totals ? [tableList(result, state, change)] : []), ...parts.filter(Boolean));
  if (focused) [...$('facets').querySelectorAll('[data-key]')].find((e) => e.dataset.key === focused)?.focus();
}

const group = (name, ...children) => el('fieldset', { class: 'facet', 'data-field': name }, el('legend', {}, name), ...children);
const choice = (input, name, count) => label(input, el('span', { class: 'value' }, name), el('span', { class: 'count' }, count === null ? '' : number(count)));

// values lists the values of a keyword, with those that are chosen.
function values({ name, counts }, state, change) {
  const chosen = state.filters.get(name) ?? [];
  const gone = chosen.filter((value) => !counts.some((c) => c.value === value)).map((value) => ({ value, count: 0 }));
  if (counts.length + gone.length === 0) return null;
  const shown = expanded.has(name) ? counts : counts.filter((c, i) => i < few || chosen.includes(c.value));
  const more = !expanded.has(name) && counts.length > few;
  return group(name, ...[...shown, ...gone].map(({ value, count }) => {
    const box = el('input', { type: 'checkbox', 'data-key': `${name}:${value}` });
    box.checked = chosen.includes(value);
    box.addEventListener('change', () => set(change, name, (now) => (box.checked ? [...now, value] : now.filter((v) => v !== value))));
    return choice(box, value, count);
  }), ...(more ? [button(() => { expanded.add(name); again(state, change); }, { class: 'plain', 'data-key': `${name}:` }, 'more')] : []));
}

// range shows the intervals of a number or date.
function range({ name, type, counts }, state, change) {
  return group(name, ...histogram({ name, type, counts, chosen: (state.filters.get(name) ?? [])[0] }, (next) => set(change, name, (now) => [next(now[0] ?? '')].filter(Boolean))));
}

// tableList lists the tables with matches. Filters by fields that the table lacks are dropped.
function tableList({ table, tables, totals: found }, state, change) {
  const total = (name) => found.find((t) => t.table === name)?.total ?? 0;
  const names = tables.map((t) => t.table).filter((name) => total(name) > 0 || name === table).sort((a, b) => total(b) - total(a));
  const shown = expanded.has('') ? names : names.filter((name, i) => i < 8 || name === table);
  const radio = (value, text, count) => {
    const input = el('input', { type: 'radio', name: 'table', value, 'data-key': `table:${value}` });
    input.checked = (value || '*') === table;
    input.addEventListener('change', () => {
      const has = (field) => tables.some((t) => (value === '' || t.table === value) && t.fields.some((f) => f.name === field && f.type));
      change(({ filters, sort }) => ({ table: value, filters: new Map([...filters].filter(([field]) => has(field))), sort: has(sort.replace(/^-/, '')) ? sort : '' }));
    });
    return choice(input, text, count);
  };
  const all = found.reduce((sum, t) => sum + t.total, 0);
  return group('table', radio('', 'all tables', all), ...shown.map((name) => radio(name, name, total(name))),
    ...(shown.length < names.length ? [button(() => { expanded.add(''); again(state, change); }, { class: 'plain' }, 'more')] : []));
}

// set changes the values of a filter. values returns them from those that are chosen now.
function set(change, name, values) {
  change(({ filters }) => {
    const list = values(filters.get(name) ?? []);
    const others = [...filters].filter(([field]) => field !== name);
    return { filters: new Map(list.length ? [...others, [name, list]] : others) };
  });
}

// showChips shows the filters in use, each with a button that removes it.
export function showChips(state, fields, change) {
  const text = (name, value) => filterText(value, fields.get(name)?.type);
  const chips = [...state.filters].flatMap(([name, list]) => list.map((value) => button(
    () => set(change, name, (now) => now.filter((v) => v !== value)), { 'aria-label': `Remove the filter ${name} ${text(name, value)}` },
    el('span', { class: 'name' }, name), ` ${text(name, value)} `, el('span', { class: 'x', 'aria-hidden': 'true' }, '×'))));
  if (chips.length > 1) chips.push(button(() => change({ filters: new Map() }), { class: 'plain' }, 'Remove all'));
  $('chips').replaceChildren(...chips.map((c) => el('li', {}, c)));
  setText($('chosen'), chips.length ? String([...state.filters.values()].flat().length) : '');
}
