import { execFile } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import { isServing, startSupervised } from "@disburse/embedded/supervised-process.ts";

/** Kubernetes' API server with its store, and a kubectl that is its administrator. */
export type ApiServer = Awaited<ReturnType<typeof startApiServer>>;

/** The result of a kubectl call, which may have failed. */
export type Called = { readonly code: number; readonly stdout: string; readonly stderr: string };

const programs = ["etcd", "kube-apiserver", "kubectl"] as const;
/** The API server is ready after some 10 s on an idle machine. */
const startTimeoutMs = 180_000;
const stopTimeoutMs = 20_000;
/** Every object of an overlay as JSON. */
const outputBytesMax = 64_000_000;
const run = promisify(execFile);

/** Returns why a folder can't serve as `KUBEBUILDER_ASSETS`, if there is a reason. */
export function missingAssets(folder: string | undefined): string | undefined {
  if (folder === undefined || folder === "") {
    return `KUBEBUILDER_ASSETS must name a folder with ${programs.join(", ")}`;
  }
  const absent = programs.filter((name) => !existsSync(join(folder, name)));
  return absent.length === 0 ? undefined : `${folder} has no ${absent.join(", ")}`;
}

/** Starts etcd and an API server on the loopback address. @param assets the programs' folder */
export async function startApiServer(assets: string, folder: string) {
  await using starting = new AsyncDisposableStack();
  const [clients, peers, secure] = (await freePorts(3)) as [number, number, number];
  const store = `http://127.0.0.1:${clients}`;
  const start = async (name: string, args: string[], ready: () => Promise<boolean>) => {
    const child = await startSupervised({
      name,
      command: join(assets, name),
      args,
      env: {},
      logFile: join(folder, `${name}.log`),
      ready,
      startTimeoutMs,
      stopTimeoutMs,
    });
    starting.defer(child.stop);
  };
  await start("etcd", etcdArguments(folder, store, `http://127.0.0.1:${peers}`), () =>
    isServing({ host: "127.0.0.1", port: clients }),
  );
  const token = randomBytes(16).toString("hex");
  const kubeconfig = writeKubeconfig(folder, secure, token);
  const call = async (args: readonly string[], input = ""): Promise<Called> => {
    const options = { maxBuffer: outputBytesMax, env: { ...process.env, KUBECONFIG: kubeconfig } };
    const calling = run(join(assets, "kubectl"), args, options);
    calling.child.stdin?.end(input);
    return calling.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: Called) => ({ code: Number(code), stdout, stderr }),
    );
  };
  await start("kube-apiserver", apiServerArguments({ folder, store, secure, token }), async () => {
    if (!(await isServing({ host: "127.0.0.1", port: secure }))) return false;
    return (await call(["get", "--raw", "/readyz"])).code === 0;
  });
  const ends = starting.move();
  return {
    url: `https://127.0.0.1:${secure}`,
    authorityFile: join(folder, "certificates", "apiserver.crt"),
    call,
    /** Returns what kubectl prints. Throws if it fails. */
    kubectl: async (args: readonly string[], input?: string): Promise<string> => {
      const { code, stdout, stderr } = await call(args, input);
      if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr.trim()}`);
      return stdout;
    },
    stop: () => ends.disposeAsync(),
  };
}

function etcdArguments(folder: string, clients: string, peers: string): string[] {
  return [
    ...["--data-dir", join(folder, "etcd"), "--unsafe-no-fsync"],
    ...["--listen-client-urls", clients, "--advertise-client-urls", clients],
    ...["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers],
    ...["--initial-cluster", `default=${peers}`],
  ];
}

/** Pod Security admission is on by default. */
function apiServerArguments(run: {
  readonly folder: string;
  readonly store: string;
  readonly secure: number;
  readonly token: string;
}): string[] {
  const { folder, store, secure, token } = run;
  const accountKey = join(folder, "service-accounts.pem");
  const tokens = join(folder, "tokens.csv");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const secret = { mode: 0o600 };
  writeFileSync(accountKey, privateKey.export({ type: "pkcs8", format: "pem" }), secret);
  writeFileSync(tokens, `${token},administrator,administrator,system:masters\n`, secret);
  mkdirSync(join(folder, "certificates"), { recursive: true });
  return [
    `--etcd-servers=${store}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${secure}`,
    `--cert-dir=${join(folder, "certificates")}`,
    "--anonymous-auth=false",
    "--authorization-mode=Node,RBAC",
    `--token-auth-file=${tokens}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${accountKey}`,
    `--service-account-signing-key-file=${accountKey}`,
    "--service-cluster-ip-range=10.0.0.0/16",
    // One server alone: nothing has to find its address.
    "--endpoint-reconciler-type=none",
  ];
}

/** The server signs its own certificate, and only this machine reaches it. */
function writeKubeconfig(folder: string, port: number, token: string): string {
  const server = `https://127.0.0.1:${port}`;
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "administrator", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "administrator" } }],
    "current-context": "test",
  };
  const file = join(folder, "kubeconfig.json");
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
