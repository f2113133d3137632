import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import { containerOf, environmentOf, type Manifest, type Manifests } from "./manifests.ts";

/** What stands in for a cluster. */
export type Stage = {
  readonly manifests: Manifests;
  /** Where each container's files are put. */
  readonly folder: string;
  /** By an address of the manifests, such as `mongodb://mongodb:27017`, the one to use. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Secrets that no manifest has, by name. */
  readonly secrets: () => Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Settings of every container that go before those of the manifests. */
  readonly settings: (service: string) => Readonly<Record<string, string>>;
};

/** A container that runs as a process of this machine. */
export type Played = {
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  /** All that it wrote. */
  readonly output: () => string;
  readonly stop: (signal?: NodeJS.Signals) => void;
};

const root = join(import.meta.dirname, "../../../..");
/** Where Kubernetes puts the token of a pod's service account. */
const tokenFolder = "/run/secrets/kubernetes.io/serviceaccount";
/** What Node keeps of modules, where this process has any of it. */
const cached = getCompileCacheDir();
/** Node has a folder of its version in it. */
const compileCache = cached === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cached) };
/** Asks a process to end when this one has gone, however it went. */
const lifeline = pathToFileURL(join(root, "scripts/lifeline.mjs"));
lifeline.searchParams.set("starter", String(process.pid));

/** Which service an image is of: it leads `service` to that one's sources. */
function serviceOf(workload: Manifest): string {
  return /(?:^|\/)disburse-([a-z]+):/.exec(containerOf(workload).image)?.[1] ?? "";
}

/** What the Dockerfile sets in every image, on the loopback address. */
function imageEnvironment(): Record<string, string> {
  const dockerfile = readFileSync(join(root, "deploy/Dockerfile"), "utf8");
  const text = /^ENV (.*HOST=.*)$/m.exec(dockerfile)?.[1] ?? "";
  const pairs = text.split(" ").map((pair) => pair.replace("0.0.0.0", "127.0.0.1").split("="));
  return Object.fromEntries(pairs);
}

/**
 * Starts the containers of rendered manifests as processes of this machine: their arguments and
 * settings as they are, their Secrets as files, and the addresses of Services as free ports of the
 * loopback address.
 */
export async function playManifests(stage: Stage) {
  const { manifests } = stage;
  const ports = await loopbackPorts(manifests);
  const portOf = (deployment: string, port: number): number => {
    const found = ports.get(`${deployment}:${port}`);
    if (found === undefined) throw new Error(`${deployment} has no port ${port}`);
    return found;
  };
  const urlOf = (service: string, port: number | string): string => {
    const { deployment, containerPort } = behind(manifests, service, port);
    return `http://127.0.0.1:${portOf(deployment, containerPort)}`;
  };
  const translated = (workload: Manifest, name: string, value: string): string => {
    const given = stage.addresses[value];
    if (given !== undefined) return given;
    const [, service = "", port = ""] = /^http:\/\/([a-z]+):(\d+)$/.exec(value) ?? [];
    if (service !== "") return urlOf(service, Number(port));
    if (!name.endsWith("PORT")) return value;
    return String(portOf(workload.metadata.name, Number(value)));
  };
  return {
    urlOf,
    /** Where the kubelet would send a probe of a Deployment. */
    probeUrl: (deployment: Manifest, probe: "startup" | "liveness" | "readiness"): string => {
      const { path, port } = containerOf(deployment)[`${probe}Probe`].httpGet;
      const { containerPort } = namedPort(deployment, port);
      return `http://127.0.0.1:${portOf(deployment.metadata.name, containerPort)}${path}`;
    },
    /** Starts the container of a Deployment or Job. */
    start: (workload: Manifest): Played => {
      const home = join(stage.folder, workload.metadata.name);
      const mounts = mount(stage, workload, home);
      const inside = (value: string) =>
        mounts.reduce((text, [path, real]) => text.replace(path, real), value);
      const environment = Object.entries(environmentOf(manifests, workload)).map(
        ([name, value]) => [name, inside(translated(workload, name, value))],
      );
      return spawnContainer(workload, home, {
        ...imageEnvironment(),
        ...Object.fromEntries(environment),
        ...stage.settings(serviceOf(workload)),
      });
    },
  };
}

