import type { ManualLoops } from "@disburse/chassis/loop.ts";

/** The loops of a service, which run when a test says so. */
export function createManualLoops() {
  const loops: Parameters<ManualLoops["add"]>[0][] = [];
  const named = (name: string) => {
    const found = loops.filter((loop) => loop.name === name);
    if (found.length === 0) throw new Error(`there is no loop ${name}`);
    return found;
  };
  return {
    add: (loop) => void loops.push(loop),
    /** Runs the loops of a name until none has more to do. */
    run: async (name: string): Promise<void> => {
      for (const { run } of named(name)) while (await run());
    },
    /** Whether the loops of a name were notified since this was asked last. */
    isNotified: (name: string): boolean => named(name).some(({ wake }) => wake?.take() ?? false),
  } satisfies ManualLoops & Record<string, unknown>;
}
