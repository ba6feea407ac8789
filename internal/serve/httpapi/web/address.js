// What the page shows, as its address. The names are those of the parameters of a search
// by GET, so that a link can be written by hand:
//   /?q=drama&table=film&filter=rating:PG&filter=year:>=2005 <2010&sort=-year&match=most&fresh=true
//   /?view=operations&table=film

// read returns the state of the address. Filters are lists of values by field.
export function read() {
  const p = new URLSearchParams(location.search);
  const filters = new Map();
  for (const pair of p.getAll('filter')) {
    const at = pair.indexOf(':');
    if (at < 1) continue;
    const field = pair.slice(0, at);
    filters.set(field, [...(filters.get(field) ?? []), pair.slice(at + 1)]);
  }
  return {
    view: p.get('view') === 'operations' ? 'operations' : 'search',
    table: p.get('table') ?? '',
    q: p.get('q') ?? '',
    filters,
    sort: p.get('sort') ?? '',
    match: ['most', 'any'].includes(p.get('match')) ? p.get('match') : 'all',
    fresh: p.get('fresh') === 'true',
  };
}

// of returns the address of a state.
export function of(state) {
  const p = new URLSearchParams();
  const put = (name, value) => value && p.append(name, value);
  if (state.view === 'operations') put('view', 'operations');
  put('q', state.q);
  put('table', state.table);
  for (const [field, values] of state.filters) for (const value of values) put('filter', `${field}:${value}`);
  put('sort', state.sort);
  if (state.match !== 'all') put('match', state.match);
  if (state.fresh) put('fresh', 'true');
  const text = p.toString().replace(/%3A/g, ':').replace(/%2C/g, ',').replace(/%2A/g, '*');
  return text ? `/?${text}` : '/';
}

// What is typed changes the address of one entry of the history, and not one for each
// letter: back leads to the search before.
let typed = false; // the entry is one that is being typed

// keep puts a state into the address. typing: it is not finished.
export function keep(state, typing = false) {
  const to = of(state);
  if (to !== location.pathname + location.search) {
    if (typed) history.replaceState(null, '', to);
    else history.pushState(null, '', to);
  }
  typed = typing;
}

// follow calls back with the state when the user goes back or forward.
export function follow(back) {
  addEventListener('popstate', () => {
    typed = false;
    back(read());
  });
}
