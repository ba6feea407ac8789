// What is wrong, and what to do: for someone who was woken by it.
import { bytes, duration, number, utc } from './dom.js';

const lateAfter = 60; // seconds of lag that are worth a word
const waitsAfter = 60; // seconds that a table may take to open
const fullBelow = 0.05; // share of the disk that is free

// The levels, the worst last.
export const levels = ['fine', 'busy', 'note', 'warn', 'bad'];

// some writes a number of things with their verb.
const some = (n, one, many) => (n === 1 ? `1 ${one}` : `${number(n)} ${many}`);

// problems lists what needs attention, the worst first: {level, table, what, why, run}. what
// is wrong, why says what follows or what to do, and run is a command.
export function problems(status) {
  const all = [...leader(status), ...disk(status), ...status.sources.flatMap(source), ...status.tables.flatMap((t) => table(t, status))];
  return all.sort((a, b) => levels.indexOf(b.level) - levels.indexOf(a.level));
}

export const named = ({ host, address }) => (host && address ? `${host} (${address})` : host || address);

function leader({ leader: l }) {
  if (!l) return [];
  if (l.error !== null) return [{ level: 'bad', what: `Which daemon leads is not known: ${l.error}`, why: 'Searches go on. Nothing is indexed until etcd answers: start it, or repair the network between.' }];
  const found = named(l) === '' ? [{ level: 'bad', what: 'No daemon leads: nothing is indexed.', why: 'A standby that is fit takes over within seconds. If none does, start a daemon, or repair what is said below of the standbys.' }] : [];
  for (const d of l.standbys) {
    if (d.unfit !== null) found.push({ level: 'warn', what: `The standby ${named(d)} does not lead: ${d.unfit}`, why: 'Nothing takes over if the leader fails. Repair the standby and start it again.' });
    if (d.unreached !== null) found.push({ level: 'warn', what: `The standby ${named(d)} does not reach ${d.unreached}`, why: 'Nothing takes over if the leader fails. Repair the network between them.' });
  }
  return found;
}

function disk({ disk: d }) {
  if (!d || d.free_bytes > fullBelow * d.size_bytes) return [];
  return [{ level: 'bad', what: `The disk of the data directory has ${bytes(d.free_bytes)} left of ${bytes(d.size_bytes)}.`, why: 'A full disk stops indexing. Free some space, or move the data directory to a larger disk.' }];
}

function source(s) {
  const found = [];
  if (s.error !== null) {
    found.push({ level: 'bad', what: `${s.source} does not answer: ${s.error}.`, why: 'What is indexed can still be searched, and gets older. Start the database, or repair its address or login. indexerd tries again by itself.' });
  }
  if (s.pinned_by !== null) {
    const { pid, user, application, age_s: age } = s.pinned_by;
    found.push({ level: 'warn', what: `${s.source}: session ${pid} of ${user} (${application}) has been open for ${duration(age * 1000)} and holds the settled time back.`, why: 'Changes are still indexed. If nobody needs the session, end it:', run: s.driver === 'postgres' ? `SELECT pg_terminate_backend(${pid})` : undefined });
  }
  return found;
}

// table lists what is wrong with a table.
export function table(t, status) {
  const found = [];
  const add = (level, what, why, run) => found.push({ level, table: t.table, what: `${t.table}: ${what}`, why, run });
  if (t.state === 'failing') failing(t, status, add);
  if (t.held) add('bad', `${some(t.held.removals, 'removal', 'removals')} of ${number(t.held.of)} documents ${t.held.removals === 1 ? 'is' : 'are'} held since ${utc(t.held.since)}.`, 'Rows are gone from the database that the index still has. If that was on purpose, allow it; if not, restore the rows:', t.held.do);
  if (t.quarantined_hidden) add('warn', `the groups of ${some(t.quarantined_hidden, 'row', 'rows')} can't be read, so only admins find what is indexed of ${t.quarantined_hidden === 1 ? 'it' : 'them'}.`, 'Repair the rows, or the SQL of the groups.');
  if (t.quarantined) add('warn', `${some(t.quarantined, "row is in quarantine: it can't become a document", "rows are in quarantine: they can't become documents")}.`, 'All other rows are indexed. The reasons are below, under “Quarantine”. Each sweep tries them again.');
  if (t.index && t.index.health === 'red') add('bad', `the index in ${t.index.engine} is red.`, 'Some of it can\'t be searched. Repair the cluster.');
  if (t.index && t.index.health === 'yellow') add('note', `the index in ${t.index.engine} is yellow: it has no copy on another node.`, 'Searches are complete.');
  if (t.lag_s !== null && t.lag_s > lateAfter && t.state === 'following') add('warn', `the index is ${duration(t.lag_s * 1000)} behind the database.`, 'Passes take longer than changes come, or the database is slow. The charts below show which pass.');
  if (t.opening && Date.parse(status.now) - Date.parse(t.opening.since) > waitsAfter * 1000) add('warn', `waits for ${t.opening.waits_for} since ${utc(t.opening.since)}.`, 'The table can\'t be searched until it answers.');
  else if (t.opening) add('busy', `is being opened, and waits for ${t.opening.waits_for}.`, 'Usually a matter of seconds.');
  if (t.load) add('busy', `${t.state === 'reindexing' ? 'is being indexed again' : 'is being loaded'}.`, t.state === 'reindexing' ? 'Searches go on.' : 'It can be searched when that has ended.');
  else if (t.state === 'loading') add('busy', 'waits to be loaded.', 'It can be searched when that has ended.');
  if (t.partial) add('note', `${some(t.partial, 'document lacks', 'documents lack')} values that do not fit their fields.`, 'They are found by the rest. The reasons are below, under “Quarantine”.');
  if (t.out_of_range) add('note', `${some(t.out_of_range, 'row has', 'rows have')} a time that can't be right in the updated column.`, 'Their changes are found by the sweep only.');
  if (t.settled.unverified && t.state === 'following') add('note', 'is not verified since the last start or change.', 'The next sweep compares every row, and ends that.');
  return found;
}

function failing(t, status, add) {
  const e = t.last_error;
  const next = t.passes.filter((p) => p.error !== null && p.next !== null).map((p) => p.next).sort()[0];
  const again = next ? `It is tried again ${Date.parse(next) > Date.parse(status.now) ? `in ${duration(Date.parse(next) - Date.parse(status.now))}` : 'now'}.` : 'It is tried again by itself.';
  const gone = status.sources.some((s) => s.source === t.source && s.error !== null);
  add('bad', e ? `${e.pass} fails: ${e.what}` : 'a pass fails.', gone ? `It follows from the database that does not answer. ${again}` : `What is indexed can be searched, and gets older. Do what the error says. ${again}`);
}

// levelOf returns the worst level of a table.
export function levelOf(t, status) {
  return table(t, status).reduce((worst, p) => (levels.indexOf(p.level) > levels.indexOf(worst) ? p.level : worst), 'fine');
}
