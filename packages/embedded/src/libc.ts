import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { onPath } from "./executables.ts";

const run = promisify(execFile);

/**
 * The minimum version of glibc, with which the engine is built. Debian 12 has 2.36, Debian 13
 * ("trixie") has 2.41.
 */
const glibcNeeded = [2, 38] as const;
const suite = "trixie";
const packages = ["libc6", "libstdc++6", "libgcc-s1"];

/** The time limit for downloading 4 MB of packages. */
const fetchTimeoutMs = 120_000;

const loaders: Record<string, string> = {
  x64: "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
  arm64: "usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1",
};

const alternatives =
  "Otherwise set MONGODB_URI to a MongoDB of your own, or put a mongod on PATH, and start again.";

/** Returns the command prefix that loads a recent enough C library. */
export async function loaderPrefix(env: NodeJS.ProcessEnv): Promise<string[]> {
  if (process.platform !== "linux") return [];
  const glibc = glibcVersion();
  if (glibc === undefined) {
    throw new Error(`The embedded MongoDB engine needs a Linux with glibc. ${alternatives}`);
  }
  if (isSupportedGlibc(glibc)) return [];
  const loader = loaders[process.arch];
  if (loader === undefined) {
    throw new Error(
      `The embedded MongoDB engine is not available for the architecture ${process.arch}. ${alternatives}`,
    );
  }
  const folder = await fetchLibc(cacheFolder(env), glibc, env);
  const file = join(folder, loader);
  return [file, "--library-path", join(file, "..")];
}

export function isSupportedGlibc(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > glibcNeeded[0] || (major === glibcNeeded[0] && minor >= glibcNeeded[1]);
}

function glibcVersion(): string | undefined {
  // Without this option, the report would resolve the name of every network interface, which can
  // take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return report.header.glibcVersionRuntime;
}

/** Returns DISBURSE_CACHE_DIR, or a folder beside the sources. */
function cacheFolder(env: NodeJS.ProcessEnv): string {
  const repository = join(import.meta.dirname, "..", "..", "..");
  return env.DISBURSE_CACHE_DIR ?? join(repository, ".cache");
}

async function fetchLibc(cache: string, glibc: string, env: NodeJS.ProcessEnv): Promise<string> {
  const folder = join(cache, "libc", `${suite}-${process.arch}`);
  if (existsSync(folder)) return folder;
  const why = `The embedded MongoDB engine needs glibc 2.38; this machine has ${glibc}.`;
  if (!existsSync("/etc/debian_version") || onPath("apt-get", env) === undefined) {
    throw new Error(`${why} Disburse can fetch a newer glibc only on Debian. ${alternatives}`);
  }
  await mkdir(join(cache, "libc"), { recursive: true });
  const work = await mkdtemp(join(cache, "libc", "fetching-"));
  try {
    await unpack(work, env);
    // Another process may have created the folder first. Its copy is equivalent.
    await rename(join(work, "root"), folder).catch((cause) => {
      if (!existsSync(folder)) throw cause;
    });
    return folder;
  } catch (cause) {
    throw new Error(
      `${why} Fetching a newer glibc from the Debian mirror failed: ${lastLine(cause)}\n` +
        `Connect this machine to the network and start again. ${alternatives}`,
      { cause },
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Downloads and unpacks the packages. Keeps apt's state in `work` and changes nothing else. */
async function unpack(work: string, env: NodeJS.ProcessEnv): Promise<void> {
  const sources = join(work, "sources.list");
  await writeFile(sources, `deb ${await sourceLine(env)} ${suite} main\n`);
  for (const folder of ["lists/partial", "cache/archives/partial", "debs"]) {
    await mkdir(join(work, folder), { recursive: true });
  }
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
    await run("dpkg-deb", ["-x", join(settings.cwd, deb), join(work, "root")], { env });
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
