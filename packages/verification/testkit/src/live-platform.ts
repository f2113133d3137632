import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bearerIdentity, type ClientIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import { createServiceProcesses } from "@disburse/platform/processes.ts";
import { connectServices, type SandboxClients } from "@disburse/sandbox/clients.ts";
import { serviceEnvironments } from "@disburse/sandbox/environments.ts";
import { accessTokenSeconds, type Person, personToken } from "@disburse/sandbox/people.ts";
import { generateSecrets, type Secrets } from "@disburse/sandbox/secrets.ts";
import { eachService, type ServiceName } from "@disburse/sandbox/service-names.ts";
import { amqpUrl, freshPrefix } from "./broker.ts";
import { freshDatabase } from "./engine.ts";
import { startEngineFront } from "./engine-front.ts";

/** The operators, each with one role, so that none can approve their own proposals. */
const operators: readonly Person[] = [
  { id: "ada", roles: ["treasury"] },
  { id: "bob", roles: ["treasury_approver"] },
  { id: "carol", roles: ["compliance_officer"] },
  { id: "dora", roles: ["developer_relations"] },
  { id: "fay", roles: ["admin"] },
];

export type LivePlatform = Awaited<ReturnType<typeof startLivePlatform>>;

/**
 * Starts every service in live mode in this process, with a user of the database, a sink for
 * evidence, and persons who have signed in. A service mesh is assumed to provide TLS. Nothing is
 * seeded: operators must register the merchants. `settings` must contain a rail and its routes.
 */
export async function startLivePlatform(settings: Environment) {
  const folder = mkdtempSync(join(tmpdir(), "disburse-live-"));
  const engine = await startEngineFront();
  const secrets = withoutSandbox(generateSecrets());
  const chosen = await freePorts(13);
  const next = () => chosen.pop() ?? 0;
  const ports = { ...eachService(next), public: next() };
  const adminPorts = eachService(next);
  const environments = serviceEnvironments({
    host: "127.0.0.1",
    ports,
    adminPorts,
    secrets,
    mongodbUri: engine.uri,
    amqpUrl: amqpUrl(),
    databasePrefix: `${freshDatabase("live")}_`,
    auditSink: pathToFileURL(join(folder, "audit")).href,
    settings: {
      BUS_NAMESPACE: freshPrefix("live").replaceAll(".", "-"),
      BACKEND_TLS_BY_MESH: "true",
      ...settings,
    },
  });
  const services = createServiceProcesses(
    eachService((name) => ({ ...environments[name], DISBURSE_MODE: "live" })),
  );
  const url = (service: ServiceName) => `http://127.0.0.1:${ports[service]}`;
  const clients = new Map<string, ReturnType<typeof connectServices>>();
  const person = (id: string) => signedIn(secrets, id);
  const stop = async (): Promise<void> => {
    for (const { close } of clients.values()) close();
    await services.stop();
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await services.startHere();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    stop,
    adminUrl: (service: ServiceName) => `http://127.0.0.1:${adminPorts[service]}`,
    baseUrl: `http://127.0.0.1:${ports.public}`,
    trust: { person },
    /** Returns clients of every service for an operator. */
    as: (id: string): SandboxClients => {
      const known = clients.get(id) ?? connectServices(url, person(id));
      clients.set(id, known);
      return known.rpcs;
    },
  };
}

/** Live mode does not trust the key of the job that creates a sandbox. */
function withoutSandbox(secrets: Secrets): Secrets {
  const { keys } = JSON.parse(secrets.trustedKeys) as { keys: { kid: string }[] };
  const trusted = keys.filter(({ kid }) => !kid.startsWith("sandbox."));
  return { ...secrets, trustedKeys: JSON.stringify({ keys: trusted }) };
}

/** Live mode accepts only short-lived tokens of a sign-in. */
function signedIn({ issuerKey }: Secrets, id: string): ClientIdentity {
  const found = operators.find((each) => each.id === id);
  if (found === undefined) throw new Error(`there is no operator ${id}`);
  const times = { seconds: accessTokenSeconds, signedInAt: new Date() };
  const token = personToken(issuerKey, found, times);
  return async (to) => bearerIdentity(await token)(to);
}
