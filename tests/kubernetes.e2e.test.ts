import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAllowed } from "@disburse/deploy/access.ts";
import { type Manifest, type Manifests, readManifests } from "@disburse/deploy/manifests.ts";
import { kubectl, overlay, without } from "@disburse/deploy/overlays.ts";
import { accountTokenPrefix, type Played, playManifests } from "@disburse/deploy/play.ts";
import { brokerServices } from "@disburse/sandbox/broker/users.ts";
import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import { sealingServices, workloads } from "@disburse/sandbox/secrets.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { amqpUrl, freshPrefix } from "@disburse/testkit/broker.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { paths } from "./bodies.ts";
import { payerOf } from "./payer.ts";

/*
 * Emulates `kubectl apply -k` for the sandbox's manifests: runs each container on this machine with
 * its own arguments, settings and Secrets.
 */

type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Other tests share the broker, which has no service users. */
function withSharedBroker(secrets: Secrets): Secrets {
  const withBroker = (secret: Secrets[string]) =>
    Object.fromEntries(
      Object.entries(secret).map(([key, text]) => [key, key === "AMQP_URL" ? amqpUrl() : text]),
    );
  return Object.fromEntries(
    Object.entries(secrets).map(([name, secret]) => [name, withBroker(secret)]),
  );
}

type SecretObject = { metadata: { name: string }; stringData: Record<string, string> };

const verbs: Readonly<Record<string, string>> = { GET: "get", POST: "create", PUT: "update" };

/**
 * Serves the part of the Kubernetes API that the sandbox's jobs use: Secrets of one namespace.
 * Refuses what the Roles of the manifests do not allow.
 */
