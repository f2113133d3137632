import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedFiles } from "./resources.ts";

/** Generates `src/gen` from `docs/openapi.json`; part of `npm run generate`. */

const root = join(import.meta.dirname, "../../../..");
const folder = join(import.meta.dirname, "../gen");
const document = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8"));

mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(generatedFiles(document))) {
  writeFileSync(join(folder, name), text);
}
