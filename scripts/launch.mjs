// Starts a TypeScript program from a fresh clone: `node scripts/launch.mjs ENTRY.ts [ARGUMENT...]`
// finds or fetches Node, installs the lockfile's packages, and runs the entry in the foreground.
// `--console` before the entry also builds the console, if its sources have changed; `--rabbitmq`
// installs RabbitMQ if it is missing, as `npm test` does.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tryConsole } from "./console.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { runNode } from "./foreground.mjs";
import { ensureNode } from "./node.mjs";
import { ensureRabbitmq } from "./rabbitmq.mjs";
import { runMain, StartError } from "./start-error.mjs";

/**
 * By default glibc creates an allocation arena for each of Node's threads, and memory freed in one
 * arena can't be used by others. With two arenas, a platform of 30,000 payouts needs 50 MB less.
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
  // Interrupted: there is nothing to continue with.
  if (built > 128) return built;
  // A terminal's input belongs to this process's session, and the program has another one.
  const stdin = process.stdin.isTTY ? "ignore" : "inherit";
  return runNode(node, [entry, ...args], { cwd: root, stdin, env: allocator });
});
