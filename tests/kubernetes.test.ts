import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Container,
  containerOf,
  environmentOf,
  type Manifest,
} from "@disburse/deploy/manifests.ts";
import { arrows, networkMatrix } from "@disburse/deploy/network.ts";
import {
  kubectl,
  labelsOf,
  manifestsOf,
  type Overlay,
  overlay as of,
  overlays,
  renderOverlays,
  renderTimeoutMs,
  selects,
  without,
} from "@disburse/deploy/overlays.ts";
import { prometheusRule } from "@disburse/deploy/rules.ts";
import { schemaProblem, unknownFields } from "@disburse/deploy/schemas.ts";
import { generateSecrets, ownSettings, sharedSettings } from "@disburse/sandbox/secrets.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusedSettings, settingsOf } from "./service-settings.ts";

beforeAll(renderOverlays, renderTimeoutMs);

const root = join(import.meta.dirname, "..");
describe.skipIf(kubectl === "").each(overlays)(`overlay %s${without}`, (overlay) => {
  it("is valid by Kubernetes' schemas", async () => {
    const problems = await Promise.all(of(overlay).all.map(schemaProblem));
    expect(problems.filter((each) => each !== undefined)).toEqual([]);
  });

  it("is in a namespace of its own that admits restricted pods only", () => {
    const [namespace, ...others] = of(overlay).ofKind("Namespace");
    expect(others).toEqual([]);
    expect(labelsOf(namespace!)["pod-security.kubernetes.io/enforce"]).toBe("restricted");
    for (const { kind, metadata } of of(overlay).all) {
      // A cluster has these objects once.
      if (!["Namespace", "PriorityClass"].includes(kind))
        expect(metadata.namespace).toBe(namespace!.metadata.name);
    }
  });

  it("has no pod that is not restricted", () => {
    const workloads = of(overlay).workloads();
    expect(workloads.length).toBeGreaterThanOrEqual(2 * serviceNames.length);
    for (const workload of workloads) {
      const { spec } = workload.spec.template;
      expect(spec.containers, workload.metadata.name).toHaveLength(1);
      expect(spec.initContainers).toBeUndefined();
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(containerOf(workload).securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      for (const field of ["hostNetwork", "hostPID", "hostIPC"])
        expect(spec).not.toHaveProperty(field);
      const kinds = (spec.volumes ?? []).flatMap((volume: object) => Object.keys(volume));
      const allowed = ["name", "secret", "projected", "emptyDir", "persistentVolumeClaim"];
      expect(allowed).toEqual(expect.arrayContaining(kinds));
    }
  });

  it("gives a token of Kubernetes' API to the sandbox's jobs alone", () => {
    for (const workload of of(overlay).workloads()) {
      const { serviceAccountName, automountServiceAccountToken } = workload.spec.template.spec;
      const isJob = /^sandbox-/.test(workload.metadata.name);
      expect(automountServiceAccountToken, workload.metadata.name).toBe(isJob);
      const account = of(overlay).get("ServiceAccount", serviceAccountName);
      expect(account.automountServiceAccountToken).toBe(false);
    }
  });

  it("limits what each container takes, above what it asks for", () => {
    const bytes = (text: string) => {
      const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(text) ?? [];
      return Number(number) * (unit === "Gi" ? 1_024 : 1);
    };
    const cores = (text: string) =>
      text.endsWith("m") ? Number.parseInt(text, 10) / 1_000 : Number(text);
    for (const workload of of(overlay).workloads()) {
      const { requests, limits } = containerOf(workload).resources;
      expect(bytes(limits.memory), workload.metadata.name).toBeGreaterThan(bytes(requests.memory));
      expect(cores(limits.cpu), workload.metadata.name).toBeGreaterThan(cores(requests.cpu));
    }
  });

  it("names every image by a release", () => {
    for (const workload of of(overlay).workloads()) {
      const { image } = containerOf(workload);
      expect(image).toMatch(/:\d+\.\d+/);
      expect(image).not.toContain("latest");
    }
  });

  it("holds no secret", () => {
    const text = JSON.stringify(of(overlay).all.map(({ data, ...rest }) => rest));
    expect(text).not.toMatch(/:\/\/[^/\s"]*:[^/\s"]*@/);
    expect(text).not.toMatch(/"(?:SERVICE_KEY|API_KEY_PEPPER|ENCRYPTION_KEYS)":/);
    for (const { data = {}, stringData } of of(overlay).ofKind("Secret")) {
      expect(stringData).toBeUndefined();
      for (const value of Object.values(data as Record<string, string>)) {
        const address = Buffer.from(value, "base64").toString();
        expect(address).toMatch(/^(?:mongodb|amqp):\/\/[a-z]+:\d+$/);
      }
    }
    for (const workload of of(overlay).workloads()) {
      const given = Object.keys(environmentOf(of(overlay), workload));
      expect(
        given.filter((name) => /TOKEN$|KEYS$|PEPPER$|MONGODB_URI$|AMQP_URL$/.test(name)),
      ).toEqual([]);
    }
  });
});

describe.skipIf(kubectl === "")(`every overlay${without}`, { timeout: renderTimeoutMs }, () => {
  it("has no field that Kubernetes does not know", () => {
    const example = manifestsOf("examples/eks-atlas").all;
    expect(unknownFields([...overlays.flatMap((overlay) => of(overlay).all), ...example])).toEqual(
      [],
    );
  });

  it("says what it is for", () => {
    const mode = (overlay: Overlay) =>
      environmentOf(of(overlay), of(overlay).get("Deployment", "payout")).DISBURSE_MODE;
    expect(overlays.map(mode)).toEqual(["sandbox", "sandbox", "live"]);
  });
});

const each = overlays.flatMap((overlay) => serviceNames.map((name) => [overlay, name] as const));

describe.skipIf(kubectl === "").each(each)(`overlay %s, %s${without}`, (overlay, service) => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "disburse-kubernetes-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const deployment = () => of(overlay).get("Deployment", service);
  const pod = () => deployment().spec.template;
  const ports = () =>
    new Map<string, number>(
      containerOf(deployment()).ports.map((port: { name: string; containerPort: number }) => [
        port.name,
        port.containerPort,
      ]),
    );

  it("runs the service's image and program", () => {
    expect(containerOf(deployment()).image).toMatch(new RegExp(`(?:^|/)disburse-${service}:`));
    expect(containerOf(deployment()).args).toEqual(["node", "service/src/main.ts"]);
    expect(pod().spec.serviceAccountName).toBe(service);
  });

  it("asks three different questions on the port of operations", () => {
    const container = containerOf(deployment());
    const probe = (name: string) => container[`${name}Probe`].httpGet;
    expect(probe("startup")).toEqual({ path: "/startupz", port: "admin" });
    expect(probe("liveness")).toEqual({ path: "/livez", port: "admin" });
    expect(probe("readiness")).toEqual({ path: "/readyz", port: "admin" });
    expect(ports().get("admin")).toBe(9_100);
    expect(environmentOf(of(overlay), deployment()).ADMIN_PORT).toBe("9100");
  });

  it("has the time to end as it should", () => {
    const { SHUTDOWN_DELAY_SECONDS } = environmentOf(of(overlay), deployment());
    const { seconds } = containerOf(deployment()).lifecycle.preStop.sleep;
    /** The process's own time limit after its delay (chassis, `endTimeoutMs`). */
    const endSeconds = 30;
    const needed = seconds + Number(SHUTDOWN_DELAY_SECONDS) + endSeconds;
    expect(Number(SHUTDOWN_DELAY_SECONDS)).toBeGreaterThanOrEqual(5);
    expect(needed).toBeGreaterThanOrEqual(45);
    expect(pod().spec.terminationGracePeriodSeconds).toBeGreaterThan(needed);
  });

  it("spreads its replicas, and adds one before it takes one away", () => {
    const own = pod().metadata.labels;
    const [{ podAffinityTerm }] =
      pod().spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
    const [{ labelSelector, topologyKey }] = pod().spec.topologySpreadConstraints;
    expect(podAffinityTerm.topologyKey).toBe("kubernetes.io/hostname");
    expect(topologyKey).toBe("topology.kubernetes.io/zone");
    for (const selector of [podAffinityTerm.labelSelector, labelSelector]) {
      expect(selects(selector, own)).toBe(true);
      expect(selector.matchLabels["app.kubernetes.io/name"]).toBe(service);
    }
    const { maxUnavailable, maxSurge } = deployment().spec.strategy.rollingUpdate;
    expect([maxUnavailable, maxSurge]).toEqual([0, 1]);
  });

  it("lets a node be drained", () => {
    const { spec } = of(overlay).get("PodDisruptionBudget", service);
    expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" });
    expect(selects(spec.selector, pod().metadata.labels)).toBe(true);
    expect(selects(spec.selector, { "app.kubernetes.io/component": "service" })).toBe(false);
  });

  it("scales by itself, but for the sandbox", () => {
    const scalers = of(overlay)
      .ofKind("HorizontalPodAutoscaler")
      .filter(({ spec }) => spec.scaleTargetRef.name === service);
    expect(scalers).toHaveLength(overlay === "sandbox" ? 0 : 1);
    for (const { spec } of scalers) {
      expect(spec.scaleTargetRef).toMatchObject({ apiVersion: "apps/v1", kind: "Deployment" });
      expect(spec.minReplicas).toBeGreaterThanOrEqual(2);
      expect(spec.maxReplicas).toBeGreaterThan(spec.minReplicas);
    }
    expect(deployment().spec).not.toHaveProperty("replicas");
  });

  it("is found under its name, without an address of its own, at ports that it has", () => {
    const { spec } = of(overlay).get("Service", service);
    expect(spec.clusterIP).toBe("None");
    const reached = of(overlay)
      .workloads()
      .filter((each) =>
        selects({ matchLabels: spec.selector }, each.spec.template.metadata.labels),
      );
    expect(reached.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
      ["Deployment", service],
    ]);
    for (const { port, targetPort } of spec.ports) expect(ports().get(targetPort)).toBe(port);
  });

  it("is given every setting that it cannot do without, and none that it does not read", async () => {
    const environment = environmentOf(of(overlay), deployment());
    const { projected } = pod().spec.volumes[0];
    const [{ mountPath }] = containerOf(deployment()).volumeMounts;
    const files = projected.sources.flatMap(
      ({ secret }: { secret: { items: { path: string }[] } }) =>
        secret.items.map(({ path }) => path),
    );
    const generated = generateSecrets();
    const secrets: Record<string, string> = {
      ...sharedSettings(generated),
      ...ownSettings(generated, service),
      MONGODB_URI: "mongodb://h",
      AMQP_URL: "amqp://h",
      MEMBERS_OIDC_CLIENT_SECRET: "secret",
      OPERATORS_OIDC_CLIENT_SECRET: "secret",
    };
    const mounted = join(folder, service);
    mkdirSync(mounted, { recursive: true });
    for (const file of files) writeFileSync(join(mounted, file), secrets[file]!);
    const known = settingsOf(service);
    const isSecret = (name: string) => name.endsWith("_FILE") && !known.has(name);
    const secretSettings = Object.entries(environment).filter(([name]) => isSecret(name));
    // Each secret has a file of the same name, and each file is read.
    expect(secretSettings.map(([, path]) => path).sort()).toEqual(
      files.map((file: string) => `${mountPath}/${file}`).sort(),
    );
    for (const [name, path] of secretSettings)
      expect(path).toBe(`${mountPath}/${name.slice(0, -"_FILE".length)}`);
    const names = Object.keys(environment).map((name) =>
      isSecret(name) ? name.replace(/_FILE$/, "") : name,
    );
    expect([...known]).toEqual(expect.arrayContaining(names));
    const here = Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(mountPath, mounted),
    ]);
    const settings = { ...Object.fromEntries(here), DISBURSE_MODE: "sandbox" };
    expect(await refusedSettings(service, { ...settings, PORT: "none" })).toEqual(["PORT"]);
    expect(files.includes("AMQP_URL")).toBe(known.has("AMQP_URL"));
  });

  it("reads the Secret of its own keys, and no one else's", () => {
    const [database, keys] = pod().spec.volumes[0].projected.sources;
    expect(database.secret.name).toMatch(new RegExp(`^${service}-mongodb`));
    expect(keys.secret.name).toBe(`${service}-keys`);
    for (const { key, path } of keys.secret.items) expect(key).toBe(path);
  });

  it("is migrated by a job that is given the address of its database and nothing else", () => {
    const jobs = of(overlay)
      .ofKind("Job")
      .filter((job) => containerOf(job).image === containerOf(deployment()).image);
    expect(jobs).toHaveLength(1);
    const [job] = jobs as [Manifest];
    expect(containerOf(job).args).toEqual([...containerOf(deployment()).args, "migrate"]);
    expect(Object.keys(environmentOf(of(overlay), job))).toEqual(["MONGODB_URI_FILE"]);
    const own = pod().spec.volumes[0].projected.sources[0];
    expect(job.spec.template.spec.volumes[0].projected.sources).toEqual([own]);
    expect(own.secret.name).toMatch(new RegExp(`^${service}-mongodb`));
  });
});

