import type { Hook } from "./hook.ts";

/** The bare loop that does what cannot be left out, and what it is asked. */
export type FloorCalls = {
  readonly post: {
    readonly job: {
      readonly run: string;
      readonly targets: readonly { readonly hook: Hook; readonly url: string }[];
      /** Posts under way at a time. */
      readonly concurrency: number;
      readonly seconds: number;
    };
    /** Posts that were answered with 200 in a second, and the process's own CPU time for each. */
    readonly reply: { readonly perSecond: number; readonly cpuUs: number };
  };
};
