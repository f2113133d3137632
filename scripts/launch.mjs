// Starts a TypeScript program from a fresh clone: `node scripts/launch.mjs ENTRY.ts [ARGUMENT...]`
// finds or fetches Node, installs what the lockfile says, and runs the entry in the foreground.
// `--console` before the entry also builds the console, where its sources have changed;
// `--rabbitmq` installs RabbitMQ where there is none, as `npm test` does.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tryConsole } from "./console.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { runNode } from "./foreground.mjs";
import { ensureNode } from "./node.mjs";
import { ensureRabbitmq } from "./rabbitmq.mjs";
import { runMain, StartError } from "./start-error.mjs";

/**
 * glibc would make an allocation arena for each of Node's threads, and memory that is freed in one
 * is of no use to the others: with two, a platform of 30,000 payouts needs 50 MB less.
 */
const allocator = { MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? "2" };

const flags = ["--console", "--rabbitmq"];

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

await runMain(async () => {
  const given = process.argv.slice(2);
  const [entry, ...args] = given.filter((each) => !flags.includes(each));
  if (entry === undefined) throw new StartError("usage: launch.mjs ENTRY.ts [ARGUMENT...]");
  const node = await ensureNode();
  await ensureDependencies(root, node);
  if (given.includes("--rabbitmq")) await ensureRabbitmq();
  const built = given.includes("--console") ? await tryConsole(root, node) : 0;
  // Interrupted: there is nothing to go on with.
  if (built > 128) return built;
  // A terminal's input belongs to the session that this process is in, and the program is not.
  const stdin = process.stdin.isTTY ? "ignore" : "inherit";
  return runNode(node, [entry, ...args], { cwd: root, stdin, env: allocator });
});
