// Helpers that build the page. The dashboard never parses HTML: content of rows
// becomes text nodes, so that it can't become a script. The server's
// Content-Security-Policy enforces that.

export const $ = (id) => document.getElementById(id);

// el returns an element with attributes and children. Null children are skipped.
export function el(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children.filter((c) => c !== null));
  return e;
}

// setText sets a text if it differs. An unchanged text keeps its selection and the
// position of a screen reader.
export function setText(e, text) {
  if (e.textContent !== text) e.textContent = text;
}

// marked returns a highlight as nodes. The API returns escaped HTML with <mark>.
// Only <mark> becomes an element; any other tag stays text.
export function marked(highlight) {
  const entities = { '&lt;': '<', '&gt;': '>', '&#34;': '"', '&#39;': "'", '&amp;': '&' };
  const text = (s) => s.replace(/&(?:lt|gt|#34|#39|amp);/g, (e) => entities[e]);
  return highlight.split(/(<mark>.*?<\/mark>)/s).map((part) => {
    const inside = /^<mark>(.*)<\/mark>$/s.exec(part);
    return inside ? el('mark', {}, text(inside[1])) : text(part);
  });
}

// label returns a control within its label.
export const label = (control, ...texts) => el('label', {}, control, ...texts);

// button returns a button that calls f.
export function button(f, attributes, ...children) {
  const b = el('button', { type: 'button', ...attributes }, ...children);
  b.addEventListener('click', f);
  return b;
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
export const number = (n) => whole.format(n);

// bytes formats a size.
export function bytes(n) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let at = 0;
  for (; n >= 1000 && at < units.length - 1; at++) n /= 1000;
  return `${n >= 100 || at === 0 ? n.toFixed(0) : n.toFixed(1)} ${units[at]}`;
}

// duration formats milliseconds in a suitable unit.
export function duration(ms) {
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms === 0) return '0 s';
  if (ms < 1) return '<1 ms';
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${ms.toFixed(0)} ms`;
  const s = ms / 1000;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 120) return `${s.toFixed(0)} s`;
  if (s < 7200) return `${(s / 60).toFixed(0)} min`;
  if (s < 48 * 3600) return `${(s / 3600).toFixed(0)} h`;
  return `${(s / 86400).toFixed(0)} days`;
}

// when formats a time relative to now, the server's clock. The browser's clock may
// differ.
export function when(time, now) {
  if (time === null) return 'never';
  const ms = Date.parse(now) - Date.parse(time);
  if (Math.abs(ms) < 1000) return 'now';
  return ms > 0 ? `${duration(ms)} ago` : `in ${duration(-ms)}`;
}

export const utc = (time) => (time === null ? '' : time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC'));
