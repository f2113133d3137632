import { existsSync } from "node:fs";
import { writeFileAtomically } from "./atomic-file.ts";
import { secretSettings } from "./secrets.ts";

/** Writes a sandbox's secrets to a file of settings. An existing file stays: data needs it. */

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: make-secrets.ts FILE");

if (!existsSync(path)) {
  const lines = Object.entries(secretSettings()).map(([name, value]) => `${name}=${value}\n`);
  writeFileAtomically(path, lines.join(""));
}
