// Small charts in SVG: a line for polled values, stems for events. Points are
// {at, value}; at is in milliseconds.
import { duration, el, setText } from './dom.js';

const width = 300;
const height = 48;
const recentPoints = 150; // of a spark: five minutes of polls
const pad = 2; // half the stroke, so that the highest and lowest points are not clipped

function svg(name, attributes) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

// line and stems are the data of an SVG path.
const line = (points) => points.map(([x, y], i) => `${i ? 'L' : 'M'}${x} ${y}`).join('');
const stems = (points) => points.map(([x, y]) => `M${x} ${height - pad}V${y}`).join('');

// scale returns the coordinates of points. The axis begins at 0, so that small
// differences look small.
function scale(points, highest) {
  const from = points[0].at;
  const span = Math.max(points.at(-1).at - from, 1);
  return points.map(({ at, value }) => [
    (pad + ((at - from) / span) * (width - 2 * pad)).toFixed(1),
    (height - pad - (value / highest) * (height - 2 * pad)).toFixed(1),
  ]);
}

// spark returns a picture of a line without a text, and a function that draws points into it.
export function spark(title) {
  const path = svg('path', { 'vector-effect': 'non-scaling-stroke' });
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': title });
  picture.append(path);
  return {
    picture,
    draw(points) {
      const recent = points.slice(-recentPoints);
      if (recent.length < 2) return;
      path.setAttribute('d', line(scale(recent, recent.reduce((most, p) => Math.max(most, p.value), 1000))));
    },
  };
}

// chart returns a figure and a function that draws points, oldest first, into it.
export function chart(title, kind, format) {
  const value = el('span', { class: 'value' });
  const range = el('span', { class: 'quiet' });
  const path = svg('path', { class: kind, 'vector-effect': 'non-scaling-stroke' });
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img' });
  picture.append(path);
  const figure = el('figure', {}, el('figcaption', {}, title, value), picture, range);
  return {
    figure,
    draw(points) {
      figure.classList.toggle('empty', points.length === 0);
      if (points.length === 0) {
        path.removeAttribute('d');
        setText(value, '');
        setText(range, 'no data');
        return;
      }
      const highest = points.reduce((most, p) => Math.max(most, p.value), 0);
      const placed = scale(points, highest || 1);
      path.setAttribute('d', kind === 'line' ? line(placed) : stems(placed));
      setText(value, format(points.at(-1).value));
      const text = `highest ${format(highest)} in ${duration(points.at(-1).at - points[0].at)}`;
      setText(range, text);
      picture.setAttribute('aria-label', `${title}: now ${format(points.at(-1).value)}, ${text}`);
    },
  };
}
