import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** Requires a checksum for every package in the lockfile: npm verifies only those. */

type Entry = { readonly integrity?: string; readonly link?: true; readonly optional?: true };

const root = join(import.meta.dirname, "..");
const lockfiles = globSync(["package-lock.json", "{packages,scripts}/**/package-lock.json"], {
  cwd: root,
  exclude: ["**/node_modules"],
});
const installed = lockfiles.flatMap((file) => {
  const lockfile = readFileSync(join(root, file), "utf8");
  return Object.entries<Entry>(JSON.parse(lockfile).packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && link !== true,
  );
});
const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + 13);

/** Binaries of other platforms that the registry lacked when last checked. */
const withoutChecksum = [
  "litesvm-darwin-arm64",
  "litesvm-darwin-x64",
  "litesvm-linux-arm64-gnu",
  "litesvm-linux-arm64-musl",
  "litesvm-linux-x64-musl",
];

it("covers every project of the repository", () => {
  const known = ["clients/typescript", "http", "kubectl", "openapi", "postman", "runtime"];
  const scripts = known.map((name) => `scripts/${name}/package-lock.json`);
  const all = ["package-lock.json", "packages/docs-site/package-lock.json", ...scripts];
  expect(lockfiles.toSorted()).toEqual(all.toSorted());
});

it("has a SHA-512 of every package but those that the registry does not have", () => {
  const found = installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"));
  expect(found.map(([path]) => nameOf(path)).sort()).toEqual(withoutChecksum);
  expect(found.filter(([, { optional }]) => optional !== true)).toEqual([]);
});
