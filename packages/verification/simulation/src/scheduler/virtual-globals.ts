import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";
import type { Random } from "@disburse/harness/random.ts";
import { currentInstance } from "./host.ts";

/** Counts how often simulated processes use non-deterministic sources. */
export type UseCounts = { clock: number; timers: number; chance: number };

/**
 * Replaces the clock, timers and random numbers of simulated processes by those of their scheduler,
 * until `restore` is called. Other code is unaffected.
 */
export function virtualGlobals(): { readonly uses: UseCounts; restore(): void } {
  const uses: UseCounts = { clock: 0, timers: 0, chance: 0 };
  const undo = [
    virtualDate(uses),
    virtualPerformance(uses),
    ...virtualTimers(uses),
    ...virtualChance(uses),
  ];
  syncBuiltinESMExports();
  return {
    uses,
    restore: () => {
      for (const each of undo) each();
      syncBuiltinESMExports();
    },
  };
}

/** Replaces a property of an object. Returns a function that restores the property. */
function replaced(holder: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(holder, name);
  Object.defineProperty(holder, name, { value, configurable: true, writable: true });
  return () => {
    if (before === undefined) Reflect.deleteProperty(holder, name);
    else Object.defineProperty(holder, name, before);
  };
}

function virtualDate(uses: UseCounts): () => void {
  const real = Date;
  const nowMs = (): number => {
    const instance = currentInstance();
    if (instance === undefined) return real.now();
    uses.clock += 1;
    return Math.floor(instance.clockMs());
  };
  const virtual = new Proxy(real, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [nowMs()] : given, newTarget),
    get: (target, name, receiver) => (name === "now" ? nowMs : Reflect.get(target, name, receiver)),
  });
  return replaced(globalThis, "Date", virtual);
}

function virtualPerformance(uses: UseCounts): () => void {
  const real = performance.now.bind(performance);
  return replaced(performance, "now", () => {
    const instance = currentInstance();
    if (instance === undefined) return real();
    uses.clock += 1;
    return instance.monotonicMs();
  });
}

function virtualTimers(uses: UseCounts): (() => void)[] {
  const real = {
    set: globalThis.setTimeout,
    clear: globalThis.clearTimeout,
    immediate: globalThis.setImmediate,
  };
  const realPause = timersPromises.setTimeout;
  const realYield = timersPromises.setImmediate;
  const set = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): unknown => {
    const instance = currentInstance();
    if (instance === undefined) return real.set(run, ms, ...given);
    uses.timers += 1;
    return instance.timer(ms, () => run(...given));
  };
  const clear = (timer: unknown): void => {
    if (isVirtual(timer)) timer.cancel();
    else real.clear(timer as NodeJS.Timeout);
  };
  const pause = (ms = 0, value?: unknown, options?: object): Promise<unknown> => {
    const instance = currentInstance();
    if (instance === undefined) return realPause(ms, value, options);
    uses.timers += 1;
    return new Promise((resolve) => void instance.timer(ms, () => resolve(value)));
  };
  const yieldTurn = (value?: unknown, options?: object): Promise<unknown> =>
    currentInstance() === undefined ? realYield(value, options) : pause(0, value);
  const immediate = (run: (...given: unknown[]) => void, ...given: unknown[]): unknown =>
    currentInstance() === undefined ? real.immediate(run, ...given) : set(run, 0, ...given);
  return [
    replaced(globalThis, "setTimeout", set),
    replaced(globalThis, "setImmediate", immediate),
    replaced(globalThis, "clearTimeout", clear),
    replaced(timersPromises, "setTimeout", pause),
    replaced(timersPromises, "setImmediate", yieldTurn),
  ];
}

function isVirtual(timer: unknown): timer is { cancel: () => void } {
  return typeof timer === "object" && timer !== null && "cancel" in timer;
}

function virtualChance(uses: UseCounts): (() => void)[] {
  const real = {
    fraction: Math.random,
    bytes: crypto.getRandomValues.bind(crypto),
    uuid: crypto.randomUUID.bind(crypto),
  };
  const seeded = (): Random | undefined => {
    const random = currentInstance()?.scheduler.random;
    if (random !== undefined) uses.chance += 1;
    return random;
  };
  const fill = <T extends Uint8Array>(array: T, random: Random): T => {
    for (let at = 0; at < array.length; at += 1) array[at] = random.below(256);
    return array;
  };
  return [
    replaced(Math, "random", () => seeded()?.fraction() ?? real.fraction()),
    replaced(crypto, "getRandomValues", (array: Uint8Array<ArrayBuffer>) => {
      const random = seeded();
      return random === undefined ? real.bytes(array) : fill(array, random);
    }),
    replaced(crypto, "randomUUID", () => {
      const random = seeded();
      return random === undefined ? real.uuid() : uuidOf(fill(new Uint8Array(16), random));
    }),
  ];
}

/** Formats random bytes as a version 4 UUID (RFC 9562). */
function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...parts, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-");
}
