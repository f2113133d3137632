import { prepareEngine } from "./engine.ts";

try {
  await prepareEngine(process.env);
} catch (cause) {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 1;
}
