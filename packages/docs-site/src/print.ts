import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completedErrors } from "./error-tables.ts";
import { type GuideTexts, guideFiles, siteOf } from "./site.ts";

/** Generates the content of the gateway's `/docs`; part of `npm run generate`. */

const root = join(import.meta.dirname, "../../..");
const folder = join(root, "services/gateway/src/http/docs/gen");
const document = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8"));
const errors = join(root, guideFiles.errors);
writeFileSync(errors, completedErrors(readFileSync(errors, "utf8"), document));
const texts = Object.fromEntries(
  Object.entries(guideFiles).map(([slug, file]) => [slug, readFileSync(join(root, file), "utf8")]),
) as GuideTexts;

mkdirSync(folder, { recursive: true });
for (const [name, part] of Object.entries(siteOf(document, texts))) {
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(part, null, 1)}\n`);
}
copyFileSync(join(root, "docs/webhook-vectors.json"), join(folder, "webhook-vectors.json"));
