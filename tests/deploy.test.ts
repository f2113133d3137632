import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readConfig as readSandboxConfig } from "@disburse/sandbox/config.ts";
import { type Ports, serviceEnvironments } from "@disburse/sandbox/environments.ts";
import {
  generateSecrets,
  ownSettings,
  sealingServices,
  sharedSettings,
} from "@disburse/sandbox/secrets.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { refusedSettings, settingsOf } from "./service-settings.ts";

type ComposeService = {
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly args: object };
  readonly image?: string;
  readonly restart: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number | null>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly user?: string;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly deploy?: { readonly replicas: string };
  readonly depends_on?: Readonly<Record<string, { condition: string; required?: boolean }>>;
  readonly profiles?: readonly string[];
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, object>>;
};

const at = (path: string) => join(import.meta.dirname, "..", path);
const read = (path: string) => readFileSync(at(path), "utf8");
const compose = parse(read("docker-compose.yml"), { merge: true, maxAliasCount: 1_000 }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: object;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
};
const namesOf = (networks: ComposeService["networks"] = []) =>
  Array.isArray(networks) ? networks : Object.keys(networks);
const composed = (name: string): ComposeService => compose.services[name] ?? { restart: "" };
const liveExample = "deploy/live.env.example";
const jobs = ["sandbox-secrets", "sandbox"];
const migrations = serviceNames.map((service) => `${service}-migration`);
const parts = ["mongo", "rabbitmq"];
const isSealing = (name: string) => sealingServices.some((each) => each === name);
/** Set by the image, only for tests, or rare: one exporter and protocol serve all traces. */
const notInCompose = /^(HOST|RPC_HOST|ADMIN_HOST|ADMIN_PORT|BUILD_COMMIT|BUS_NAMESPACE|OTEL_\w+)$/;
const observability = ["prometheus", "grafana", "collector"];

/** Returns a service's environment from compose in an empty shell, with the sandbox's secrets. */
function environmentOf(service: string): Record<string, string | undefined> {
  const generated = generateSecrets();
  const secrets: Record<string, string> = {
    ...sharedSettings(generated),
    ...ownSettings(generated, service as ServiceName),
  };
  const entries = Object.entries(composed(service).environment ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (value === null) return [name, secrets[name.replace(`_${service.toUpperCase()}`, "")]];
      // Resolves the inner of two nested defaults first.
      const inside = String(value).replaceAll(/\$\{\w+:?-([^${}]*)\}/g, "$1");
      return [name, inside.replaceAll(/\$\{\w+:?-([^}]*)\}/g, "$1")];
    }),
  );
}

/** Variables that the AWS SDK and Node read. */
const notSettings = ["AWS_REGION", "AWS_SHARED_CREDENTIALS_FILE", "NODE_EXTRA_CA_CERTS"];

const withoutFile = (name: string) => name.replace(/_FILE$/, "");

/** Set by the image for every service. */
const setByImage = ["HOST", "RPC_HOST", "ADMIN_HOST", "ADMIN_PORT"];

