import type { KeyRecord } from "./rules/api-key.ts";

/** With a read's own time, a revocation is known everywhere within the 5 s of decisions §1. */
const freshMs = 4_000;
/** Unknown ids are remembered too; more of either than this and the oldest give way. */
const recordsMax = 10_000;

/** The keys that were read lately. */
export type KeyCache = ReturnType<typeof createKeyCache>;

type Entry = { readonly record: Promise<KeyRecord | undefined>; readonly readMs: number };

/**
 * Looks keys up by their id, at most once in 4 s for each. `nowMs` only goes forward: a clock that
 * is set back must not keep a revoked key alive.
 */
export function createKeyCache(
  load: (id: string) => Promise<KeyRecord | undefined>,
  nowMs: () => number = () => performance.now(),
) {
  const entries = new Map<string, Entry>();
  return {
    find: (id: string) => {
      const known = entries.get(id);
      if (known !== undefined && nowMs() - known.readMs < freshMs) return known.record;
      const entry = { record: load(id), readMs: nowMs() };
      entries.delete(id);
      entries.set(id, entry);
      entry.record.catch(() => entries.delete(id));
      const [oldest] = entries.keys();
      if (entries.size > recordsMax && oldest !== undefined) entries.delete(oldest);
      return entry.record;
    },
    /** Forgets a key that was changed here. */
    drop: (id: string) => void entries.delete(id),
  };
}
