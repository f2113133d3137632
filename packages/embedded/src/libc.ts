import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, canFetchDebian, fetchDebian, loaders } from "./debian.ts";

/**
 * The minimum version of glibc, with which the engine is built. Debian 12 has 2.36, Debian 13
 * ("trixie") has 2.41.
 */
const glibcNeeded = [2, 38] as const;
const suite = "trixie";
const packages = ["libc6", "libstdc++6", "libgcc-s1"];

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

async function fetchLibc(cache: string, glibc: string, env: NodeJS.ProcessEnv): Promise<string> {
  const folder = join(cache, "libc", `${suite}-${process.arch}`);
  if (existsSync(folder)) return folder;
  const why = `The embedded MongoDB engine needs glibc 2.38; this machine has ${glibc}.`;
  if (!canFetchDebian(env)) {
    throw new Error(`${why} Disburse can fetch a newer glibc only on Debian. ${alternatives}`);
  }
  try {
    await fetchDebian(folder, [{ suite, packages }], env);
    return folder;
  } catch (cause) {
    throw new Error(
      `${why} Fetching a newer glibc from the Debian mirror failed: ${(cause as Error).message}\n` +
        `Connect this machine to the network and start again. ${alternatives}`,
      { cause },
    );
  }
}