describe.skipIf(kubectl === "").each(["stage", "production"] as const)(
  `mutual TLS of %s${without}`,
  (overlay) => {
    it.each(serviceNames)("gives %s its own certificate, and those of whom it believes", (name) => {
      const { spec } = of(overlay).get("Certificate", `${name}-service`);
      expect(spec.uris).toEqual([`spiffe://disburse/${name}`]);
      expect(spec).toMatchObject({ dnsNames: [name], secretName: `${name}-certificate` });
      expect(spec.usages).toEqual(["digital signature", "server auth", "client auth"]);
      // The namespace's own authority, which signs for services only.
      const issuer = { group: "cert-manager.io", kind: "Issuer", name: "disburse-services" };
      expect(spec.issuerRef).toEqual(issuer);
      expect(spec.privateKey).toMatchObject({ algorithm: "ECDSA", rotationPolicy: "Always" });
      // Renewal precedes DisburseCertificateExpiring, which fires 14 days before expiry.
      const days = (text: string) => Number(/^(\d+)h$/.exec(text)?.[1]) / 24;
      expect(days(spec.renewBefore)).toBeGreaterThan(14);
      expect(days(spec.duration)).toBeGreaterThan(2 * days(spec.renewBefore));
      const deployment = of(overlay).get("Deployment", name);
      const volumes = deployment.spec.template.spec.volumes as Container[];
      const { projected } = volumes.find((each) => each.name === "tls")!;
      const [secret, authorities] = projected.sources;
      expect(secret.secret.name).toBe(spec.secretName);
      for (const { key, path } of secret.secret.items) expect(path).toBe(key);
      expect(projected.sources).toHaveLength(2);
      expect(projected.defaultMode).toBe(0o440);
      expect(authorities.configMap.name).toBe("service-authorities");
      const mounts = containerOf(deployment).volumeMounts as Container[];
      const { mountPath, readOnly } = mounts.find((each) => each.name === "tls")!;
      expect(readOnly).toBe(true);
      const files = [...secret.secret.items, ...authorities.configMap.items];
      const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE } = environmentOf(of(overlay), deployment);
      expect([TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE]).toEqual(
        files.map(({ path }) => `${mountPath}/${path}`),
      );
    });

    it("is what services call each other by", () => {
      for (const name of serviceNames) {
        const environment = environmentOf(of(overlay), of(overlay).get("Deployment", name));
        for (const other of serviceNames) {
          const url = environment[`${other.toUpperCase()}_URL`];
          if (url !== undefined) expect(url).toBe(`https://${other}:9000`);
        }
      }
    });
  },
);

