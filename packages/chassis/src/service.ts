import type { Bus } from "./bus/bus.ts";
import { createLog, type Log, type LogDestination } from "./log.ts";
import type { Environment } from "./settings.ts";

/** A running service. */
export type RunningService = {
  /** Where its RPCs are served. */
  readonly url: string;
  /** Where its public routes are served; the gateway's alone. */
  readonly publicUrl?: string;
  stop(): Promise<void>;
};

/** What services in one process share (`npm start`). */
export type Shared = {
  /** In place of the broker at `AMQP_URL`. */
  readonly bus?: Bus;
  /** In place of standard output. */
  readonly logTo?: LogDestination;
};

/** A service's `main.ts` exports one of these. */
export type StartService = (environment: Environment, shared?: Shared) => Promise<RunningService>;

/** What a service closes at shutdown, last opened first. */
export type Lifetime = {
  add(name: string, end: () => Promise<void> | void): void;
  end(): Promise<void>;
};

/** Collects what a service opens; a failure to close one part does not keep the others open. */
export function createLifetime(log: Log): Lifetime {
  const ends: { name: string; end: () => Promise<void> | void }[] = [];
  return {
    add: (name, end) => void ends.push({ name, end }),
    end: async () => {
      for (let next = ends.pop(); next !== undefined; next = ends.pop()) {
        try {
          await next.end();
        } catch (error) {
          log.error({ err: error, part: next.name }, "part did not close");
        }
      }
    },
  };
}

/** The exit code of a process that did not start, or did not stop in time. */
const failedCode = 1;
/** Running calls get 20 s, background work its last run; after this the process exits. */
const stopTimeoutMs = 30_000;

/**
 * Runs a service as this process: starts it from the environment, stops it on SIGTERM or SIGINT,
 * at once on a second signal. A failure to start ends the process with its reason.
 */
export async function runService(name: string, start: StartService): Promise<void> {
  const log = createLog(name, process.env.LOG_LEVEL ?? "info");
  let service: RunningService;
  try {
    service = await start(process.env);
  } catch (error) {
    log.fatal({ err: error }, "service did not start");
    process.exit(failedCode);
  }
  log.info({ url: service.url, public_url: service.publicUrl }, "service ready");
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(failedCode);
    stopping = true;
    log.info({}, "service stopping");
    setTimeout(() => {
      log.error({}, "service did not stop in time");
      process.exit(failedCode);
    }, stopTimeoutMs).unref();
    void service.stop().then(() => process.exit(0));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}
