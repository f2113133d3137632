/**
 * Loaded before a service: its clock is `FAULT_CLOCK_MS` ahead of the machine's, or behind it; with
 * `FAULT_CLOCK_EVERY_MS` it jumps so often from as much ahead to as much behind and back. What
 * counts durations (`performance.now`, timers) goes on as it was.
 */
const offMs = Number(process.env.FAULT_CLOCK_MS ?? "0");
const everyMs = Number(process.env.FAULT_CLOCK_EVERY_MS ?? "Infinity");
const Real = Date;

function shiftedNow(): number {
  const isBehind = Math.floor(performance.now() / everyMs) % 2 === 1;
  return Real.now() + (isBehind ? -offMs : offMs);
}

class ShiftedDate extends Real {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(shiftedNow());
    else super(...(args as [number]));
  }

  static override now(): number {
    return shiftedNow();
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
