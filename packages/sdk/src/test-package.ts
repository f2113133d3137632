import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const sdk = join(import.meta.dirname, "..");
const modules = join(sdk, "../../node_modules");

/** A project folder with the package installed as by `npm install`. */
export type InstalledPackage = {
  readonly folder: string;
  /** Paths of the files in the package. */
  readonly files: readonly string[];
  readonly tarball: string;
  remove(): void;
};

/** Builds and packs the package and installs it into a new folder. */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), "disburse-sdk-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const staged = join(folder, "staged");
    for (const each of ["package.json", "README.md", "LICENSE", "src"]) {
      cpSync(join(sdk, each), join(staged, each), { recursive: true });
    }
    execFileSync(process.execPath, [join(sdk, "build.mjs"), join(staged, "dist")]);
    const options = { cwd: staged, encoding: "utf8", shell: process.platform === "win32" } as const;
    const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json"], {
      ...options,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { filename, paths } = packedFiles(packed);
    const tarball = join(folder, filename);
    renameSync(join(staged, filename), tarball);
    const installed = join(folder, "node_modules/@disburse/sdk");
    mkdirSync(installed, { recursive: true });
    execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
    for (const each of ["lossless-json", "express", "koa"]) {
      symlinkSync(join(modules, each), join(folder, "node_modules", each));
    }
    rmSync(staged, { recursive: true });
    return { folder, files: paths, tarball, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

type Packed = { readonly filename: string; readonly files: readonly { readonly path: string }[] };

/** npm prints a list. From version 12 on, npm prints an object with package names as keys. */
function packedFiles(json: string): { filename: string; paths: string[] } {
  const answer = JSON.parse(json) as readonly Packed[] | Readonly<Record<string, Packed>>;
  const [packed] = Object.values(answer) as readonly Packed[];
  if (packed === undefined) throw new Error("npm packed nothing");
  return { filename: packed.filename, paths: packed.files.map(({ path }) => path) };
}

/**
 * Returns the oldest supported Node on the PATH. Without one, returns the Node that runs the tests.
 */
export function oldestNode(): { readonly path: string; readonly version: string } {
  const found = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => versionOf(join(folder, "node")) ?? [])
    .filter(({ major, minor }) => major > 20 || (major === 20 && minor >= 3));
  const own = { path: process.execPath, version: process.version, major: 99, minor: 0 };
  return [...found, own].reduce((a, b) => (b.major < a.major ? b : a));
}

function versionOf(path: string) {
  try {
    const version = execFileSync(path, ["--version"], { encoding: "utf8", stdio: "pipe" }).trim();
    const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
    return { path, version, major: Number(major), minor: Number(minor) };
  } catch {
    // The folder contains no Node.
    return undefined;
  }
}
