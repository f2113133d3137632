import { createClient } from "@connectrpc/connect";
import type { Column } from "@disburse/commands/table/command.ts";
import { StatusService } from "@disburse/contracts/disburse/status/v1/status_pb.ts";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "@disburse/contracts/health/v1/health_pb.ts";
import { CommandError, failureOf } from "../output/failure.ts";
import { type Identity, identityOf } from "../session/identity.ts";
import { serviceNames } from "../session/target.ts";
import { readTls } from "../session/tls.ts";
import type { OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";
import { gaugeNames, type Part, partsOf } from "./status-parts.ts";

/** Time limit of a health check. A slower process counts as not serving. */
const timeoutMs = 5_000;

/** The response header with the version of a process. */
const versionHeader = "disburse-version";

type Found = {
  readonly service: string;
  readonly url: string;
  /** `serving`, `not_serving`, `no_address`, `unreachable` or an error code. */
  readonly state: string;
  /** Empty if the process doesn't send its version. */
  readonly version: string;
  readonly problem: string;
};

async function ask(invocation: Invocation, service: string, url: string): Promise<Found> {
  const { world, target } = invocation;
  let version = "";
  try {
    const tls = readTls(target.tls, service);
    const { check } = createClient(Health, world.connect(url, { tls }));
    const onHeader = (header: Headers) => {
      version = header.get(versionHeader) ?? "";
    };
    const { status } = await check({}, { timeoutMs, onHeader });
    const isServing = status === HealthCheckResponse_ServingStatus.SERVING;
    return { service, url, state: isServing ? "serving" : "not_serving", version, problem: "" };
  } catch (error) {
    const { exit, code, message: problem } = failureOf(error);
    const state = exit === "unavailable" ? "unreachable" : code;
    return { service, url, state, version, problem };
  }
}

type Measured = {
  readonly parts: readonly (Part & { readonly service: string; readonly url: string })[];
  readonly problem?: string;
};

/** Reads the gauges of a process that answers. A process may be unready and still have gauges. */
async function measure(
  { world, target }: Invocation,
  identity: Identity,
  { service, url, state }: Found,
): Promise<Measured> {
  if (url === "" || state === "unreachable") return { parts: [] };
  try {
    const tls = readTls(target.tls, service);
    const { listGauges } = createClient(
      StatusService,
      world.connect(url, { tls, token: identity.token }),
    );
    const { gauges } = await listGauges({ names: [...gaugeNames] }, { timeoutMs });
    return { parts: partsOf(gauges).map((part) => ({ service, url, ...part })) };
  } catch (error) {
    return { parts: [], problem: failureOf(error).message };
  }
}

async function measureAll(invocation: Invocation, processes: readonly Found[]): Promise<Measured> {
  const identity = identityOf(invocation.world, invocation.target);
  try {
    await identity.token();
  } catch (error) {
    return { parts: [], problem: failureOf(error).message };
  }
  const measured = await Promise.all(processes.map((each) => measure(invocation, identity, each)));
  const [problem] = measured.flatMap((each) => each.problem ?? []);
  const parts = measured.flatMap((each) => each.parts);
  return problem === undefined ? { parts } : { parts, problem };
}

async function status(invocation: Invocation): Promise<void> {
  const { target } = invocation;
  const checks = serviceNames.flatMap((service) =>
    (target.urls[service] ?? [""]).map((url) =>
      url === "" ? unknown(service) : ask(invocation, service, url),
    ),
  );
  const processes = await Promise.all(checks);
  const { parts, problem } = await measureAll(invocation, processes);
  const isServing = processes.every(({ state }) => state === "serving");
  const json = { target: target.name, serving: isServing, processes, parts: [...parts] };
  invocation.show(json, () => {
    const health = invocation.table(processes, ["service", "state", "version", "url", "problem"]);
    if (parts.length === 0) return health;
    return `${health}\n${invocation.table(parts, partColumns)}`;
  });
  if (problem !== undefined) {
    invocation.note(`connections and pending work are not shown: ${problem}`);
  }
  const versions = new Set(processes.flatMap(({ version }) => version || []));
  if (versions.size > 1) invocation.note("several versions are running: is an update in progress?");
  if (isServing) return;
  const down = processes.filter(({ state }) => state !== "serving").map(({ service }) => service);
  throw new CommandError(`services that are not serving: ${[...new Set(down)].join(", ")}`, {
    exit: "failed",
    code: "not_serving",
  });
}

const partColumns: readonly Column[] = [
  "service",
  "part",
  "state",
  "count",
  ["oldest_seconds", "oldest (s)"],
  "url",
];

const unknown = async (service: string): Promise<Found> => ({
  service,
  url: "",
  state: "no_address",
  version: "",
  problem: `DISBURSE_${service.toUpperCase()}_URL is not set`,
});

export const statusCommands: readonly OwnCommand[] = [
  {
    name: "status",
    summary:
      "health, connections and pending work of every service; exit code 1 if one isn't serving",
    details:
      "Health and versions require no login. With one it also shows, for each process, the database's\n" +
      "members, the broker, the depth of each queue that it consumes, and the number and the longest\n" +
      "wait of pending payouts, webhooks, events and screenings.",
    examples: ["status", "status --profile production --json"],
    run: status,
  },
];
