import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** What a forked process does for the bench, by name. */
type Calls = Readonly<Record<string, (job: never) => unknown>>;

/** Messages between the bench and what it forks. */
type Request = { readonly id: number; readonly name: string; readonly job: unknown };
type Answer = { readonly id: number } & (
  | { readonly reply: unknown }
  | { readonly failure: string }
);

/** A forked process as the bench holds it. */
export type Child<C extends Calls> = {
  readonly pid: number;
  /** Makes a call; rejects with what went wrong there, or when the process has gone. */
  call<K extends keyof C & string>(
    name: K,
    job: Parameters<C[K]>[0],
  ): Promise<Awaited<ReturnType<C[K]>>>;
  stop(): Promise<void>;
};

/** Forks a module of the bench that serves calls. */
export function startChild<C extends Calls>(module: string): Child<C> {
  const file = join(import.meta.dirname, "..", module);
  const child = fork(file, { execArgv: [], serialization: "advanced" });
  const exited = once(child, "exit");
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  child.on("message", (message: Answer) => {
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if ("failure" in message) call?.reject(new Error(`${module}: ${message.failure}`));
    else call?.resolve(message.reply);
  });
  child.once("exit", () => {
    for (const call of waiting.values()) call.reject(new Error(`${module} has gone`));
  });
  return {
    pid: child.pid ?? 0,
    call: (name, job) => {
      const id = ++calls;
      // biome-ignore lint/suspicious/noExplicitAny: the name says what the answer is.
      const call = Promise.withResolvers<any>();
      waiting.set(id, call);
      child.send({ id, name, job } satisfies Request);
      return call.promise;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** The other side: answers the bench's calls, and ends with it. */
export function serveCalls(handlers: Calls): void {
  const answer = async ({ id, name, job }: Request): Promise<Answer> => {
    try {
      return { id, reply: await handlers[name]?.(job as never) };
    } catch (error) {
      return { id, failure: String(error) };
    }
  };
  process.on("message", (request: Request) => {
    void answer(request).then((reply) => process.send?.(reply));
  });
  process.once("disconnect", () => process.exit());
}