/** A free port for each port of each Deployment. */
async function loopbackPorts(manifests: Manifests): Promise<Map<string, number>> {
  const wanted = manifests
    .ofKind("Deployment")
    .flatMap((deployment) =>
      containerOf(deployment).ports.map(
        ({ containerPort }: { containerPort: number }) =>
          `${deployment.metadata.name}:${containerPort}`,
      ),
    );
  const chosen = await freePorts(wanted.length);
  return new Map(wanted.map((name, at) => [name, chosen[at] ?? 0]));
}

function namedPort(deployment: Manifest, name: string): { containerPort: number } {
  const { ports } = containerOf(deployment);
  const found = ports.find((each: { name: string }) => each.name === name);
  if (found === undefined) throw new Error(`${deployment.metadata.name} has no port ${name}`);
  return found;
}

/** Which container port a port of a Service leads to. */
function behind(manifests: Manifests, service: string, port: number | string) {
  const { ports, selector } = manifests.get("Service", service).spec;
  const found = ports.find((each: { name: string; port: number }) =>
    [each.port, each.name].includes(port),
  );
  if (found === undefined) throw new Error(`Service ${service} has no port ${port}`);
  const wanted = Object.entries(selector as Record<string, string>);
  const [deployment, ...others] = manifests.ofKind("Deployment").filter(({ spec }) => {
    const { labels } = spec.template.metadata;
    return wanted.every(([key, value]) => labels[key] === value);
  });
  if (deployment === undefined || others.length > 0) {
    throw new Error(`Service ${service} selects no or several Deployments`);
  }
  const { containerPort } = namedPort(deployment, found.targetPort);
  return { deployment: deployment.metadata.name as string, containerPort };
}

type SecretSource = { name: string; items: { key: string; path: string }[] };

/** Makes what a container mounts; each mount path with the folder that stands in for it. */
function mount(stage: Stage, workload: Manifest, home: string): [string, string][] {
  const { volumes = [] } = workload.spec.template.spec;
  const { volumeMounts = [] } = containerOf(workload);
  const mounts = volumeMounts.map(({ name, mountPath }: { name: string; mountPath: string }) => {
    const folder = join(home, name);
    mkdirSync(folder, { recursive: true });
    const volume = volumes.find((each: { name: string }) => each.name === name);
    for (const source of secretsOf(volume)) {
      const secret = readSecret(stage, source.name);
      for (const { key, path } of source.items) {
        const value = secret[key];
        if (value === undefined) throw new Error(`Secret ${source.name} has no ${key}`);
        writeFileSync(join(folder, path), stage.addresses[value] ?? value);
      }
    }
    return [mountPath, folder];
  });
  if (!workload.spec.template.spec.automountServiceAccountToken) return mounts;
  const folder = join(home, "token");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "token"), "token of the service account\n");
  writeFileSync(join(folder, "ca.crt"), "");
  return [...mounts, [tokenFolder, folder]];
}

function secretsOf(volume: Record<string, unknown>): SecretSource[] {
  const { projected, secret } = volume as {
    projected?: { sources: { secret: SecretSource }[] };
    secret?: { secretName: string; items: SecretSource["items"] };
  };
  if (secret !== undefined) return [{ name: secret.secretName, items: secret.items }];
  return projected?.sources.map((source) => source.secret) ?? [];
}

function readSecret(stage: Stage, name: string): Readonly<Record<string, string>> {
  const made = stage.secrets()[name];
  if (made !== undefined) return made;
  const data = stage.manifests.get("Secret", name).data as Record<string, string>;
  const decoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64")]);
  return Object.fromEntries(decoded.map(([key, bytes]) => [key, String(bytes)]));
}

function spawnContainer(
  workload: Manifest,
  home: string,
  environment: Readonly<Record<string, string>>,
): Played {
  const [node, ...args] = containerOf(workload).args as string[];
  if (node !== "node") throw new Error(`${workload.metadata.name} runs ${node}`);
  // As the image has it: `service` leads to the service among the installed packages.
  mkdirSync(home, { recursive: true });
  const sources = realpathSync(join(root, "node_modules/@disburse", serviceOf(workload)));
  symlinkSync(sources, join(home, "service"));
  const child: ChildProcess = spawn(process.execPath, ["--import", lifeline.href, ...args], {
    cwd: home,
    env: { ...compileCache, ...environment },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return {
    ended: once(child, "close").then(([code]) => code as number | null),
    output: () => output,
    stop: (signal = "SIGTERM") => void child.kill(signal),
  };
}
