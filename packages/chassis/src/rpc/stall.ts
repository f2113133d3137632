/** How often this thread notes that it runs. */
const beatMs = 100;
/** Callers take their calls elsewhere after about a second of silence; half of that is a stall. */
const stallMs = 500;
/** All that waited in the connections meanwhile has been read by then. */
const recoveryMs = 1_000;

let beatenMs = Number.NEGATIVE_INFINITY;
let recoveredMs = Number.NEGATIVE_INFINITY;
let timer: NodeJS.Timeout | undefined;

/** Notes from now on when this thread stands still: it was frozen, or blocked. */
export function watchForStalls(): void {
  if (timer !== undefined) return;
  beatenMs = performance.now();
  timer = setInterval(() => {
    const now = performance.now();
    if (now - beatenMs > stallMs) recoveredMs = now + recoveryMs;
    beatenMs = now;
  }, beatMs).unref();
}

/** Whether this thread stood still until just now. */
export function hasStalled(): boolean {
  const now = performance.now();
  return now - beatenMs > stallMs || now < recoveredMs;
}