async function startApiServer(namespace: string, manifests: Manifests) {
  const secrets: Record<string, Record<string, string>> = {};
  const base = `/api/v1/namespaces/${namespace}/secrets`;
  const answer = async (request: IncomingMessage): Promise<[number, object?]> => {
    const [, account] = (request.headers.authorization ?? "").split(`Bearer ${accountTokenPrefix}`);
    if (account === undefined) return [401];
    const chunks = await request.toArray();
    const [path = "", name = ""] = request.url?.split(/(?<=\/secrets)\//) ?? [];
    if (path !== base) return [404];
    const access = { resource: "secrets", verb: verbs[request.method ?? ""] ?? "", name };
    if (!isAllowed(manifests, account, access)) return [403];
    if (request.method === "GET") {
      const held = secrets[name];
      if (held === undefined) return [404];
      const data = Object.entries(held).map(([key, text]) => [key, btoa(text)]);
      return [200, { metadata: { name }, data: Object.fromEntries(data) }];
    }
    const { metadata, stringData } = JSON.parse(Buffer.concat(chunks).toString()) as SecretObject;
    if (request.method === "POST" && secrets[metadata.name] !== undefined) return [409];
    secrets[metadata.name] = stringData;
    return [request.method === "POST" ? 201 : 200, {}];
  };
  const server: Server = createServer((request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status).end(body && JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    secrets,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe.skipIf(kubectl === "")(`the manifests of the sandbox${without}`, () => {
  const manifests = kubectl === "" ? readManifests("") : overlay("sandbox");
  const deployments = manifests.ofKind("Deployment");
  const nameOf = ({ metadata }: Manifest): string => metadata.name;
  const job = (prefix: string) =>
    manifests.ofKind("Job").find((each) => nameOf(each).startsWith(prefix))!;
  const running = new Map<string, Played>();
  let folder: string;
  let api: Awaited<ReturnType<typeof startApiServer>>;
  let receiver: Receiver;
  let play: Awaited<ReturnType<typeof playManifests>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "disburse-played-"));
    api = await startApiServer("disburse-sandbox", manifests);
    receiver = await startReceiver();
    const prefix = freshDatabase("played");
    const namespace = freshPrefix("played").replaceAll(".", "-");
    play = await playManifests({
      manifests,
      folder,
      addresses: {
        "mongodb://mongodb:27017": mongodbUri("admin"),
        "https://kubernetes.default.svc": api.url,
      },
      secrets: () => withSharedBroker(api.secrets),
      // Other tests share engine and broker. No balancer needs a delay at the end.
      settings: (service) => ({
        DATABASE: `${prefix}_${service}`,
        BUS_NAMESPACE: namespace,
        SHUTDOWN_DELAY_SECONDS: "0.2",
        ...(service === "payout" && { SANDBOX_SETTLE_MS: "100" }),
      }),
    });
  });
  afterAll(async () => {
    for (const played of running.values()) played.stop("SIGKILL");
    await Promise.all([...running.values()].map(({ ended }) => ended));
    await receiver?.close();
    await api?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a manifest's containers. They end with the test at the latest. */
  const start = (workload: Manifest): Played => {
    const played = play.start(workload);
    running.set(nameOf(workload), played);
    return played;
  };
  const complete = async (workload: Manifest): Promise<void> => {
    const played = start(workload);
    expect(await played.ended, played.output()).toBe(0);
  };
  const statusOf = (url: string) =>
    fetch(url).then(
      ({ status }) => status,
      () => undefined,
    );

  it("make their secrets, and keep them when they are applied again", async () => {
    await complete(job("sandbox-secrets"));
    const created = { ...api.secrets.disburse };
    const sealing = new Set<string>(sealingServices);
    const keys = workloads.flatMap((name) => [
      `SERVICE_KEY_${name.toUpperCase()}`,
      ...(sealing.has(name) ? [`ENCRYPTION_KEYS_${name.toUpperCase()}`] : []),
      ...(brokerServices.some((each) => each === name) ? [`AMQP_URL_${name.toUpperCase()}`] : []),
    ]);
    expect(Object.keys(created)).toEqual([
      ...["API_KEY_PEPPER", "TRUSTED_KEYS", "OIDC_JWKS", "ISSUER_KEY"],
      ...keys,
      ...["BROKER_CONFIG", "BROKER_DEFINITIONS"],
    ]);
    const all = structuredClone(api.secrets);
    expect(Object.keys(all).sort()).toEqual(
      ["disburse", ...serviceNames.map((name) => `${name}-keys`)].sort(),
    );
    rmSync(join(folder, nameOf(job("sandbox-secrets"))), { recursive: true });
    await complete(job("sandbox-secrets"));
    expect(api.secrets).toEqual(all);
  });

  it("migrate every database, and start every service until its probes are content", async () => {
    const migrations = manifests.ofKind("Job").filter((each) => /-migration-/.test(nameOf(each)));
    expect(migrations).toHaveLength(deployments.length);
    await Promise.all(migrations.map(complete));
    for (const deployment of deployments) start(deployment);
    for (const deployment of deployments) {
      for (const probe of ["startup", "liveness", "readiness"] as const) {
        const url = play.probeUrl(deployment, probe);
        await expect
          .poll(() => statusOf(url), { timeout: 60_000, message: nameOf(deployment) })
          .toBe(200);
      }
    }
  });

  it("make a sandbox, once however often its job runs", async () => {
    await complete(job("sandbox-seed"));
    const created = { ...api.secrets.sandbox };
    expect(created).toHaveProperty(["sandbox.json"]);
    rmSync(join(folder, nameOf(job("sandbox-seed"))), { recursive: true });
    await complete(job("sandbox-seed"));
    expect(api.secrets.sandbox).toEqual(created);
  });

  it("pay, and send a webhook", async () => {
    const file = api.secrets.sandbox?.["sandbox.json"] ?? "{}";
    const { merchants, accounts } = JSON.parse(file) as SandboxDocument;
    const { name, port } = manifests.get("Ingress", "gateway").spec.rules[0].http.paths[0].backend
      .service;
    const acme = payerOf(
      {
        baseUrl: play.urlOf(name, port.name),
        apiKey: (merchant) => merchants[merchant].api_key,
        accountId: (merchant, currency) =>
          accounts.find((each) => each.merchant === merchant && each.currency === currency)!
            .account_id,
      },
      "acme",
    );
    await acme.data("POST", paths.endpoints, { url: receiver.url });
    const payout = await acme.pay("played-1");
    await receiver.waitFor(1, {
      filter: ({ body }) => {
        const { data } = JSON.parse(body.toString());
        return data.id === payout && data.status === "succeeded";
      },
    });
  });

  it("end when they are asked to", async () => {
    for (const deployment of deployments) running.get(nameOf(deployment))?.stop();
    for (const deployment of deployments) {
      const played = running.get(nameOf(deployment));
      expect(await played?.ended, played?.output()).toBe(0);
    }
  });
});
