import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

type Watcher = { readonly log: Log; readonly count: () => void };

/** The services that run in this process. */
const watchers = new Set<Watcher>();

/**
 * Use in the `catch` of a promise that is not awaited and should never reject. Logs and counts the
 * rejection as an unhandled one. Outside a service it throws the reason again.
 */
export function reportRejection(reason: unknown): void {
  const [first] = watchers;
  if (first === undefined) throw reason;
  first.log.error({ err: reason }, "unhandled promise rejection");
  for (const { count } of watchers) count();
}

/**
 * Keeps this process running after an unhandled rejection. Logs the rejection and counts it in
 * `disburse_unhandled_rejections_total`. An uncaught exception still ends the process.
 */
export function watchRejections(log: Log, metrics: Pick<Metrics, "counter">): () => void {
  const rejections = metrics.counter(
    "disburse_unhandled_rejections_total",
    "Unhandled promise rejections, which are bugs.",
    [],
  );
  // Prometheus counts increases from the first sample, so the counter starts at zero.
  rejections.inc(0);
  const watcher: Watcher = { log, count: () => rejections.inc() };
  if (watchers.size === 0) process.on("unhandledRejection", reportRejection);
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
    if (watchers.size === 0) process.off("unhandledRejection", reportRejection);
  };
}
