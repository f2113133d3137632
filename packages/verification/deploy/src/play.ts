import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import { containerOf, environmentOf, type Manifest, type Manifests } from "./manifests.ts";

export type Stage = {
  readonly manifests: Manifests;
  readonly folder: string;
  /** Replaces addresses of the manifests, such as `mongodb://mongodb:27017`. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Secrets, by name, that no manifest defines. */
  readonly secrets: () => Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Settings of every container. They override the manifests. */
  readonly settings: (service: string) => Readonly<Record<string, string>>;
};

export type Played = {
  readonly ended: Promise<number | null>;
  readonly output: () => string;
  readonly stop: (signal?: NodeJS.Signals) => void;
};

/** The token of a played pod is this text with the name of its ServiceAccount. */
export const accountTokenPrefix = "token-of-";

const root = join(import.meta.dirname, "../../../..");
/** Kubernetes mounts the service account's token here. */
const tokenFolder = "/run/secrets/kubernetes.io/serviceaccount";
/** The compile cache of this process, if it has one. */
const cached = getCompileCacheDir();
/** Node appends a folder for its version, so the child process gets the parent folder. */
const compileCache = cached === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cached) };
/** Ends a process when this one has ended for any reason. */
const lifeline = pathToFileURL(join(root, "scripts/lifeline.mjs"));
lifeline.searchParams.set("starter", String(process.pid));

/** Returns the service of an image, to link `service` to its sources. */
function serviceOf(workload: Manifest): string {
  return /(?:^|\/)disburse-([a-z]+)[:@]/.exec(containerOf(workload).image)?.[1] ?? "";
}

/** Returns the Dockerfile's settings for every image, on the loopback address. */
function imageEnvironment(): Record<string, string> {
  const dockerfile = readFileSync(join(root, "deploy/Dockerfile"), "utf8");
  const text = /^ENV (.*HOST=.*)$/m.exec(dockerfile)?.[1] ?? "";
  const pairs = text.split(" ").map((pair) => pair.replace("0.0.0.0", "127.0.0.1").split("="));
  return Object.fromEntries(pairs);
}

/**
 * Runs the containers of rendered manifests as processes on this machine. Arguments and settings
 * are unchanged. Secrets become files, and Service addresses become free loopback ports.
 */
export async function playManifests(stage: Stage) {
  const { manifests } = stage;
  const ports = await loopbackPorts(manifests);
  const portOf = (deployment: string, port: number): number => {
    const found = ports.get(`${deployment}:${port}`);
    if (found === undefined) {
      throw new Error(
        `no loopback port was chosen for port ${port} of the Deployment ${deployment}`,
      );
    }
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
    /** Returns the URL that the kubelet would probe. */
    probeUrl: (deployment: Manifest, probe: "startup" | "liveness" | "readiness"): string => {
      const { path, port } = containerOf(deployment)[`${probe}Probe`].httpGet;
      const { containerPort } = namedPort(deployment, port);
      return `http://127.0.0.1:${portOf(deployment.metadata.name, containerPort)}${path}`;
    },
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
  if (found === undefined)
    throw new Error(`the Deployment ${deployment.metadata.name} has no port named ${name}`);
  return found;
}

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
    throw new Error(`the Service ${service} must select exactly one Deployment`);
  }
  const { containerPort } = namedPort(deployment, found.targetPort);
  return { deployment: deployment.metadata.name as string, containerPort };
}

type SecretSource = { name: string; items: { key: string; path: string }[] };

/** Creates a container's mounts. Returns each mount path with its local folder. */
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
        if (value === undefined) throw new Error(`the Secret ${source.name} has no key ${key}`);
        writeFileSync(join(folder, path), stage.addresses[value] ?? value);
      }
    }
    return [mountPath, folder];
  });
  if (!workload.spec.template.spec.automountServiceAccountToken) return mounts;
  const folder = join(home, "token");
  mkdirSync(folder, { recursive: true });
  const { serviceAccountName } = workload.spec.template.spec;
  writeFileSync(join(folder, "token"), `${accountTokenPrefix}${serviceAccountName}\n`);
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
  const created = stage.secrets()[name];
  if (created !== undefined) return created;
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
  if (node !== "node")
    throw new Error(`${workload.metadata.name} runs the program ${node}; only node is supported`);
  // `service` is a link to the installed package, as in the image.
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
