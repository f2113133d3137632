import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { logFiles } from "./log-output.ts";
import { linesOf, readableLines } from "./readable-line.ts";

/**
 * `npm run trace -- ID` prints the log lines of a request or payout. It reads them from the data
 * folder, or from standard input if `-` is given.
 */

const root = join(import.meta.dirname, "../../..");
const usage = "usage: npm run trace -- ID [-]\n";

async function* linesOfFiles(): AsyncGenerator<string> {
  const files = logFiles(process.env.DATA_DIR || join(root, ".data"));
  for (const path of files.filter((each) => existsSync(each))) {
    yield* createInterface({ input: createReadStream(path) });
  }
}

const args = process.argv.slice(2);
const [id, ...more] = args.filter((each) => each !== "-");
if (id === undefined || more.length > 0) {
  process.stderr.write(usage);
  process.exit(2);
}
const input = args.includes("-") ? createInterface({ input: process.stdin }) : linesOfFiles();
const lines = await linesOf(input, id);
const readable = readableLines({ colors: Boolean(process.stdout.isTTY), dated: true });
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The program that reads the output (`head`, a pager) closed the pipe.
  if (error.code !== "EPIPE") throw error;
});
process.stdout.write(lines.map(readable).join(""));
if (lines.length === 0) {
  process.stderr.write(`No log line found for ${id}.\n`);
  process.exitCode = 1;
}
