// Ranges of numbers and dates: a histogram to draw over, and two boxes for the ends.
import { button, el, label, number } from './dom.js';

// parse reads a range as a filter has it, ">=a <b" or "[a TO b]": its ends, "" for none.
export function parse(value = '') {
  const brackets = /^\[(\S+) TO (\S+)\]$/.exec(value);
  if (brackets) return { from: brackets[1] === '*' ? '' : brackets[1], to: brackets[2] === '*' ? '' : brackets[2], within: true };
  return { from: />=?\s*(\S+)/.exec(value)?.[1] ?? '', to: /<=?\s*(\S+)/.exec(value)?.[1] ?? '', within: value.includes('<=') };
}

// filterText is a value of a filter as a person reads it: of a number or date it may be a range.
export function filterText(value, type) {
  if (!['number', 'date'].includes(type) || !/^[<>[]/.test(value)) return value;
  const { from, to, within } = parse(value);
  if (from && to) return within ? `${from} to ${to}` : `${from} to below ${to}`;
  return from ? `from ${from}` : `${within ? 'up to' : 'below'} ${to}`;
}

const ends = (count) => parse(count.value);

let pressed = null; // field and interval where a range begins: the picture may be drawn again before its end

// histogram returns the elements of a facet of intervals. choose sets the range to what a
// function makes of the one in use, "" for all.
export function histogram({ name, type, counts, chosen }, choose) {
  const range = parse(chosen);
  return [bars(name, type, counts, range, choose), boxes(name, type, counts, range, choose)];
}

// at returns a value of an end as a number that compares.
const at = (text, type) => (type === 'date' ? Date.parse(text) : Number(text));

// bars is the picture. A press begins a range and a release ends it; a second press on the
// same bar removes it. The boxes are for those who don't draw.
function bars(name, type, counts, range, choose) {
  const highest = Math.max(1, ...counts.map((c) => c.count));
  const inside = (c) => (!range.from || at(ends(c).from, type) >= at(range.from, type)) && (!range.to || at(ends(c).to, type) <= at(range.to, type) + (range.within ? (type === 'date' ? 864e5 : 1) : 0));
  const all = counts.map((c) => {
    const bar = el('span', { class: 'bar', title: `${ends(c).from} to below ${ends(c).to}: ${number(c.count)}` }, el('i'));
    bar.firstChild.style.height = `${c.count ? Math.max(4, (100 * c.count) / highest) : 0}%`;
    bar.classList.toggle('out', !inside(c));
    return bar;
  });
  const barOf = (event) => all.indexOf(event.target.closest('.bar'));
  const first = () => counts.findIndex((c) => pressed?.name === name && c.value === pressed.value);
  const box = el('div', { class: 'bars', 'aria-hidden': 'true' }, ...all);
  box.addEventListener('pointerdown', (event) => {
    pressed = { name, value: counts[barOf(event)]?.value };
    event.preventDefault();
  });
  box.addEventListener('pointermove', (event) => {
    const [from, now] = [first(), barOf(event)];
    if (from < 0 || now < 0 || !event.buttons) return;
    all.forEach((bar, i) => bar.classList.toggle('out', i < Math.min(from, now) || i > Math.max(from, now)));
  });
  box.addEventListener('pointerup', (event) => {
    const [from, last] = [first(), barOf(event)];
    pressed = null;
    if (from < 0 || last < 0) return;
    const value = `>=${ends(counts[Math.min(from, last)]).from} <${ends(counts[Math.max(from, last)]).to}`;
    choose((now) => (now === value ? '' : value));
  });
  return box;
}

// boxes are the ends of the range as text. The upper end is included, unless a < stands
// before it.
function boxes(name, type, counts, range, choose) {
  const box = (which, value, hint) => {
    const input = el('input', { inputmode: type === 'number' ? 'decimal' : 'text', autocomplete: 'off', spellcheck: 'false', 'aria-label': `${name} ${which}`, 'data-key': `${name} ${which}`, placeholder: hint });
    input.value = value;
    return input;
  };
  const last = counts.length ? ends(counts.at(-1)) : { from: '', to: '' };
  const from = box('from', range.from, counts.length ? ends(counts[0]).from : '');
  const to = box('to', range.to && !range.within ? `<${range.to}` : range.to, type === 'date' ? last.from : last.to);
  const entered = () => {
    const [low, high] = [from.value.trim(), to.value.trim()];
    const below = /^<(?!=)/.test(high);
    const value = high.replace(/^<=?\s*/, '');
    if (low && value) return below ? `>=${low} <${value}` : `[${low} TO ${value}]`;
    return low ? `>=${low}` : value ? `${below ? '<' : '<='}${value}` : '';
  };
  for (const input of [from, to]) input.addEventListener('change', () => choose(entered)); // Enter is a change too
  const clear = range.from || range.to ? button(() => choose(() => ''), { class: 'plain', 'aria-label': `Remove the range of ${name}` }, '×') : null;
  return el('div', { class: 'ends' }, label(from), el('span', { class: 'quiet' }, 'to'), label(to), clear);
}
