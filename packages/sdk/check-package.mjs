// Checks with publint and attw (`@arethetypeswrong/core`) that all module systems resolve the
// packed package and its types: `node check-package.mjs FILE.tgz`. Prints problems and exits with
// 1.
import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const [, , file] = process.argv;
if (file === undefined) throw new Error("usage: node check-package.mjs FILE.tgz");
const tarball = new Uint8Array(readFileSync(file));

const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
const types = await checkPackage(createPackageFromTarballData(tarball));
if (types.types === false) throw new Error("the package has no types");

const found = [
  ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`),
  ...types.problems.map((problem) => `attw: ${JSON.stringify(problem)}`),
];
for (const each of found) process.stdout.write(`${each}\n`);
process.exitCode = found.length > 0 ? 1 : 0;
