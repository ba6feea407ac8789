// The dashboard. It polls the JSON API every two seconds and keeps only the
// samples of lag since the page was opened.
import { ask, hasToken, keepToken } from './api.js';
import { $, el, setText, utc } from './dom.js';
import { followTables, startSearch } from './search.js';
import { openTable, showTables } from './tables.js';

const pollEvery = 2000; // milliseconds

function showStatus(status) {
  setText($('version'), status.version);
  setText($('ready'), status.ready ? 'ready' : 'not ready');
  $('ready').dataset.state = status.ready ? 'following' : 'loading';
  showLeader(status.leader);
  alarm([...leaderAlarms(status.leader), ...status.sources.flatMap(sourceAlarms)]);
  followTables(status.tables);
  showTables(status);
}

// showLeader shows whether this daemon leads, of those that share marks.
function showLeader(leader) {
  const shared = leader && leader.error === null && named(leader) !== '';
  let text = '';
  if (shared && leader.this) text = `leads since ${utc(leader.since)}, in term ${leader.term}`;
  else if (shared) text = `stands by: ${named(leader)} leads since ${utc(leader.since)}, in term ${leader.term}`;
  setText($('leader'), text);
}

const named = ({ host, address }) => (host && address ? `${host} (${address})` : host || address);

function leaderAlarms(leader) {
  if (!leader) return [];
  if (leader.error !== null) return [`Which daemon leads is not known: ${leader.error}`];
  const alarms = named(leader) === '' ? ['No daemon leads: nothing is indexed.'] : [];
  for (const d of leader.standbys) {
    if (d.unfit !== null) alarms.push(`The standby ${named(d)} does not lead: ${d.unfit}`);
    if (d.unreached !== null) alarms.push(`The standby ${named(d)} does not reach ${d.unreached}`);
  }
  return alarms;
}

function sourceAlarms(s) {
  const alarms = [];
  if (s.error !== null) alarms.push(`${s.source} does not answer: ${s.error}. What is indexed can still be searched.`);
  if (s.pinned_by !== null) {
    const { pid, user, application, age_s: age } = s.pinned_by;
    alarms.push(`${s.source}: session ${pid} of ${user} (${application}) has been open for ${Math.round(age)} s and holds the settled time back.`);
  }
  return alarms;
}

function alarm(texts) {
  const shown = [...$('alarms').children].map((e) => e.textContent);
  if (shown.join('\n') !== texts.join('\n')) $('alarms').replaceChildren(...texts.map((text) => el('li', {}, text)));
}

// login asks the user for a token. error is why the server rejected the request.
function login(error) {
  setText($('ready'), 'locked');
  $('ready').dataset.state = 'failing';
  alarm([]);
  $('login').hidden = false;
  $('board').hidden = true;
  setText($('refusal'), hasToken() ? error.message : '');
  $('token').focus();
}

$('login').addEventListener('submit', (event) => {
  event.preventDefault();
  keepToken($('token').value.trim());
  $('token').value = '';
  $('login').hidden = true;
  $('board').hidden = false;
  poll();
});

// poll shows the status and schedules the next poll. It requests nothing while the
// page is hidden, and stops while the user has to log in.
async function poll() {
  try {
    if (!document.hidden) showStatus(await ask('status'));
  } catch (e) {
    if (e.code === 'unauthorized' || e.code === 'forbidden') {
      login(e);
      return;
    }
    setText($('ready'), 'no answer');
    $('ready').dataset.state = 'failing';
    alarm([`indexerd does not answer: ${e.message}`]);
  }
  setTimeout(poll, pollEvery);
}

startSearch();
$('table').addEventListener('change', () => openTable($('table').value));
poll();
