// The dashboard. It polls the JSON API every two seconds and keeps only the
// samples of lag since the page was opened.
import { ask, hasToken, keepToken } from './api.js';
import { $, el, setText } from './dom.js';
import { followTables, startSearch } from './search.js';
import { openTable, showTables } from './tables.js';

const pollEvery = 2000; // milliseconds

function showStatus(status) {
  setText($('version'), status.version);
  setText($('ready'), status.ready ? 'ready' : 'not ready');
  $('ready').dataset.state = status.ready ? 'following' : 'loading';
  alarm(status.sources.flatMap(sourceAlarms));
  followTables(status.tables);
  showTables(status);
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
