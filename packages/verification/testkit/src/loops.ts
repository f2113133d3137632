import type { ManualLoops } from "@disburse/chassis/loop.ts";

/** Runs a service's loops only when a test calls them. */
export function createManualLoops() {
  const loops: Parameters<ManualLoops["add"]>[0][] = [];
  const named = (name: string) => {
    const found = loops.filter((loop) => loop.name === name);
    if (found.length === 0) throw new Error(`the service has no loop named ${name}`);
    return found;
  };
  return {
    add: (loop) => void loops.push(loop),
    /** Runs all loops with this name until they have no more work. */
    run: async (name: string): Promise<void> => {
      for (const { run } of named(name)) while (await run());
    },
    /** Returns whether loops with this name were notified since the last call. */
    isNotified: (name: string): boolean => named(name).some(({ wake }) => wake?.take() ?? false),
  } satisfies ManualLoops & Record<string, unknown>;
}
