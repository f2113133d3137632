import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { FloorReady, FloorStart } from "./floor.ts";

/** The floor's process, and where it serves. */
export type FloorProcess = {
  readonly pid: number;
  readonly url: string;
  stop(): Promise<void>;
};

/** Starts the floor in a database of its own. */
export async function startFloor(start: FloorStart): Promise<FloorProcess> {
  const child = fork(join(import.meta.dirname, "floor.ts"), { execArgv: [] });
  const exited = once(child, "exit");
  child.send(start);
  const ready = once(child, "message") as Promise<[FloorReady]>;
  const [answer] = await Promise.race([ready, exited]);
  if (typeof answer !== "object") throw new Error("the floor did not start");
  return {
    pid: child.pid ?? 0,
    url: answer.url,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
