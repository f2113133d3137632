import type { World } from "./world.ts";

export type Mend = () => Promise<unknown> | unknown;

export type Breakage = {
  readonly alert: string;
  /** Other alerts that may fire too, because the fault has several effects. */
  readonly companions?: readonly string[];
  readonly break: (world: World) => Promise<Mend>;
};

/** Repeats work, ignoring failures, until stopped. */
export function keepDoing(work: () => Promise<unknown>, pauseMs: number): Mend {
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      await work().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const running = run();
  return () => {
    isOver = true;
    return running;
  };
}
