// The panel of a table: its state, its passes and buttons that run them.
import { ask, said, tablePath } from './api.js';
import { chart, spark } from './chart.js';
import { $, bytes, duration, el, number, setText, utc, when } from './dom.js';

const keptSamples = 900; // samples of lag: half an hour of polls
const listEvery = 10000; // milliseconds between requests of the history
const followEvery = 300; // milliseconds between requests of a run

// panel returns the panel of a table, and a function that shows its state.
export function panel(table) {
  const root = $('panel').content.cloneNode(true).firstElementChild;
  const f = Object.fromEntries([...root.querySelectorAll('[data-f]')].map((e) => [e.dataset.f, e]));
  setText(f.table, table);
  const line = spark(`Lag of ${table}`);
  f.spark.append(line.picture);
  const charts = drawCharts(f.charts);
  const lists = keepLists(root, f, table, charts);
  for (const button of root.querySelectorAll('[data-run]')) {
    button.addEventListener('click', () => run(table, button, f.run).finally(lists.refresh));
  }
  const lag = [];
  let inside = () => {}; // shows what a folded panel does not
  root.addEventListener('toggle', () => inside());
  return {
    root,
    show(t, now) {
      lists.now = now;
      if (t.lag_s !== null) lag.push({ at: Date.parse(now), value: t.lag_s * 1000 });
      if (lag.length > keptSamples) lag.splice(0, 1);
      showState(f, t);
      line.draw(lag);
      inside = () => {
        if (!root.open) return;
        showFacts(f, t, now);
        for (const button of root.querySelectorAll('[data-run]')) button.hidden = !offered(t, button.dataset.run);
        showPasses(f.passes, t.passes, now);
        charts.lag.draw(lag);
      };
      inside();
      lists.due();
    },
  };
}

function showState(f, t) {
  setText(f.state, t.held && t.state === 'following' ? 'removals held' : t.state);
  f.state.dataset.state = t.state;
  setText(f.documents, t.opening ? '–' : number(t.documents));
  setText(f.lag, t.lag_s === null ? '–' : duration(t.lag_s * 1000));
  setText(f.aside, number(t.quarantined + t.partial));
  f.aside.classList.toggle('wrong', t.quarantined > 0);
  setText(f.disk, t.storage ? bytes(t.storage.index_bytes + t.storage.pages_bytes) : '–');
  f.load.hidden = t.load === null;
  if (t.load) {
    f.progress.max = Math.max(t.load.of, 1);
    f.progress.value = t.load.done;
    const percent = Math.floor((100 * t.load.done) / Math.max(t.load.of, 1));
    setText(f.loading, `${percent} %: ${number(t.load.done)} of ${number(t.load.of)} rows, ${number(t.load.rows_per_s)} rows/s, ${duration(t.load.eta_s * 1000)} left`);
    f.progress.setAttribute('aria-label', `${t.state} ${t.table}`);
  }
  const e = t.last_error;
  f.error.hidden = e === null;
  f.error.classList.toggle('past', t.state !== 'failing');
  if (e) setText(f.error, `Last error, ${e.pass}, ${utc(e.at)}: ${e.what}`);
}

const rows = (n) => (n === 1 ? '1 row' : `${number(n)} rows`);

function showFacts(f, t, now) {
  setText(f.settled, t.settled.at === null ? '–' : when(t.settled.at, now));
  setText(f.mode, t.settled.at === null ? '–' : t.settled.mode);
  f.settled.title = utc(t.settled.at);
  setText(f.sweep, t.marks.sweep === null ? 'never' : when(t.marks.sweep, now));
  setText(f.late, t.lateness_ms ? duration(t.lateness_ms.p99) : 'none');
  setText(f.quarantined, t.quarantined ? `${rows(t.quarantined)}${t.quarantined_hidden ? `, ${number(t.quarantined_hidden)} hidden` : ''}` : 'none');
  setText(f.partial, t.partial ? rows(t.partial) : 'none');
  setText(f.index, t.index ? `${t.index.engine}, ${t.index.health}` : t.storage ? bytes(t.storage.index_bytes) : '–');
  setText(f.pages, t.storage ? `${bytes(t.storage.pages_bytes)}${t.storage.garbage_bytes ? `, ${bytes(t.storage.garbage_bytes)} to be freed` : ''}` : '–');
  f.quarantined.classList.toggle('wrong', t.quarantined > 0);
  const notes = [t.settled.reason, t.settled.unverified ? 'unverified' : '', t.lateness_ms?.advice];
  setText(f.reason, notes.filter(Boolean).join('; '));
}

function showPasses(body, passes, now) {
  body.replaceChildren(...passes.flatMap((p) => [el('tr', {},
    el('td', {}, p.tier === null ? p.pass : `${p.pass} ${p.tier}`),
    el('td', { class: 'n', title: utc(p.last) }, when(p.last, now)),
    el('td', { class: 'n' }, p.last === null ? '' : duration(p.took_ms)),
    el('td', { class: 'n', title: utc(p.next) }, p.running ? 'running' : p.next === null ? '' : when(p.next, now))),
  ...(p.error === null ? [] : [el('tr', {}, el('td', { class: 'wrong text', colspan: 4 }, p.error))])]));
}

