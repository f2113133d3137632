// `npm run postman` writes docs/postman from the contract. `npm run test:postman` also runs the
// collection against a sandbox of its own. Newman and the converter are installed into
// `scripts/postman` the first time; nothing else needs them.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./dependencies.mjs";
import { runNode } from "./foreground.mjs";
import { ensureNode } from "./node.mjs";
import { withSandbox } from "./own-sandbox.mjs";
import { withScratchFolder } from "./scratch-folder.mjs";
import { runMain } from "./start-error.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tools = join(root, "scripts/postman");
const folder = join(root, "docs/postman");
const files = {
  collection: join(folder, "collection.json"),
  environment: join(folder, "environment.json"),
};

async function write() {
  const { collectionOf, environment } = await import("./postman/collection.mjs");
  const collection = await collectionOf(join(root, "docs/openapi.json"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(files.collection, `${JSON.stringify(collection, undefined, 2)}\n`);
  writeFileSync(files.environment, `${JSON.stringify(environment, undefined, 2)}\n`);
}

async function run(node) {
  return withScratchFolder("disburse-postman-", (scratch) =>
    withSandbox(node, scratch, {}, ({ base_url: baseUrl, merchants }) => {
      const { api_key, approver_api_key } = merchants.acme;
      const values = Object.entries({ baseUrl, api_key, approver_api_key });
      const named = values.flatMap(([key, value]) => ["--env-var", `${key}=${value}`]);
      const newman = join(tools, "node_modules/newman/bin/newman.js");
      const args = ["run", files.collection, "-e", files.environment, ...named];
      const shown = ["--reporters", "cli", "--reporter-cli-no-success-assertions"];
      return runNode(node, [newman, ...args, ...shown]);
    }),
  );
}

await runMain(async () => {
  const node = await ensureNode();
  await ensureDependencies(tools, node);
  await write();
  if (!process.argv.includes("--run")) return 0;
  await ensureDependencies(root, node);
  return run(node);
});
