import type { Bus } from "./bus/bus.ts";
import { createLog, type Log, type LogDestination } from "./log.ts";
import type { Environment } from "./settings.ts";

/** A service that runs: its address for other services, and its end. */
export type RunningService = {
  /** Where its RPCs are served. */
  readonly url: string;
  /** Where its public routes are served; the gateway's alone. */
  readonly publicUrl?: string;
  stop(): Promise<void>;
};

/** What `npm start` hands to services that share its process. */
export type Shared = {
  /** In place of the broker of `AMQP_URL`. */
  readonly bus?: Bus;
  /** Takes every service's lines, in place of standard output. */
  readonly logTo?: LogDestination;
};

/** A service's `main.ts` exports one of these. */
export type StartService = (environment: Environment, shared?: Shared) => Promise<RunningService>;

/** Things to end at shutdown, in reverse order of their making. */
export type Lifetime = {
  add(name: string, end: () => Promise<void> | void): void;
  end(): Promise<void>;
};

/** Collects what a service opens; a failure to close one thing does not keep the others open. */
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

/** The exit code of a process that could not start, or not stop in time. */
const failedCode = 1;
/** Running calls get 20 s and background work its last run; after this nothing is waited for. */
const stopTimeoutMs = 30_000;

/**
 * Runs a service as this process: starts it from the environment, ends it on SIGTERM or SIGINT, at
 * once on a second signal. A failure to start ends the process with the reason.
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
