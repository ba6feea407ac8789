// Searches to try, drawn from the documents themselves: what they find, they find here.
import { ask, tablePath } from './api.js';
import { $, button, el, number } from './dom.js';
import { isKey } from './facets.js';
import { text } from './hits.js';

const most = 4;
let turn = 0; // of the answer whose examples are shown
const drawn = new Map(); // by scope: examples, each {q, what}

// showExamples shows searches to try if nothing is searched for, or nothing found.
export async function showExamples(answer, { table, fields, state, ask: search }) {
  const mine = ++turn;
  const idle = state.q === '' && state.filters.size === 0;
  $('examples').hidden = true;
  if (!idle && answer.total > 0) return;
  if (!drawn.has(table)) drawn.set(table, draw(table, fields).catch(() => (drawn.delete(table), [])));
  const list = await drawn.get(table);
  if (list.length === 0 || mine !== turn) return;
  $('examples').replaceChildren(el('span', { class: 'quiet' }, 'Try'), ...list.map(({ q, what }) => button(() => search(q), { title: what }, q)));
  $('examples').hidden = state.q !== $('q').value.trim();
}

// draw makes examples of one kind each, from different documents, and keeps those that
// find something.
async function draw(table, fields) {
  const find = (q, size, facets = {}) => ask(tablePath(table, 'search'), { method: 'POST', body: { q, size, facets, highlight: false } });
  const typed = (...types) => [...fields].filter(([, f]) => types.includes(f.type)).map(([name]) => name);
  const [keyword, amount] = [typed('keyword')[0], [...typed('number').filter((name) => !isKey(name)), ...typed('date')][0]];
  const { hits, facets } = await find('', 30, Object.fromEntries([keyword, amount].filter(Boolean).map((name) => [name, 12]))).catch(() => find('', 30));
  const texts = hits.map((h) => [h.title ?? '', ...Object.entries(h.fields ?? {}).filter(([name]) => fields.get(name)?.words).map(([, v]) => text(v))]);
  const [one, two] = [texts[Math.floor(texts.length / 3)], texts[Math.floor((2 * texts.length) / 3)]];
  const value = facets?.[keyword]?.find((c) => c.count > 1)?.value;
  const middle = facets?.[amount]?.[Math.floor(facets[amount].length / 2)];
  const examples = [
    { q: words(one).slice(0, 2).join(' '), what: 'both words' },
    { q: [two, ...texts].map(phrase).find(Boolean) ?? '', what: 'words next to each other' },
    { q: value ? `${keyword}:${quoted(value)}` : '', what: 'a value of a field' },
    { q: middle ? `${amount}:>=${(/>=(\S+)/.exec(middle.value)?.[1] ?? '').replace(/T.*/, '')}` : '', what: 'a number or date and all above it' },
    { q: beginning(words(one)), what: 'words that begin so' },
  ].filter((e) => e.q.trim() !== '' && !e.q.endsWith('>='));
  const totals = await Promise.all(examples.slice(0, most).map((e) => find(e.q, 0).then((a) => a.total, () => 0)));
  return examples.slice(0, most).map((e, i) => ({ ...e, what: `${e.what}: ${number(totals[i])} found`, total: totals[i] })).filter((e) => e.total > 0);
}

const quoted = (value) => (/[\s"():\\*~[\]<>=]/.test(value) ? `"${value.replace(/[\\"]/g, '\\$&')}"` : value);

// split returns the words of a text, also where no blanks are between them.
function split(value) {
  if (!Intl.Segmenter) return value.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(value)].filter((s) => s.isWordLike).map((s) => s.segment);
}

const telling = (word) => /^\p{L}+$/u.test(word) && (word.length >= 5 || /[^\p{ASCII}]/u.test(word));

// words returns the longest words of the texts of a document, each once, in lower case.
function words(texts = []) {
  const all = new Set(texts.flatMap((t) => split(t.slice(0, 400))).filter(telling).map((w) => w.toLowerCase()));
  return [...all].sort((a, b) => b.length - a.length).slice(0, 6);
}

// phrase returns the first two telling words of a text that stand next to each other.
function phrase(texts = []) {
  for (const t of texts.slice().sort((a, b) => b.length - a.length)) {
    const pair = /(\p{Ll}{4,}) (\p{Ll}{4,})/u.exec(t.slice(0, 400)) ?? /(\p{L}{4,}) (\p{L}{4,})/u.exec(t.slice(0, 400));
    if (pair) return `"${pair[1]} ${pair[2]}"`.toLowerCase();
  }
  return '';
}

const beginning = (list) => (list[0] ? `${list[0].slice(0, Math.max(4, Math.ceil(list[0].length / 2)))}*` : '');
