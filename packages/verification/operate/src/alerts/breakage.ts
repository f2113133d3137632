import type { World } from "./world.ts";

/** Mends what was broken. */
export type Mend = () => Promise<unknown> | unknown;

/** What makes one alert fire. */
export type Breakage = {
  readonly alert: string;
  /** What else fires by right: its cause shows in more than one place. */
  readonly companions?: readonly string[];
  readonly break: (world: World) => Promise<Mend>;
};

/** Repeats something, failures included, until it is ended. */
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
