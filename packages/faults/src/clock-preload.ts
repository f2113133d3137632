/**
 * Loaded before a service: its clock is `FAULT_CLOCK_MS` ahead of the machine's, or behind it.
 * What counts durations (`performance.now`, timers) goes on as it was.
 */
const aheadMs = Number(process.env.FAULT_CLOCK_MS ?? "0");
const Real = Date;

class ShiftedDate extends Real {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(Real.now() + aheadMs);
    else super(...(args as [number]));
  }

  static override now(): number {
    return Real.now() + aheadMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
