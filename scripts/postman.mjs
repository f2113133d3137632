// `npm run postman` writes docs/postman from the contract. `npm run test:postman` also runs the
// collection against a sandbox of its own. Newman and the converter are installed into
// `scripts/postman` the first time; nothing else needs them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./dependencies.mjs";
import { runNode, toolEnvironment } from "./foreground.mjs";
import { ensureNode } from "./node.mjs";
import { installFrom } from "./npm.mjs";
import { withScratchFolder } from "./scratch-folder.mjs";
import { runMain, StartError } from "./start-error.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tools = join(root, "scripts/postman");
const folder = join(root, "docs/postman");
const files = {
  collection: join(folder, "collection.json"),
  environment: join(folder, "environment.json"),
};

async function install(node) {
  const lockfile = readFileSync(join(tools, "package-lock.json"), "utf8");
  const stamp = join(tools, "node_modules/.lockfile");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lockfile) return;
  const instead =
    "run `npm ci` in scripts/postman on a machine with network access and copy node_modules here";
  await installFrom(tools, { what: "Newman and Postman's converter", instead, node });
  writeFileSync(stamp, lockfile);
}

async function write() {
  const { collectionOf, environment } = await import("./postman/collection.mjs");
  const collection = await collectionOf(join(root, "docs/openapi.json"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(files.collection, `${JSON.stringify(collection, undefined, 2)}\n`);
  writeFileSync(files.environment, `${JSON.stringify(environment, undefined, 2)}\n`);
}

/** Starts a sandbox, and resolves with its file once it is ready. */
async function startSandbox(node, scratch) {
  const env = { ...toolEnvironment(node), DATA_DIR: join(scratch, "data"), PORT: "0" };
  const entry = join(root, "packages/standalone/src/main.ts");
  const sandbox = spawn(node, [entry], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve, reject) => {
    let printed = "";
    sandbox.stdout.on("data", (chunk) => {
      printed += chunk;
      if (/^ready /m.test(printed)) resolve();
    });
    sandbox.on("exit", () => reject(new StartError("The sandbox did not start.")));
  });
  return { sandbox, file: JSON.parse(readFileSync(join(scratch, "data/sandbox.json"), "utf8")) };
}

async function run(node) {
  return withScratchFolder("disburse-postman-", async (scratch) => {
    const { sandbox, file } = await startSandbox(node, scratch);
    const { api_key, approver_api_key } = file.merchants.acme;
    const values = { baseUrl: file.base_url, api_key, approver_api_key };
    const named = Object.entries(values).flatMap(([key, value]) => [
      "--env-var",
      `${key}=${value}`,
    ]);
    const newman = join(tools, "node_modules/newman/bin/newman.js");
    const args = ["run", files.collection, "-e", files.environment, ...named];
    const shown = ["--reporters", "cli", "--reporter-cli-no-success-assertions"];
    const code = await runNode(node, [newman, ...args, ...shown]);
    sandbox.kill();
    await once(sandbox, "exit");
    return code;
  });
}

await runMain(async () => {
  const node = await ensureNode();
  await install(node);
  await write();
  if (!process.argv.includes("--run")) return 0;
  await ensureDependencies(root, node);
  return run(node);
});
