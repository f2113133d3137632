import { createClient } from "@connectrpc/connect";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "@disburse/contracts/health/v1/health_pb.ts";
import { CommandError, failureOf } from "../output/failure.ts";
import { serviceNames } from "../session/target.ts";
import { readTls } from "../session/tls.ts";
import type { OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

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

async function status(invocation: Invocation): Promise<void> {
  const { target } = invocation;
  const checks = serviceNames.flatMap((service) =>
    (target.urls[service] ?? [""]).map((url) =>
      url === "" ? unknown(service) : ask(invocation, service, url),
    ),
  );
  const processes = await Promise.all(checks);
  const isServing = processes.every(({ state }) => state === "serving");
  const columns = ["service", "state", "version", "url", "problem"];
  invocation.show({ target: target.name, serving: isServing, processes }, () =>
    invocation.table(processes, columns),
  );
  const versions = new Set(processes.flatMap(({ version }) => version || []));
  if (versions.size > 1) invocation.note("several versions are running: is an update in progress?");
  if (isServing) return;
  const down = processes.filter(({ state }) => state !== "serving").map(({ service }) => service);
  throw new CommandError(`services that are not serving: ${[...new Set(down)].join(", ")}`, {
    exit: "failed",
    code: "not_serving",
  });
}

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
    summary: "health and version of every service; exit code 1 if one isn't serving",
    details: "Requires no login.",
    examples: ["status", "status --profile production --json"],
    run: status,
  },
];
