import type { Log } from "./log.ts";

/** What a service closes at shutdown, last opened first. */
export type Lifetime = ReturnType<typeof createLifetime>;

/** Collects what a service opens; a failure to close one part does not keep the others open. */
export function createLifetime(log: Log) {
  const ends: { name: string; end: () => Promise<void> | void }[] = [];
  return {
    add: (name: string, end: () => Promise<void> | void) => void ends.push({ name, end }),
    end: async () => {
      for (let next = ends.pop(); next !== undefined; next = ends.pop()) {
        try {
          await next.end();
        } catch (error) {
          log.error({ err: error, part: next.name }, "part did not close");
        }
      }
    },
  };
}
