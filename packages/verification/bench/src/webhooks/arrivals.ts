import { type Child, startChild } from "./child.ts";
import type { Receipts, ReceiverCalls, ReceiverNews } from "./receiver-calls.ts";

/** The receivers' process, and what has come there. */
export type Arrivals = {
  readonly pid: number;
  readonly urls: readonly string[];
  readonly deadUrl: string;
  /** Different events of a run that have come, as of a moment ago. */
  count(run: string): number;
  /** Waits until so many have come; answers whether they have in time. */
  untilCame(run: string, count: number, timeoutMs: number): Promise<boolean>;
  receipts(run: string): Promise<Receipts>;
  /** Calls this whenever there is news, until what it answers is called. */
  onNews(listener: () => void): () => void;
  stop(): Promise<void>;
};

/** Starts so many receivers that answer, and one that never does. */
export async function startArrivals(receivers: number): Promise<Arrivals> {
  const child: Child<ReceiverCalls, ReceiverNews> = startChild("receiver-process.ts");
  let counts: ReceiverNews = {};
  const listeners = new Set<() => void>();
  child.onNews((news) => {
    counts = news;
    for (const listener of listeners) listener();
  });
  const count = (run: string): number => counts[run] ?? 0;
  return {
    pid: child.pid,
    ...(await child.call("listen", { receivers })),
    count,
    untilCame: (run, wanted, timeoutMs) =>
      new Promise((resolve) => {
        const end = (came: boolean) => {
          clearTimeout(late);
          listeners.delete(check);
          resolve(came);
        };
        const check = () => {
          if (count(run) >= wanted) end(true);
        };
        const late = setTimeout(end, timeoutMs, false);
        listeners.add(check);
        check();
      }),
    receipts: (run) => child.call("receipts", { run }),
    onNews: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: child.stop,
  };
}
