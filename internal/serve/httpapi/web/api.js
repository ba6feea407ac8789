// Calls of the JSON API that docs/api.md describes.

// An APIError is an error that the API returns. Other errors mean no response.
export class APIError extends Error {
  constructor(status, { code, message, hint }) {
    super(message);
    Object.assign(this, { status, code, hint });
  }
}

// said returns an error in a sentence.
export const said = (e) => (e.hint ? `${e.message}: ${e.hint}` : e.message);

// The token, if the server needs one. It is kept until the tab is closed.
const tokenKey = 'indexerd-token';
export const hasToken = () => sessionStorage.getItem(tokenKey) !== null;
export const keepToken = (token) => sessionStorage.setItem(tokenKey, token);
export const dropToken = () => sessionStorage.removeItem(tokenKey);

// get requests a path. It fails after 15 s, so that a hanging request does not stop the
// polling.
async function get(path, { method = 'GET', body, signal } = {}) {
  const limit = AbortSignal.timeout(15000);
  const response = await fetch(path, {
    method,
    headers: hasToken() ? { Authorization: `Bearer ${sessionStorage.getItem(tokenKey)}` } : {},
    body: body && JSON.stringify(body),
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  return [response, await response.json()];
}

// ask calls the API.
export async function ask(path, options) {
  const [response, answer] = await get(`/api/v1/${path}`, options);
  if (!response.ok) throw new APIError(response.status, answer.error ?? { code: 'internal', message: `the server answered with status ${response.status}` });
  return answer;
}

// readiness returns the tables that are not ready, a line for each.
export async function readiness() {
  const [, answer] = await get('/readyz');
  return answer.waiting;
}

export const tablePath = (table, rest) => `tables/${encodeURIComponent(table)}/${rest}`;
