import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export type Child = { readonly pid: number; readonly url: string; stop(): Promise<void> };

/** Forks a module of the bench and waits until it reports its URL. */
export async function startChild(module: string, job: unknown): Promise<Child> {
  const file = join(import.meta.dirname, "..", module);
  const child = fork(file, [JSON.stringify(job)], { execArgv: [] });
  const exited = once(child, "exit");
  const ended = exited.then(([code]) => {
    throw new Error(`${module} ended with exit code ${code}`);
  });
  const [url] = await Promise.race([once(child, "message"), ended]);
  ended.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    url: String(url),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/**
 * Runs in the child process. Starts the server that `serve` opens. The process ends when the bench
 * ends.
 */
export async function runChild<Job>(serve: (job: Job) => Promise<string>): Promise<void> {
  process.once("disconnect", () => process.exit());
  process.send?.(await serve(JSON.parse(process.argv[2] ?? "") as Job));
}
