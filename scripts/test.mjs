// `npm test`: installs the dependencies of the tests, runs every check and every test, and ends
// with one line that counts them: `N passed, M failed`, and `, K skipped` if there are any.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tryChromium } from "./chromium.mjs";
import { tryConsole } from "./console.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { runNode } from "./foreground.mjs";
import { tryKubectl } from "./kubectl.mjs";
import { ensureNode } from "./node.mjs";
import { tryOpenSsh } from "./openssh.mjs";
import { tryPackage } from "./programs.mjs";
import { ensureRabbitmq } from "./rabbitmq.mjs";
import { runMain } from "./start-error.mjs";
import { countsLine, runVitest } from "./vitest.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const turbo = join(root, "node_modules", "turbo", "bin", "turbo");
const prepareEngine = join(root, "packages", "embedded", "src", "prepare.ts");

/** The checks that are not tests, each counted as one. */
const checks = [
  ["lint", ["//#lint"]],
  ["typecheck", ["//#typecheck"]],
  ["generate and diff", ["//#generate:check"]],
  ["dead files and dependencies", ["//#knip"]],
];

/** A child ended by a signal: the run was interrupted, and nothing is counted. */
const isInterrupted = (code) => code > 128;

await runMain(async () => {
  const node = await ensureNode();
  await ensureDependencies(root, node);
  await ensureRabbitmq();
  await tryChromium();
  const built = await tryConsole(root, node);
  if (isInterrupted(built)) return built;
  await tryPackage("prometheus", ["prometheus", "promtool"]);
  await tryPackage("haproxy", ["haproxy"]);
  await tryKubectl();
  await tryOpenSsh();
  const prepared = await runNode(node, [prepareEngine], { cwd: root });
  if (prepared !== 0) return prepared;

  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, tasks] of checks) {
    process.stdout.write(`\n── ${name}\n`);
    const args = [turbo, "run", ...tasks, "--continue=always", "--output-logs=errors-only"];
    const code = await runNode(node, args, { cwd: root });
    if (isInterrupted(code)) return code;
    counts[code === 0 ? "passed" : "failed"] += 1;
  }
  process.stdout.write("\n── tests\n");
  const args = ["--reporter=default", ...process.argv.slice(2)];
  const code = await runVitest(node, args, counts);
  if (isInterrupted(code)) return code;

  process.stdout.write(countsLine(counts));
  return counts.failed === 0 ? 0 : 1;
});
