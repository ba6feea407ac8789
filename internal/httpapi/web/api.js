// The JSON API, as CONTRACT has it.

// A Refusal is the API's error object: what went wrong and what to do.
export class Refusal extends Error {
  constructor({ code, message, hint }) {
    super(hint ? `${message}: ${hint}` : message);
    this.code = code;
  }
}

// The token of a server that wants one: typed once, kept as long as the tab.
const tokenKey = 'indexerd-token';
export const hasToken = () => sessionStorage.getItem(tokenKey) !== null;
export const keepToken = (token) => sessionStorage.setItem(tokenKey, token);

// ask calls the API. Whatever does not answer in time is given up, so that a
// poll that hangs never stops the ones after it.
export async function ask(path, { method = 'GET', body, signal } = {}) {
  const limit = AbortSignal.timeout(15000);
  const response = await fetch(`/api/v1/${path}`, {
    method,
    headers: hasToken() ? { Authorization: `Bearer ${sessionStorage.getItem(tokenKey)}` } : {},
    body: body && JSON.stringify(body),
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  const answer = await response.json();
  if (!response.ok) throw new Refusal(answer.error ?? { code: 'internal', message: `status ${response.status}` });
  return answer;
}

export const tablePath = (table, rest) => `tables/${encodeURIComponent(table)}/${rest}`;
