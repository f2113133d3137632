import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LoadJob, LoadReply, LoadResult } from "./load-protocol.ts";

/** The load generator as the bench holds it. */
export type LoadClient = {
  readonly pid: number;
  /** Has it do one job; throws what was wrong with an answer. One at a time. */
  run(job: LoadJob): Promise<LoadResult>;
  stop(): Promise<void>;
};

/** Starts the load generator as a process of its own. */
export function startLoadGenerator(): LoadClient {
  const child = fork(join(import.meta.dirname, "load-generator.ts"), { execArgv: [] });
  const gone = goneReply(child);
  return {
    pid: child.pid ?? 0,
    run: async (job) => {
      child.send(job);
      const reply = await Promise.race([replyOf(child), gone]);
      if ("failure" in reply) throw new Error(reply.failure);
      return reply.result;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function replyOf(child: ChildProcess): Promise<LoadReply> {
  const [reply] = (await once(child, "message")) as [LoadReply];
  return reply;
}

async function goneReply(child: ChildProcess): Promise<LoadReply> {
  await once(child, "exit");
  return { failure: "the load generator has gone" };
}
