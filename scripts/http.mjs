// `npm run test:http` runs the .http files of the guides (docs/http) with httpYac against a sandbox of
// its own. A refusal is expected if the guide names its code.
import { spawn } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./dependencies.mjs";
import { passSignals, toolEnvironment } from "./foreground.mjs";
import { folder, httpFiles, sourceOf } from "./http/write.mjs";
import { ensureNode } from "./node.mjs";
import { withSandbox } from "./own-sandbox.mjs";
import { withScratchFolder } from "./scratch-folder.mjs";
import { runMain } from "./start-error.mjs";
import { countsLine } from "./vitest.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const tools = join(root, "scripts/http");

/** Writes the variables of the environment that the files use. */
function writeEnvironment(copy, { accounts, base_url, merchants }) {
  const { api_key, approver_api_key } = merchants.acme;
  const [account_id, empty_account_id] = accounts.map((each) => each.account_id);
  const sandbox = { baseUrl: base_url, api_key, approver_api_key, account_id, empty_account_id };
  writeFileSync(join(copy, "http-client.env.json"), JSON.stringify({ sandbox }));
}

/** Runs a file, and returns its requests with their responses. */
async function requestsOf(node, copy, name) {
  const program = join(tools, "node_modules/httpyac/bin/httpyac.js");
  const args = [program, "send", name, "--all", "--env", "sandbox", "--json"];
  const child = spawn(node, args, {
    cwd: copy,
    env: toolEnvironment(node),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stopPassing = passSignals(child);
  const output = await text(child.stdout);
  stopPassing();
  return JSON.parse(output);
}

/** Returns the problems of a file: script errors, and responses that its guide doesn't show. */
function problemsOf({ summary, requests }, page) {
  const responses = requests.flatMap(({ title, response }) =>
    response === undefined
      ? []
      : [{ title, status: response.statusCode, body: response.body ?? "" }],
  );
  const unexpected = responses.filter(({ status, body }) => {
    if (status === 200) return false;
    const [, code = ""] = /"code":\s*"(\w+)"/.exec(body) ?? [];
    return code === "" || !page.includes(code);
  });
  return [
    ...(responses.length === 0 ? ["no response"] : []),
    ...(summary.erroredRequests > 0 ? [`${summary.erroredRequests} requests failed`] : []),
    ...unexpected.map(({ title, status, body }) => `${title}: ${status} ${body.slice(0, 300)}`),
  ];
}

await runMain(async () => {
  const node = await ensureNode();
  await ensureDependencies(root, node);
  await ensureDependencies(tools, node);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  await withScratchFolder("disburse-http-", (scratch) =>
    withSandbox(node, scratch, { SANDBOX_SETTLE_MS: "200" }, async (sandbox) => {
      const copy = join(scratch, "http");
      cpSync(folder, copy, { recursive: true });
      writeEnvironment(copy, sandbox);
      for (const name of [...httpFiles().keys()].filter((each) => each.endsWith(".http"))) {
        const page = readFileSync(join(root, sourceOf(name)), "utf8");
        const problems = problemsOf(await requestsOf(node, copy, name), page);
        counts[problems.length === 0 ? "passed" : "failed"] += 1;
        process.stdout.write(
          `${name}: ${problems.length === 0 ? "passes" : problems.join("\n  ")}\n`,
        );
      }
    }),
  );
  process.stdout.write(countsLine(counts));
  return counts.failed === 0 ? 0 : 1;
});
