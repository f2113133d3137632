/**
 * Preloaded in a service: shifts its clock by `FAULT_CLOCK_MS`, which may be negative. With
 * `FAULT_CLOCK_EVERY_MS`, the clock alternates between plus and minus this offset at that interval.
 * Durations (`performance.now`, timers) are unaffected.
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