describe.each(serviceNames)("%s in docker-compose.yml", (service) => {
  const { environment = {}, depends_on: after = {}, ...rest } = composed(service);
  const migration = composed(`${service}-migration`);

  it("is the image of that service, started again when it ends", () => {
    const build = {
      context: ".",
      dockerfile: "deploy/Dockerfile",
      args: { SERVICE: service, NODE_IMAGE: null, BUILD_COMMIT: null },
    };
    expect(rest.build).toEqual(build);
    expect(rest.restart).toBe("unless-stopped");
    expect(rest.healthcheck).toBeUndefined();
    expect(rest.deploy).toEqual({ replicas: `\${${service.toUpperCase()}_REPLICAS:-1}` });
    expect(rest.command?.at(-1)).toBe("service/src/main.ts");
  });

  it("is given every setting that it cannot do without, well-formed", async () => {
    expect(await refusedSettings(service, {})).toContain("MONGODB_URI");
    expect(await refusedSettings(service, { ...environmentOf(service), PORT: "none" })).toEqual([
      "PORT",
    ]);
  });

  it("is given what a platform on one machine gives it, and nothing that it does not read", () => {
    const known = settingsOf(service);
    const own = `_${service.toUpperCase()}`;
    const settings = Object.keys(environment)
      .filter((name) => !notSettings.includes(name))
      .map((name) => (known.has(name) ? name : withoutFile(name).replace(own, "")));
    expect([...known]).toEqual(expect.arrayContaining(settings));
    const ports = Object.fromEntries([...serviceNames, "public"].map((name) => [name, 1])) as Ports;
    const machine = { host: "127.0.0.1", ports, secrets: generateSecrets(), amqpUrl: "amqp://h" };
    const names = serviceEnvironments({ ...machine, mongodbUri: () => "mongodb://h" })[service];
    const wanted = Object.keys(names).filter((name) => known.has(name));
    expect([...settings, ...setByImage]).toEqual(expect.arrayContaining(wanted));
    expect(environment.DATABASE).toBe(`disburse_${service}`);
    expect(environmentOf(service).DISBURSE_MODE).toBe("sandbox");
  });

  it("passes on every setting of the service, but those of the image or of other deployments", () => {
    const own = `_${service.toUpperCase()}`;
    const given = new Set(
      Object.keys(environment).flatMap((name) => [name, withoutFile(name).replace(own, "")]),
    );
    const missing = [...settingsOf(service)].filter((name) => !given.has(name));
    expect(missing.filter((name) => !notInCompose.test(name))).toEqual([]);
  });

  it("reads every file that may contain a secret", async () => {
    const known = settingsOf(service);
    const files = Object.keys(environment).filter(
      (name) => name.endsWith("_FILE") && !known.has(name) && !notSettings.includes(name),
    );
    // Payout reads its encryption keys only with a bank's rail.
    const always = files.filter((name) => name !== "ENCRYPTION_KEYS_PAYOUT_FILE");
    for (const file of always) {
      const missing = { [file]: "/no/such/file", [withoutFile(file)]: undefined };
      const given = { ...environmentOf(service), ...missing };
      const own = `_${service.toUpperCase()}_FILE`;
      expect(await refusedSettings(service, given)).toEqual([file.replace(own, "_FILE")]);
    }
  });

  it("starts after one job has migrated its database, which gets nothing but its address", () => {
    const { build, command, depends_on, restart, volumes } = migration;
    expect(build).toEqual(rest.build);
    expect(command).toEqual(["node", "service/src/main.ts", "migrate"]);
    expect({ restart, volumes }).toEqual({ restart: "no", volumes: [] });
    expect(depends_on).toEqual({ mongo: { condition: "service_healthy" } });
    const { LOG_LEVEL, MONGODB_URI, MONGODB_URI_FILE, NODE_EXTRA_CA_CERTS, DATABASE } = environment;
    const address = { MONGODB_URI, MONGODB_URI_FILE, NODE_EXTRA_CA_CERTS };
    expect(migration.environment).toEqual({ LOG_LEVEL, ...address, DATABASE });
    const done = { condition: "service_completed_successfully" };
    expect(after[`${service}-migration`]).toEqual(done);
  });

  it("waits until its database, and its broker if it has one, are healthy", () => {
    const healthy = { condition: "service_healthy" };
    expect(after).toMatchObject({ mongo: healthy });
    expect(after.rabbitmq).toEqual("AMQP_URL" in environment ? healthy : undefined);
    const others = serviceNames.filter((name) => name !== "gateway");
    for (const name of others) {
      expect(after[name], name).toEqual(service === "gateway" ? healthy : undefined);
    }
  });
});

