import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { silentLog } from "@disburse/chassis/log.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import { migrateServices } from "@disburse/standalone/migrations.ts";
import { startServices } from "@disburse/standalone/services.ts";

/**
 * A platform's services on this machine, in separate processes, in one other process, or in this
 * process.
 */
export type ServiceProcesses = ReturnType<typeof createServiceProcesses>;

/** Additions to a service's configuration for one start. */
export type StartExtras = {
  /** URL of a module to load before the service. */
  readonly preload: string;
  readonly environment: Environment;
};

/** This checkout. Another one has the sources of another version. */
export const thisCheckout = join(import.meta.dirname, "../../../..");
const oneProcess = join(import.meta.dirname, "one-process.ts");
/** Module that ends a service when this process has ended for any reason. */
const lifeline = pathToFileURL(join(thisCheckout, "scripts/lifeline.mjs"));
lifeline.searchParams.set("starter", String(process.pid));
/** The compile cache of this process, if it has one. */
const cached = getCompileCacheDir();
/** Node appends a folder for its version, so the child process gets the parent folder. */
const compileCache = cached === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cached) };
const startTimeoutMs = 180_000;
/** Time limit for stopping. Longer than any service needs. */
const stopTimeoutMs = 15_000;
const lastLines = 12;
/** Polling interval of a starting service. */
const askEveryMs = 50;

type Started = { readonly child: ChildProcess; readonly output: string[] };

/**
 * Creates the services' processes with the environments from `serviceEnvironments`. Limits the kept
 * logs, because a load would fill this process's memory.
 */
export function createServiceProcesses(
  environments: Readonly<Record<ServiceName, Environment>>,
  logChunksMax = Number.POSITIVE_INFINITY,
  checkout = thisCheckout,
) {
  /** The checkout whose sources start next. */
  let sources = checkout;
  const processes = new Map<ServiceName, Started>();
  const failures: string[] = [];
  const started = (service: ServiceName): Started => {
    const found = processes.get(service);
    if (found === undefined) throw new Error(`${service} was not started`);
    return found;
  };
  const mainOf = (service: ServiceName) => join(sources, "services", service, "src/main.ts");
  const start = async (service: ServiceName, extras?: StartExtras) => {
    const output = processes.get(service)?.output ?? [];
    const now = spawnProgram([mainOf(service)], environments[service], output, extras);
    now.child.stdout?.on("data", () => {
      if (output.length > logChunksMax) output.splice(0, output.length / 2);
    });
    processes.set(service, now);
    noteFailure(failures, service, now);
    await untilUp(service, environments[service], now);
  };
  const migrateApart = async (service: ServiceName) => {
    const output: string[] = [];
    const { child } = spawnProgram([mainOf(service), "migrate"], environments[service], output);
    await gone(child);
    if (child.exitCode !== 0) throw new Error(`${service} not migrated:\n${lastOf(output)}`);
  };
  const migrate = async () => {
    if (sources === thisCheckout) await migrateServices(environments, () => silentLog);
    else for (const service of serviceNames) await migrateApart(service);
  };
  const here = servicesHere(environments);
  return {
    /** Migrates every database. Required before starting a single service. */
    migrate,
    /** Later starts and migrations run another version's sources. */
    changeTo: (folder: string): void => {
      sources = folder;
    },
    /** Starts one service from its `main.ts` with its configuration. Waits until it responds. */
    start,
    startAll: async () => {
      await migrate();
      await Promise.all(serviceNames.map((service) => start(service)));
    },
    /**
     * Starts all services in this process. This is the fastest way, because their modules are
     * already loaded and compiled.
     */
    startHere: () => migrate().then(here.start),
    /** Starts all services in one other process. */
    startTogether: async (extras?: StartExtras) => {
      await migrate();
      const program = [oneProcess, JSON.stringify(environments)];
      const together = spawnProgram(program, {}, [], extras);
      noteFailure(failures, "the platform", together);
      for (const service of serviceNames) processes.set(service, together);
      await Promise.all(
        serviceNames.map((service) => untilUp(service, environments[service], together)),
      );
    },
    kill: async (service: ServiceName) => {
      const { child } = started(service);
      child.kill("SIGKILL");
      await gone(child);
    },
    end: (service: ServiceName) => end(started(service).child),
    /** Settles when a service's process has ended for any reason. */
    gone: (service: ServiceName) => gone(started(service).child),
    /** Sends SIGTERM to all services, then SIGKILL after the stop timeout. */
    stop: async () => {
      await here.stop();
      const children = new Set([...processes.values()].map(({ child }) => child));
      await Promise.all([...children].map(end));
    },
    pid: (service: ServiceName): number => started(service).child.pid ?? 0,
    /** Returns a service's output from all starts. */
    log: (service: ServiceName): string => {
      const output = processes.get(service)?.output ?? here.output;
      const lines = output.join("").split("\n");
      return lines.filter((line) => !isOfAnother(service, line)).join("\n");
    },
    /**
     * Returns the processes that ended unexpectedly since the last call, each with its last lines
     * of output.
     */
    takeFailures: () => failures.splice(0),
  };
}

function noteFailure(failures: string[], what: string, { child, output }: Started): void {
  child.once("close", (code, signal) => {
    // Faults send SIGKILL. After SIGTERM the exit code is 0, or there is none while Node starts. A
    // full heap ends a process by SIGABRT.
    if (code === 0 || signal === "SIGKILL" || signal === "SIGTERM") return;
    failures.push(`${what} ended with ${signal ?? `code ${code}`}:\n${lastOf(output)}`);
  });
}

function servicesHere(environments: Readonly<Record<ServiceName, Environment>>) {
  const output: string[] = [];
  const ends: (() => Promise<void>)[] = [];
  return {
    output,
    start: () =>
      startServices(environments, { logTo: { write: (line) => void output.push(line) } }, ends),
    stop: async () => {
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
    },
  };
}

function lastOf(output: readonly string[]): string {
  return output.join("").trimEnd().split("\n").slice(-lastLines).join("\n");
}

/**
 * Services in one process share its output. Lines that are not log lines count for all services.
 */
function isOfAnother(service: ServiceName, line: string): boolean {
  const writer = /"service":"([a-z]+)"/.exec(line)?.[1];
  return writer !== undefined && writer !== service;
}

function spawnProgram(
  program: readonly string[],
  environment: Environment,
  output: string[],
  extras?: StartExtras,
): Started {
  const preloads = [lifeline.href, ...(extras === undefined ? [] : [extras.preload])];
  const imports = preloads.flatMap((url) => ["--import", url]);
  const child = spawn(process.execPath, [...imports, ...program], {
    env: { ...compileCache, ...environment, ...extras?.environment },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  return { child, output };
}

async function untilUp(
  service: ServiceName,
  { HOST, ADMIN_PORT }: Environment,
  { child, output }: Started,
): Promise<void> {
  const giveUpAt = Date.now() + startTimeoutMs;
  for (;;) {
    const answered = await fetch(`http://${HOST}:${ADMIN_PORT}/startupz`).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) return;
    if (hasEnded(child) || Date.now() > giveUpAt) {
      throw new Error(`${service} did not start:\n${output.join("")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function gone(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) await once(child, "exit");
}

async function end(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
  await gone(child);
  clearTimeout(late);
}
