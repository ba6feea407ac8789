// Small words for building the page. Nothing here, or anywhere else in the
// dashboard, parses HTML: what rows say becomes text nodes, so that it can't
// become a script. The server's Content-Security-Policy holds us to it.

export const $ = (id) => document.getElementById(id);

// el makes an element with attributes and children; null children are left out.
export function el(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children.filter((c) => c !== null));
  return e;
}

// setText leaves a text that is the same alone, so that a selection in it and a
// reader's place survive the next poll.
export function setText(e, text) {
  if (e.textContent !== text) e.textContent = text;
}

// marked is a highlight as nodes. The API returns escaped HTML with <mark>;
// only <mark> is taken as an element, and only what the server escapes is
// unescaped. Whatever else looks like a tag stays text.
export function marked(highlight) {
  const entities = { '&lt;': '<', '&gt;': '>', '&#34;': '"', '&#39;': "'", '&amp;': '&' };
  const text = (s) => s.replace(/&(?:lt|gt|#34|#39|amp);/g, (e) => entities[e]);
  return highlight.split(/(<mark>.*?<\/mark>)/s).map((part) => {
    const inside = /^<mark>(.*)<\/mark>$/s.exec(part);
    return inside ? el('mark', {}, text(inside[1])) : text(part);
  });
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
export const number = (n) => whole.format(n);

// duration of milliseconds in the unit that a reader would choose.
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

// when says how far a time is from the server's now; the clock of the browser
// may be another.
export function when(time, now) {
  if (time === null) return 'never';
  const ms = Date.parse(now) - Date.parse(time);
  if (Math.abs(ms) < 1000) return 'now';
  return ms > 0 ? `${duration(ms)} ago` : `in ${duration(-ms)}`;
}

export const utc = (time) => (time === null ? '' : time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC'));
