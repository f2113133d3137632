// Completes package-lock.json. Entries without a checksum are resolved again, and get the
// registry's checksum. npm drops an optional package that its registry does not have at the moment,
// and then refuses the lockfile (`npm ci`: "Missing … from lock file"). This script adds such
// binaries of other platforms again, without a checksum. An install fetches them by version, and
// tests/lockfile.test.ts lists them. `--check` only reports whether something is missing.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const file = fileURLToPath(new URL("../package-lock.json", import.meta.url));
let lock = readLock();

if (process.argv.includes("--check")) {
  const missing = missingBinaries();
  for (const { name, version } of missing) {
    process.stderr.write(`package-lock.json lacks the optional ${name}@${version}\n`);
  }
  if (missing.length > 0) process.stderr.write("Run `node scripts/complete-lockfile.mjs`.\n");
  process.exitCode = missing.length > 0 ? 1 : 0;
} else {
  for (const [path, entry] of Object.entries(lock.packages)) {
    const isFetched = path.includes("node_modules/") && entry.link !== true;
    if (isFetched && entry.integrity === undefined) delete lock.packages[path];
  }
  writeLock();
  const args = ["install", "--package-lock-only", "--ignore-scripts"];
  execFileSync("npm", args, { cwd: root, stdio: "inherit" });
  lock = readLock();
  for (const { name, version, dev } of missingBinaries()) {
    lock.packages[`node_modules/${name}`] = entryFor(name, version, dev);
  }
  const { "": own, ...rest } = lock.packages;
  const sorted = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = { "": own, ...Object.fromEntries(sorted) };
  writeLock();
}

function readLock() {
  return JSON.parse(readFileSync(file, "utf8"));
}

function writeLock() {
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}

/** Optional packages that are named but have no entry. */
function missingBinaries() {
  return Object.entries(lock.packages).flatMap(([path, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !isResolved(path, name))
      .map(([name, version]) => ({ name, version, dev: entry.dev })),
  );
}

/** True if Node would find the package from there: beside it or further up. */
function isResolved(path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf("/node_modules/"), 0))) {
    if (lock.packages[`${at === "" ? "" : `${at}/`}node_modules/${name}`]) return true;
    if (at === "") return false;
  }
}

/** Builds an entry; the makers of such packages put the platform into the name. */
function entryFor(name, version, dev) {
  const words = name.split(/[/-]/);
  const find = (known) => words.map((word) => known[word]).find((value) => value !== undefined);
  const os = find({ windows: "win32", ...same("android darwin freebsd linux openharmony win32") });
  const cpu = find({
    ...{ 64: "x64", amd64: "x64", armv7: "arm", eabi: "arm", gnueabihf: "arm", musleabihf: "arm" },
    ...same("arm arm64 ia32 ppc64 riscv64 s390x x64 wasm32"),
  });
  const libc = find({ gnu: "glibc", musl: "musl" });
  return {
    version,
    ...(cpu && { cpu: [cpu] }),
    ...(dev && { dev }),
    ...(libc && { libc: [libc] }),
    optional: true,
    ...(os && { os: [os] }),
  };
}

function same(words) {
  return Object.fromEntries(words.split(" ").map((word) => [word, word]));
}