/** Callers and services of the table in docs/explanation/architecture.md. */
const calls = readFileSync(join(root, "docs/explanation/architecture.md"), "utf8")
  .split("| caller | calls |\n| --- | --- |\n")[1]
  ?.split("\n\n")[0]
  ?.split("\n")
  .flatMap((row) => {
    const [, from = "", to = ""] = /^\| (\w+) \| (.*) \|$/.exec(row) ?? [];
    return to.split(", ").map((each) => [from, each] as const);
  }) as readonly (readonly [string, string])[];
const withBroker = ["beneficiary", "compliance", "notifier", "payout"];
const toTheWorld = ["compliance", "notifier"];

describe.skipIf(kubectl === "").each(overlays)(`network policies of %s${without}`, (overlay) => {
  const isSandbox = overlay === "sandbox";
  const migrations = serviceNames.map((name) => `${name}-migration`);
  const jobs = {
    sandbox: ["sandbox-secrets", "sandbox-seed"],
    stage: ["sandbox-seed"],
    production: [],
  }[overlay];
  const parts = isSandbox ? ["mongodb", "rabbitmq"] : [];
  const outside = {
    sandbox: ["mongodb", "rabbitmq"],
    stage: [],
    production: ["10.0.0.0/8", "10.0.0.0/8"],
  };
  const [database, broker] = outside[overlay];
  const brokerPort = overlay === "production" ? 5_671 : 5_672;

  it("deny what no other one allows", () => {
    expect(of(overlay).get("NetworkPolicy", "default-deny").spec).toEqual({
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
    });
    for (const { spec } of of(overlay).ofKind("NetworkPolicy")) {
      const given = spec.policyTypes.map((type: string) => type.toLowerCase());
      const stated = ["ingress", "egress"].filter((direction) => direction in spec);
      if (stated.length > 0) expect(given.sort()).toEqual(stated.sort());
    }
  });

  it("let out what architecture.md draws, and nothing more", () => {
    const pods = [...serviceNames, ...migrations, ...jobs, ...parts];
    const expected = [
      ...pods.map((pod) => `${pod} namespace kube-system:53`),
      ...calls.map(([from, to]) => `${from} ${to}:9000`),
      ...serviceNames.flatMap((name) =>
        [4_317, 4_318].map((port) => `${name} namespace monitoring:${port}`),
      ),
      ...toTheWorld.flatMap((name) =>
        ["0.0.0.0/0", "2000::/3"].flatMap((cidr) =>
          [443, 8_443].map((port) => `${name} ${cidr}:${port}`),
        ),
      ),
      ...(database === undefined
        ? []
        : [...serviceNames, ...migrations].map((name) => `${name} ${database}:27017`)),
      ...(broker === undefined ? [] : withBroker.map((name) => `${name} ${broker}:${brokerPort}`)),
      // Keys of persons' tokens.
      ...(isSandbox ? [] : serviceNames.map((name) => `${name} 0.0.0.0/0:443`)),
      // The evidence bucket.
      ...(overlay === "production" ? serviceNames.map((name) => `${name} 10.0.0.0/8:443`) : []),
      ...jobs.flatMap((job) => [443, 6_443].map((port) => `${job} anywhere:${port}`)),
      ...jobs.flatMap((job) => serviceNames.map((name) => `${job} ${name}:9000`)),
    ];
    expect(arrows(of(overlay), "egress")).toEqual([...new Set(expected)].sort());
  });

  it("are printed as a matrix", () => {
    const lines = networkMatrix(of(overlay))
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(lines[0]).toEqual(["FROM", "TO", "PORTS", "ALLOWED BY"]);
    for (const [from, to] of calls) {
      expect(lines).toContainEqual([from, to, "9000", `from-${from}, to-${to}`]);
    }
    expect(lines).toContainEqual(["namespace monitoring", "payout", "9100", "scraping"]);
    expect(lines).toContainEqual(["payout", "namespace kube-system", "53", "dns"]);
  });

  it("let in the same, and who merchants and operators come by", () => {
    const expected = [
      ...calls.map(([from, to]) => `${to} ${from}:9000`),
      ...serviceNames.map((name) => `${name} namespace monitoring:9100`),
      ...["8080", "8081"].map((port) => `gateway namespace ingress:${port}`),
      ...(isSandbox ? [...serviceNames, ...migrations].map((name) => `mongodb ${name}:27017`) : []),
      ...(isSandbox ? withBroker.map((name) => `rabbitmq ${name}:5672`) : []),
      ...jobs.flatMap((job) => serviceNames.map((name) => `${name} ${job}:9000`)),
    ];
    expect(arrows(of(overlay), "ingress")).toEqual(expected.sort());
  });

  it("let the database's and the broker's pods of an operator be reached", () => {
    const byOperator = of(overlay)
      .ofKind("NetworkPolicy")
      .filter(({ metadata }) => /^(?:database|broker)-(?:egress|ingress)$/.test(metadata.name));
    const selectors = byOperator.map(({ metadata, spec }) => [
      metadata.name,
      spec.egress?.[0].to[0].podSelector?.matchLabels ?? spec.podSelector.matchLabels,
    ]);
    if (overlay !== "stage") return;
    const mongodb = { app: "mongodb-svc" };
    const rabbitmq = { "app.kubernetes.io/name": "rabbitmq" };
    expect(Object.fromEntries(selectors)).toEqual({
      "broker-egress": rabbitmq,
      "broker-ingress": rabbitmq,
      "database-egress": mongodb,
      "database-ingress": mongodb,
    });
    expect(of(overlay).get("MongoDBCommunity", "mongodb").spec.members).toBe(3);
    expect(of(overlay).get("RabbitmqCluster", "rabbitmq").spec.replicas).toBe(3);
  });

  it("leave out every network that the notifier's own guard refuses", () => {
    const tables = readFileSync(
      join(root, "services/notifier/src/sender/rules/address.ts"),
      "utf8",
    );
    const refused = [...tables.matchAll(/"([0-9a-f:.]+\/\d+)"/g)].map(([, cidr = ""]) => cidr);
    const [v4, v6] = of(overlay).get("NetworkPolicy", "world").spec.egress[0].to;
    const excepted: string[] = [...v4.ipBlock.except, ...v6.ipBlock.except];
    // Already excluded by a larger range, or outside of 2000::/3.
    const covered = ["100.100.100.200/32", "192.0.0.192/32", "2000::/3", "2001::/32", "0.0.0.0/32"];
    const isElsewhere = (cidr: string) => cidr.includes(":") && !/^[23]/.test(cidr);
    const needed = refused.filter((cidr) => !covered.includes(cidr) && !isElsewhere(cidr));
    expect(excepted.sort()).toEqual([...new Set(needed)].sort());
  });
});

