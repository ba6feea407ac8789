// What runs the daemon, from its status: what is wrong first, then figures, then the
// tables, the worst first.
import { $, bytes, duration, el, number, setText, utc } from './dom.js';
import { panel } from './panel.js';
import { levelOf, levels, named, problems } from './problems.js';

const panels = new Map(); // by table
let opened = false; // a panel was unfolded for the first status

// showStatus shows a status. wanted is the table of the address, which is unfolded.
export function showStatus(status, wanted) {
  showProblems(problems(status), status);
  showFigures(status);
  const order = status.tables.map((t) => ({ t, level: levels.indexOf(levelOf(t, status)) }))
    .sort((a, b) => b.level - a.level);
  for (const name of [...panels.keys()].filter((n) => !status.tables.some((t) => t.table === n))) {
    panels.get(name).root.remove();
    panels.delete(name);
  }
  order.forEach(({ t, level }, i) => {
    if (!panels.has(t.table)) panels.set(t.table, panel(t.table));
    const p = panels.get(t.table);
    if ($('tables').children[i] !== p.root) $('tables').insertBefore(p.root, $('tables').children[i] ?? null);
    p.root.dataset.level = levels[level];
    if (!opened && (wanted ? t.table === wanted : i === 0)) p.root.open = true;
    p.show(t, status.now);
  });
  opened = opened || order.length > 0;
}

// showProblems lists what needs attention. An unchanged list keeps its selection and the
// position of a screen reader.
function showProblems(found, status) {
  const urgent = found.filter((p) => p.level === 'bad' || p.level === 'warn').length;
  const busy = found.some((p) => p.level === 'busy');
  const worst = found[0]?.level ?? 'fine';
  $('verdict').dataset.level = urgent ? worst : busy ? 'busy' : 'fine';
  const things = urgent === 1 ? 'One thing needs attention' : `${urgent} things need attention`;
  setText($('sentence'), urgent ? things : status.tables.length === 0 ? 'No table is configured' : busy ? 'Nothing is wrong, and something is under way' : 'Everything is in order');
  const list = found.filter((p) => p.level !== 'busy' || urgent === 0);
  const key = JSON.stringify(list.map((p) => [p.level, p.what.replace(/\d+(\.\d+)? (ms|s|min)/g, ''), p.run]));
  if ($('problems').dataset.key === key && list.length) {
    list.forEach((p, i) => {
      const item = $('problems').children[i];
      setText(item.querySelector('.what'), p.what);
      setText(item.querySelector('.why'), p.why);
    });
    return;
  }
  $('problems').dataset.key = key;
  $('problems').replaceChildren(...list.map((p) => el('li', { 'data-level': p.level },
    el('p', { class: 'what' }, p.what), el('p', { class: 'why quiet' }, p.why), p.run ? el('code', {}, p.run) : null)));
}

function showFigures(status) {
  const sum = (value) => status.tables.reduce((all, t) => all + (value(t) ?? 0), 0);
  const late = status.tables.filter((t) => t.lag_s !== null).sort((a, b) => b.lag_s - a.lag_s)[0];
  const aside = sum((t) => t.quarantined);
  const partial = sum((t) => t.partial);
  const disk = sum((t) => t.storage && t.storage.index_bytes + t.storage.pages_bytes);
  const tables = status.tables.filter((t) => t.state === 'following').length;
  const figures = [
    ['Documents', number(sum((t) => t.documents)), `${number(tables)} of ${number(status.tables.length)} tables follow their database`],
    ['Greatest lag', late ? duration(late.lag_s * 1000) : '–', late ? `of ${late.table}` : 'no table is followed yet'],
    ['Set aside', number(aside + partial), aside + partial ? `${number(aside)} in quarantine, ${number(partial)} without some values` : 'no row is in quarantine'],
    ['On disk', bytes(disk), status.disk ? `${bytes(status.disk.free_bytes)} of ${bytes(status.disk.size_bytes)} are free` : ''],
    ['Databases', `${status.sources.filter((s) => s.connected).length} of ${status.sources.length}`, 'are connected'],
    ['Leader', ...leader(status.leader)],
    ['Version', status.version, status.started ? `runs for ${duration(Date.parse(status.now) - Date.parse(status.started))}` : ''],
  ];
  if ($('figures').children.length !== figures.length) {
    $('figures').replaceChildren(...figures.map(([name]) => el('div', {}, el('dt', {}, name), el('dd', {}), el('dd', { class: 'quiet' }))));
  }
  figures.forEach(([, value, note], i) => {
    const [, main, more] = $('figures').children[i].children;
    setText(main, value);
    setText(more, note);
  });
}

// leader describes which daemon leads, of those that share marks.
function leader(l) {
  if (!l) return ['–', 'this daemon runs alone'];
  if (l.error !== null || named(l) === '') return ['none', l.error === null ? 'no daemon leads' : 'etcd does not say'];
  const standbys = l.standbys.length === 1 ? '1 standby' : `${l.standbys.length} standbys`;
  return [l.this ? 'this one' : named(l), `since ${utc(l.since)}, term ${l.term}, ${standbys}`];
}
