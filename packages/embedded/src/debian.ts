import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { onPath } from "./executables.ts";

const run = promisify(execFile);

/** The time limit for downloading the packages of a suite. */
const fetchTimeoutMs = 120_000;

/** The dynamic loader of each architecture, inside a folder of unpacked packages. */
export const loaders: Record<string, string> = {
  x64: "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
  arm64: "usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1",
};

/** Packages of one of Debian's suites, such as `trixie`. */
export type DebianPackages = { readonly suite: string; readonly packages: readonly string[] };

/** Returns DISBURSE_CACHE_DIR, or a folder beside the sources. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const repository = join(import.meta.dirname, "..", "..", "..");
  return env.DISBURSE_CACHE_DIR ?? join(repository, ".cache");
}

/** Returns true if packages can be fetched here. */
export function canFetchDebian(env: NodeJS.ProcessEnv): boolean {
  return existsSync("/etc/debian_version") && onPath("apt-get", env) !== undefined;
}

/**
 * Fetches packages from this machine's Debian mirror and unpacks them into a folder, unless it
 * exists. Installs nothing. Rejects with the last line of apt's error.
 */
export async function fetchDebian(
  folder: string,
  suites: readonly DebianPackages[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (existsSync(folder)) return;
  await mkdir(dirname(folder), { recursive: true });
  const work = await mkdtemp(join(dirname(folder), "fetching-"));
  try {
    for (const each of suites) await unpack(join(work, each.suite), join(work, "root"), each, env);
    // Another process may have created the folder first. Its copy is equivalent.
    await rename(join(work, "root"), folder).catch((cause) => {
      if (!existsSync(folder)) throw cause;
    });
  } catch (cause) {
    throw new Error(lastLine(cause), { cause });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Keeps apt's state in `work` and changes nothing else. */
async function unpack(
  work: string,
  root: string,
  { suite, packages }: DebianPackages,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const sources = join(work, "sources.list");
  for (const folder of ["lists/partial", "cache/archives/partial", "debs"]) {
    await mkdir(join(work, folder), { recursive: true });
  }
  await writeFile(sources, `deb ${await sourceLine(env)} ${suite} main\n`);
  const options = [
    `Dir::Etc::SourceList=${sources}`,
    "Dir::Etc::SourceParts=/dev/null",
    `Dir::State::Lists=${join(work, "lists")}`,
    `Dir::Cache=${join(work, "cache")}`,
    // If it runs as root, apt would switch to a user that can't access this folder.
    "APT::Sandbox::User=root",
    "Acquire::Languages=none",
    "Acquire::Retries=2",
    "APT::Update::Error-Mode=any",
  ].flatMap((option) => ["-o", option]);
  const settings = { cwd: join(work, "debs"), timeout: fetchTimeoutMs, env };
  await run("apt-get", [...options, "update"], settings);
  await run("apt-get", [...options, "download", ...packages], settings);
  for (const deb of await readdir(settings.cwd)) {
    await run("dpkg-deb", ["-x", join(settings.cwd, deb), root], { env });
  }
}

/**
 * Returns this machine's mirror of Debian's main archive and the keyring that must have signed it.
 */
async function sourceLine(env: NodeJS.ProcessEnv): Promise<string> {
  const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
  const signedBy = existsSync(keyring) ? `[signed-by=${keyring}] ` : "";
  const release = await readFile("/etc/os-release", "utf8");
  const codename = /^VERSION_CODENAME=(\S+)$/m.exec(release)?.[1];
  const format = "$(REPO_URI) $(RELEASE) $(COMPONENT)";
  const { stdout } = await run("apt-get", ["indextargets", "--format", format], { env });
  const own = stdout.split("\n").find((line) => line.endsWith(` ${codename} main`));
  return signedBy + (own?.split(" ")[0] ?? "http://deb.debian.org/debian");
}

function lastLine(cause: unknown): string {
  const { stderr, message } = cause as { stderr?: string; message: string };
  return (stderr?.trim() || message).split("\n").at(-1) ?? message;
}