describe.skipIf(kubectl === "").each(["stage", "production"] as const)(
  `monitoring of %s${without}`,
  (overlay) => {
    it("scrapes every service, as the job that the alerts know", () => {
      const { spec, metadata: monitor } = of(overlay).get("ServiceMonitor", "disburse");
      // kube-prometheus-stack selects no others.
      const selected = { release: "kube-prometheus-stack" };
      expect(monitor.labels).toMatchObject(selected);
      expect(of(overlay).get("PrometheusRule", "disburse").metadata.labels).toMatchObject(selected);
      const [{ port, path, honorLabels }] = spec.endpoints;
      expect({ port, path, honorLabels }).toEqual({
        port: "admin",
        path: "/metrics",
        honorLabels: true,
      });
      const scraped = of(overlay)
        .ofKind("Service")
        .filter((service) => selects(spec.selector, labelsOf(service)))
        .filter((service) => service.spec.ports.some((each: Container) => each.name === port));
      expect(scraped.map(({ metadata }) => metadata.name).sort()).toEqual([...serviceNames].sort());
      for (const service of scraped) expect(labelsOf(service)[spec.jobLabel]).toBe("disburse");
    });
  },
);

describe.skipIf(kubectl === "").each(overlays)(`the way in of %s${without}`, (overlay) => {
  it("is one host with TLS that leads to the gateway's public port", () => {
    const [ingress, ...others] = of(overlay).ofKind("Ingress");
    expect(others).toEqual([]);
    const { tls, rules } = ingress!.spec;
    expect(ingress!.metadata.annotations).toMatchObject({
      "nginx.ingress.kubernetes.io/proxy-body-size": "8m",
      "nginx.ingress.kubernetes.io/proxy-read-timeout": "60",
    });
    expect(tls).toEqual([{ hosts: [rules[0].host], secretName: "gateway-tls" }]);
    expect(rules[0].host).not.toContain("invalid");
    const { name, port } = rules[0].http.paths[0].backend.service;
    const service = of(overlay).get("Service", name);
    const target = service.spec.ports.find((each: Container) => each.name === port.name);
    const gateway = of(overlay).get("Deployment", "gateway");
    expect(
      selects({ matchLabels: service.spec.selector }, gateway.spec.template.metadata.labels),
    ).toBe(true);
    expect(containerOf(gateway).ports).toContainEqual({
      name: target.targetPort,
      containerPort: 8_080,
    });
    expect(environmentOf(of(overlay), gateway).PORT).toBe("8080");
  });
});

it("the alerts in components/monitoring are those of deploy/observability", () => {
  const path = join(root, "deploy/k8s/components/monitoring/rules.yaml");
  const isStale = readFileSync(path, "utf8") !== prometheusRule();
  expect(isStale && "stale: run `npm run generate` and commit what it changes").toBe(false);
});
