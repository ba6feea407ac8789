// Polling that costs little: a hidden page asks nothing, and a server that answers slowly
// is asked less often.
const share = 20; // an answer that takes t is asked for again after 20 t at the earliest

// beat calls f now and then, and returns a function that calls it at once. f returns how many
// milliseconds to wait, null to stop until the next call.
export function beat(f) {
  let timer;
  let running = false;
  async function now() {
    clearTimeout(timer);
    if (document.hidden || running) return;
    running = true;
    const began = performance.now();
    const pause = await f();
    running = false;
    if (pause !== null) timer = setTimeout(now, Math.max(pause, share * (performance.now() - began)));
  }
  document.addEventListener('visibilitychange', now);
  return now;
}