describe("docker-compose.yml", () => {
  it("lets the balancer find gateways by a name of one network alone", () => {
    const [, host = ""] =
      /server-template gateway \d+ ([\w-]+):/.exec(read("deploy/balancer/haproxy.cfg")) ?? [];
    expect(composed("gateway").networks).toEqual({ inside: { aliases: [host] } });
    expect(Object.keys(compose.services)).not.toContain(host);
  });

  it("passes every setting of the example for live mode to a service, or uses it itself", () => {
    const names = [...read(liveExample).matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(
      ([, name]) => name,
    );
    const text = read("docker-compose.yml");
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });

  const all = Object.entries(compose.services);

  it("has the services with their migrations, what they stand on, and the sandbox's jobs", () => {
    expect(Object.keys(compose.services).sort()).toEqual(
      [
        ...[...serviceNames, ...migrations, ...parts, ...jobs],
        ...["balancer", "reader", ...observability],
      ].sort(),
    );
    for (const name of observability)
      expect(composed(name).profiles, name).toEqual(["observability"]);
    for (const job of jobs) {
      expect(composed(job).profiles, job).toEqual(["sandbox"]);
      expect(composed(job).build?.args, job).toEqual({
        SERVICE: "sandbox",
        NODE_IMAGE: null,
        BUILD_COMMIT: null,
      });
    }
  });

  it("names each service's address as that service listens", () => {
    const addresses = all.flatMap(([name, { environment = {} }]) =>
      Object.keys(environment).flatMap((key) => {
        const target = serviceNames.find((service) => key === `${service.toUpperCase()}_URL`);
        return target === undefined ? [] : [[name, target, environment[key]] as const];
      }),
    );
    expect(addresses.length).toBeGreaterThan(serviceNames.length);
    for (const [name, target, url] of addresses) {
      const { RPC_PORT, PORT } = composed(target).environment ?? {};
      expect(url, name).toBe(`\${SERVICE_SCHEME:-https}://${target}:${RPC_PORT ?? PORT}`);
    }
  });

  it("publishes the gateways' balancer; on this machine alone the operator API proxy and what observes", () => {
    const published = all.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
    const loopback = published.filter(([, port]) => port?.startsWith("127.0.0.1:"));
    expect(loopback.map(([name]) => name)).toEqual(["balancer", "prometheus", "grafana"]);
    expect(published.filter((each) => !loopback.includes(each))).toEqual([
      ["balancer", `\${GATEWAY_PORT:-8080}:${composed("gateway").environment?.PORT}`],
    ]);
  });

  it("has a ring of encryption keys for each service that seals, which alone reads it", async () => {
    const rings = (name: string) =>
      Object.keys(composed(name).environment ?? {}).filter((key) =>
        /^ENCRYPTION_KEYS_(?!FILE$)/.test(key),
      );
    for (const name of sealingServices) {
      const own = `ENCRYPTION_KEYS_${name.toUpperCase()}`;
      expect(rings(name)).toEqual([own, `${own}_FILE`]);
      expect(read(liveExample)).toContain(`#${own}=`);
      const { [own]: _ring, ...others } = environmentOf(name);
      expect(await refusedSettings(name, { ...others, PORT: "none" })).toContain("ENCRYPTION_KEYS");
    }
    // Payout needs a ring if it has bank rails.
    expect(rings("payout")).toEqual(["ENCRYPTION_KEYS_PAYOUT", "ENCRYPTION_KEYS_PAYOUT_FILE"]);
    const others = all
      .map(([name]) => name)
      .filter((name) => !isSealing(name) && name !== "payout");
    expect(others.flatMap(rings)).toEqual([]);
  });

  it("gives each service the certificate that the sandbox's job makes for it", () => {
    const [, settings, keys] = composed("sandbox-secrets").command?.slice(-4) ?? [];
    const created = composed("sandbox-secrets").volumes ?? [];
    for (const name of [...serviceNames, "sandbox"]) {
      const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE } = environmentOf(name);
      expect(TLS_CA_FILE).toBe(join(dirname(settings ?? ""), "ca.crt"));
      expect(created).toContain(`${name}-key:${keys}/${name}`);
      expect(composed(name).volumes).toContain(`${name}-key:/keys:ro`);
      expect([TLS_CERT_FILE, TLS_KEY_FILE]).toEqual(["/keys/tls.crt", "/keys/tls.key"]);
    }
  });

  it("reports a ready sandbox only if its secrets are made and its port is published", () => {
    const { gateway, ...rest } = composed("sandbox").depends_on ?? {};
    expect(gateway).toEqual({ condition: "service_healthy" });
    expect(rest).toEqual({
      // Compose ignores the failure of a job that services depend on with `required: false`.
      "sandbox-secrets": { condition: "service_completed_successfully" },
      balancer: { condition: "service_started" },
    });
  });

  it("balances over every gateway by its public port and its own readiness", () => {
    const [, file = ""] = /^\.\/(\S+?):/.exec(composed("balancer").volumes?.[0] ?? "") ?? [];
    const servers = /^\s*server-template gateway \d+ gateways:(\d+) .* check port (\d+)/m;
    const [, port, admin] = servers.exec(read(join(file, "haproxy.cfg"))) ?? [];
    expect(port).toBe(String(composed("gateway").environment?.PORT));
    expect(read("deploy/Dockerfile")).toContain(`ADMIN_PORT=${admin}`);
    expect(read(join(file, "haproxy.cfg"))).toContain("option httpchk GET /readyz");
    expect(environmentOf("sandbox").BASE_URL).toBe("http://127.0.0.1:8080");
  });

  it("leads each port that it publishes of the balancer to a backend of the gateway's port", () => {
    const sections = read("deploy/balancer/haproxy.cfg").split(/^(?=[a-z])/m);
    const of = (kind: string) =>
      sections.flatMap((text) => {
        const [, name = ""] = new RegExp(`^${kind} (\\w+)\\n`).exec(text) ?? [];
        return name === "" ? [] : [[name, text] as const];
      });
    const backends = new Map(of("backend"));
    const led = of("frontend").map(([, text]) => {
      const [, bound] = /^ {2}bind :(\d+)$/m.exec(text) ?? [];
      const [, backend = ""] = /^ {2}default_backend (\w+)$/m.exec(text) ?? [];
      const [, served] = / gateways:(\d+) /.exec(backends.get(backend) ?? "") ?? [];
      return [bound, served];
    });
    const ports = composed("balancer").ports?.map((port) => port.split(":").at(-1));
    expect(led).toEqual(ports?.map((port) => [port, port]));
    // HAProxy doesn't start with a duplicate section or an unindented line.
    const heads = sections.map((text) => text.split("\n", 1)[0]);
    expect(new Set(heads).size).toBe(heads.length);
    const known = /^(#.*|(global|defaults|(resolvers|frontend|backend) \w+))$/;
    for (const head of heads) expect(head).toMatch(known);
  });

  it("takes every secret from a file, too", () => {
    // RECEIPT_KEYS are public keys.
    const isSecret =
      /(?:TOKEN|(?<!RECEIPT_)KEYS?|PEPPER|HEADERS|MONGODB_URI|AMQP_URL|ENCRYPTION_KEYS_(?!FILE$|\w+_FILE$)\w+)$/;
    for (const [name, { environment = {} }] of all) {
      const given = Object.keys(environment).filter((key) => isSecret.test(key));
      const files = given.map((key) => `${key}_FILE`);
      expect(Object.keys(environment), name).toEqual(expect.arrayContaining(files));
      for (const file of files) expect(environment[file], name).toBeNull();
    }
  });

  it.each(all.map(([name]) => name))("bounds what %s can do to the machine", (name) => {
    const { mem_limit, pids_limit, logging, read_only, cap_drop, security_opt } = composed(name);
    expect(mem_limit).toMatch(/^\d+[mg]$/);
    expect(pids_limit).toBeGreaterThanOrEqual(100);
    expect(logging?.options).toEqual({
      ...{ "max-size": "100m", "max-file": "20", compress: "true" },
    });
    expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ["ALL"] });
    expect(security_opt).toEqual(["no-new-privileges:true"]);
  });

  it("keeps what must last in named volumes, under a name that lasts", () => {
    const keys = [...serviceNames, "sandbox"].map((name) => `${name}-key`).sort();
    const stores = ["mongo", "rabbitmq", "sandbox", "audit", "broker"];
    const volumes = [...stores, ...keys, "prometheus", "grafana"];
    expect(Object.keys(compose.volumes)).toEqual(volumes);
    expect(composed("mongo").volumes).toEqual(["mongo:/data/db"]);
    expect(composed("rabbitmq")).toMatchObject({
      hostname: "rabbitmq",
      volumes: ["rabbitmq:/var/lib/rabbitmq", "broker:/etc/rabbitmq/conf.d:ro"],
    });
  });

  it("gives outbound connections only to services that need them", () => {
    expect(compose.networks).toEqual({ inside: { internal: true }, outside: {} });
    const out = all.filter(([, { networks }]) => namesOf(networks).includes("outside"));
    const served = ["balancer", "prometheus", "grafana"];
    expect(out.map(([name]) => name).sort()).toEqual(["compliance", "notifier", ...served].sort());
    for (const [name, { networks }] of all) expect(namesOf(networks), name).toContain("inside");
  });

  it("gives the other services outbound connections in an override file", () => {
    const { services } = parse(read("deploy/ways-out.yaml")) as Pick<typeof compose, "services">;
    const inside = serviceNames.filter((name) => namesOf(composed(name).networks).length === 1);
    expect(Object.keys(services).sort()).toEqual(inside.toSorted());
    for (const service of Object.values(services))
      expect(service).toEqual({ networks: ["inside", "outside"] });
  });

  it("makes the database's reader by a job of its own, without its password in a list", () => {
    const { profiles, command, environment, image } = composed("reader");
    expect([profiles, image]).toEqual([["reader"], composed("mongo").image]);
    expect(command).toEqual(["mongosh", "--quiet", "--norc", "--nodb", "/users/reader.js"]);
    expect(environment).toMatchObject({ READER_PASSWORD: null });
  });

  it("gives each service its own key, and the place of evidence, and no one else's", () => {
    for (const [name, { volumes = [] }] of all) {
      if (name === "sandbox-secrets") continue;
      const keys = volumes.filter((volume) => volume.includes("-key:"));
      const isWorkload = [...serviceNames, "sandbox"].some((each) => each === name);
      expect(keys, name).toEqual(isWorkload ? [`${name}-key:/keys:ro`] : []);
      const isService = serviceNames.some((each) => each === name);
      const evidence = volumes.filter((volume) => volume.startsWith("audit:"));
      expect(evidence, name).toEqual(isService ? ["audit:/audit"] : []);
      if (isService) expect(environmentOf(name).AUDIT_SINK).toBe("file:///audit");
    }
  });

  it.each([...parts, "prometheus", "grafana"])("runs %s as a user that is not root", (name) => {
    expect(composed(name).user).toMatch(/^[1-9]\d*:\d+$/);
  });

  it.each(parts)("checks the health of %s and starts it again", (part) => {
    // A probe starts neither a Node nor an Erlang process.
    expect(composed(part).healthcheck?.test?.slice(0, 2)).toEqual(["CMD", "bash"]);
    expect(composed(part).healthcheck).toMatchObject({ start_interval: "1s" });
    expect(composed(part).restart).toBe("unless-stopped");
  });

  it("names files of the sandbox that exist", () => {
    const scripts = jobs.flatMap((job) => composed(job).command ?? []);
    const files = scripts.filter((argument) => argument.startsWith("service/"));
    expect(files).toHaveLength(jobs.length);
    for (const file of files) {
      expect(existsSync(at(file.replace("service/", "packages/sandbox/"))), file).toBe(true);
    }
  });

  it("gives the sandbox's job its settings", () => {
    expect(readSandboxConfig(environmentOf("sandbox"))).toMatchObject({ DISBURSE_MODE: "sandbox" });
    expect(() => readSandboxConfig({})).toThrow("SERVICE_KEY");
  });

  it("holds no secret", () => {
    const isSecret =
      /(?:TOKEN|KEY|KEYS|PEPPER|PASS|PASSWORD|USER|USERNAME|ENCRYPTION_KEYS_(?!FILE$)\w+)$/;
    const values = all.flatMap(([, { environment = {} }]) => Object.entries(environment));
    const secrets = values.filter(([name]) => isSecret.test(name));
    expect(secrets.length).toBeGreaterThan(serviceNames.length);
    expect(secrets.filter(([, value]) => value !== null)).toEqual([]);
    expect(read(".gitignore").split("\n")).toContain("live.env");
    for (const path of ["docker-compose.yml", "deploy/Dockerfile", liveExample, ".env"]) {
      expect(read(path), path).not.toMatch(/:\/\/[^/\s]*:[^/\s]*@/);
      const text = read(path).replaceAll(/(?:\.\/deploy|:\/etc)\/[a-z./-]+|@sha256:[0-9a-f]+/g, "");
      expect(text, path).not.toMatch(/\b(?![A-Z_]+:)[A-Za-z0-9+/=_-]{32,}/);
    }
    expect(read(liveExample)).not.toMatch(/^[^#\n]/m);
  });

  it("is a sandbox where no other settings are named", () => {
    const settings = read(".env")
      .split("\n")
      .filter((line) => /^[^#]/.test(line));
    expect(settings).toEqual(["COMPOSE_PROFILES=sandbox"]);
  });
});

it("names images of others by their digests", () => {
  const manifests = ["components/rabbitmq-cluster/rabbitmq", "overlays/sandbox/rabbitmq"];
  const paths = [...manifests, "overlays/sandbox/mongodb"].map((name) => `deploy/k8s/${name}.yaml`);
  const texts = ["docker-compose.yml", ...paths].map(read);
  const images = texts.flatMap((text) =>
    [...text.matchAll(/image: (?:&\S+ )?([^\s*]\S*)/g)].map(([, name]) => name),
  );
  const others = images.filter((name) => !name?.startsWith("disburse-"));
  expect(others).toHaveLength(9);
  for (const name of others) expect(name).toMatch(/:[\w.-]+@sha256:[0-9a-f]{64}\}?$/);
});

describe("deploy/Dockerfile", () => {
  const lines = read("deploy/Dockerfile").split("\n");
  const last = (instruction: string) =>
    lines.findLast((line) => line.startsWith(instruction))?.slice(instruction.length) ?? "";

  it("stands on the Node that everything is tried with", () => {
    const from = lines.flatMap((line) => /^FROM (\S+) AS base$/.exec(line)?.[1] ?? []);
    expect(from).toEqual(["$NODE_IMAGE"]);
    const major = Number.parseInt(read(".node-version"), 10);
    const pinned = new RegExp(`^node:${major}-trixie-slim@sha256:[0-9a-f]{64}$`);
    expect(lines.find((line) => line.startsWith("ARG NODE_IMAGE="))?.slice(15)).toMatch(pinned);
  });

  it("runs as a user that is not root, and so do the services", () => {
    expect(last("USER ")).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    for (const name of [...serviceNames, ...migrations, ...jobs]) {
      expect(composed(name).user, name).toBeUndefined();
    }
  });

  it("starts the service without a shell, and its health check without Node", () => {
    expect(JSON.parse(last("CMD "))).toEqual(["node", "service/src/main.ts"]);
    const [, check = ""] = last("HEALTHCHECK ").split(" CMD ");
    expect(JSON.parse(check)).toEqual(["bash", "health.sh"]);
    expect(lines).toContain("COPY deploy/health.sh deploy/rpc.mjs ./");
  });

  it("installs from the lockfile alone, in an image without what only development needs", () => {
    const installs = lines.filter((line) => /\b(npm|npx|yarn|pnpm|corepack)\b/.test(line));
    const commands = installs.filter((line) => line.startsWith("RUN") && !/rm -rf/.test(line));
    expect(commands.map((line) => line.replace(/^RUN (--mount=\S+ )?/, ""))).toEqual([
      "npm ci --workspaces=false --ignore-scripts",
      "npm pkg delete devDependencies --workspaces --include-workspace-root",
      "npm ci --omit=dev --ignore-scripts",
      "npm ci --omit=dev --ignore-scripts",
      "npm ci --ignore-scripts",
    ]);
  });

  it("has nothing in the folders that compose mounts", () => {
    // Docker copies it into an empty volume, and fails if two containers do so at the same time.
    const [, list = ""] =
      /install --directory \S+ \S+ ([\s\S]*?)&&/.exec(read("deploy/Dockerfile")) ?? [];
    const folders = list.split(/[\s\\]+/).filter(Boolean);
    const mounted = [...serviceNames, ...jobs].flatMap((name) =>
      (composed(name).volumes ?? []).map((volume) => volume.split(":")[1] ?? ""),
    );
    expect(folders).toEqual(expect.arrayContaining(mounted));
    expect(folders.filter((folder) => mounted.includes(dirname(folder)))).toEqual([]);
  });

  it("can be built for every service and for the sandbox's jobs", () => {
    const serviceFolders = [...serviceNames.map((name) => `services/${name}`), "packages/sandbox"];
    for (const folder of serviceFolders) {
      const { name } = JSON.parse(read(`${folder}/package.json`)) as { name: string };
      expect(name).toBe(`@disburse/${folder.split("/")[1]}`);
      expect(existsSync(at(`${folder}/src/main.ts`)), folder).toBe(true);
    }
  });

  it("sees only what images are made of", () => {
    const rules = read(".dockerignore").split("\n");
    expect(rules.filter((rule) => !rule.startsWith("#"))[0]).toBe("*");
    expect(rules.filter((rule) => rule.startsWith("!"))).toEqual(
      ["package.json", "package-lock.json", ".npmrc", "turbo.json", "packages", "services"]
        .concat("deploy/health.sh", "deploy/rpc.mjs", "docs")
        .concat("docs/tutorials/*.md", "docs/guides/**/*.md", "docs/reference/*.md")
        .concat("packages/sdk/package.json", "packages/sdk/src", "packages/sdk/src/generator")
        .map((path) => `!${path}`),
    );
    expect(rules).toEqual(expect.arrayContaining(["**/node_modules", "**/*.test.ts"]));
    // A later rule overrides an earlier one.
    const exception = rules.indexOf("!docs/guides/**/*.md");
    expect(exception).toBeGreaterThan(rules.indexOf("**/*.md"));
  });
});
