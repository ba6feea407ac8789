// Calls of the JSON API that docs/api.md describes.

// A APIError is an error that the API returns. Other errors mean no response.
export class APIError extends Error {
  constructor({ code, message, hint }) {
    super(hint ? `${message}: ${hint}` : message);
    this.code = code;
  }
}

// The token, if the server needs one. It is kept until the tab is closed.
const tokenKey = 'indexerd-token';
export const hasToken = () => sessionStorage.getItem(tokenKey) !== null;
export const keepToken = (token) => sessionStorage.setItem(tokenKey, token);

// ask calls the API. It fails after 15 s, so that a hanging request does not stop
// the polling.
export async function ask(path, { method = 'GET', body, signal } = {}) {
  const limit = AbortSignal.timeout(15000);
  const response = await fetch(`/api/v1/${path}`, {
    method,
    headers: hasToken() ? { Authorization: `Bearer ${sessionStorage.getItem(tokenKey)}` } : {},
    body: body && JSON.stringify(body),
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  const answer = await response.json();
  if (!response.ok) throw new APIError(answer.error ?? { code: 'internal', message: `status ${response.status}` });
  return answer;
}

export const tablePath = (table, rest) => `tables/${encodeURIComponent(table)}/${rest}`;
