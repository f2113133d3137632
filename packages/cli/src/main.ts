import { commandLine } from "./commands/all.ts";
import { environment } from "./config.ts";
import { processWorld } from "./process-world.ts";
import { runCommandLine } from "./program.ts";

// A closed pipe (`| head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

const args = process.argv.slice(2);
process.exitCode = await runCommandLine(commandLine, args, processWorld(environment));