function drawCharts(into) {
  const charts = {
    lag: chart('Lag', 'line', duration),
    changes: chart('Changes a run', 'stems', number),
    late: chart('Max lateness', 'stems', duration),
    took: chart('Duration of passes', 'stems', duration),
  };
  into.append(...Object.values(charts).map((c) => c.figure));
  charts.drawRuns = (runs) => {
    const points = (value) => runs.map((r) => ({ at: Date.parse(r.started), value: value(r) })).reverse();
    charts.changes.draw(points((r) => r.added + r.updated + r.deleted));
    charts.late.draw(points((r) => r.late_max_ms));
    charts.took.draw(points((r) => r.took_ms));
  };
  charts.drawRuns([]);
  return charts;
}

// keepLists fetches the history, which the charts show too, and the quarantine
// while their panel is unfolded.
function keepLists(root, f, table, charts) {
  const [history, quarantine] = ['history', 'quarantine'].map((name) => root.querySelector(`[data-list=${name}]`));
  let last = 0;
  const lists = {
    now: '',
    due() {
      if (root.open && Date.now() - last >= listEvery) lists.refresh();
    },
    async refresh() {
      last = Date.now();
      try {
        const { runs } = await ask(tablePath(table, 'history?size=100'));
        charts.drawRuns(runs);
        if (history.open) f.history.replaceChildren(...runs.map((r) => historyRow(r, lists.now)));
        if (quarantine.open) {
          const { rows, next } = await ask(tablePath(table, 'quarantine?size=100'));
          f.quarantine.replaceChildren(...rows.map((r) => quarantineRow(r, lists.now)), ...(next ? [moreRow()] : []));
        }
      } catch {
        last = 0; // the status shows the error; try again with the next one
      }
    },
  };
  for (const d of [root, history, quarantine]) d.addEventListener('toggle', () => d.open && lists.now && lists.refresh());
  return lists;
}

function historyRow(r, now) {
  const n = (text) => el('td', { class: 'n' }, text);
  return el('tr', {}, n(r.run), el('td', {}, r.tier === null ? r.pass : `${r.pass} ${r.tier}`),
    el('td', { class: 'n', title: utc(r.started) }, when(r.started, now)), n(duration(r.took_ms)),
    n(number(r.compared)), n(number(r.added)), n(number(r.updated)), n(number(r.deleted)),
    n(r.late_max_ms ? duration(r.late_max_ms) : ''), el('td', { class: 'wrong text' }, r.error ?? ''));
}

const quarantineRow = (r, now) => el('tr', {}, el('td', {}, r.oid ?? '(unusable)'), el('td', {}, r.kind), el('td', { class: 'text' }, r.document ? `${r.reason} (last document ${r.document})` : r.reason),
  el('td', { class: 'n', title: utc(r.since) }, when(r.since, now)), el('td', { class: 'n' }, number(r.tries)));

const moreRow = () => el('tr', {}, el('td', { colspan: 5, class: 'quiet' }, 'more rows exist'));

// offered reports whether a table has a pass: without updated it is followed by comparison.
function offered(t, pass) {
  return pass === 'verify' || (pass === 'compare') === (t.followed_by === 'comparison');
}

// run starts a pass and shows its progress and outcome.
async function run(table, button, output) {
  const pass = button.dataset.run;
  button.disabled = true;
  output.classList.remove('wrong');
  setText(output, `${pass}: starting`);
  try {
    const started = pass === 'verify'
      ? await ask('verify', { method: 'POST', body: { tables: [table] } })
      : await ask(tablePath(table, `run/${pass}`), { method: 'POST' });
    const ended = await follow(started.run, (r) => setText(output, r.of ? `${pass}: ${number(r.done)} of ${number(r.of)}` : `${pass}: running`));
    const different = ended.result.equal === false;
    output.classList.toggle('wrong', different || ended.state !== 'done');
    setText(output, `${pass}: ${outcome(ended)}`);
  } catch (e) {
    output.classList.add('wrong');
    setText(output, `${pass}: ${e.code ? said(e) : e.message}`);
  } finally {
    button.disabled = false;
  }
}

async function follow(id, progress) {
  for (;;) {
    const r = await ask(`runs/${encodeURIComponent(id)}`);
    if (r.state !== 'running') return r;
    progress(r);
    await new Promise((wake) => { setTimeout(wake, followEvery); });
  }
}

// outcome formats the result of a run: the verdict of verify, the counts of a pass.
function outcome({ state, error, result }) {
  if (error !== null) return `${state}: ${error}`;
  if (result.tables) {
    const t = result.tables[0];
    return `${result.equal ? 'equal' : 'different'}: ${counts(t)}${t.error ? `: ${t.error}` : ''}`;
  }
  return `${state}: ${counts(result) || 'nothing to do'}`;
}

const counts = (o) => Object.entries(o).filter(([, n]) => typeof n === 'number' && n > 0)
  .map(([name, n]) => `${number(n)} ${name}`).join(', ');
