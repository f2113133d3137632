import { startServices } from "@disburse/standalone/services.ts";

/**
 * Runs every service in this process until SIGTERM. The command-line argument has the settings of
 * all services.
 */

const ends: (() => Promise<void>)[] = [];
const started = startServices(JSON.parse(process.argv[2] ?? ""), {}, ends);

process.once("SIGTERM", async () => {
  await started;
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  process.exit(0);
});

await started;
