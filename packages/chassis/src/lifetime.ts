import type { Log } from "./log.ts";

/** Closes resources at shutdown in the reverse order of opening. */
export type Lifetime = ReturnType<typeof createLifetime>;

/** Collects resources to close. If one fails to close, the others are still closed. */
export function createLifetime(log: Log) {
  const ends: { name: string; end: () => Promise<void> | void }[] = [];
  return {
    add: (name: string, end: () => Promise<void> | void) => void ends.push({ name, end }),
    end: async () => {
      for (let next = ends.pop(); next !== undefined; next = ends.pop()) {
        try {
          await next.end();
        } catch (error) {
          log.error({ err: error, part: next.name }, "a part of the service could not be closed");
        }
      }
    },
  };
}
