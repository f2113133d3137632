import { createReadStream, existsSync, fstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { logFiles } from "./log-file.ts";
import { readableLines } from "./readable-line.ts";
import { linesOfRequest } from "./request-trace.ts";

/**
 * `npm run trace -- REQUEST_ID`: what all services did for one request, from the log in the data
 * folder; with `-`, or with something piped in, from the JSON lines of standard input.
 */

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const usage = "usage: npm run trace -- REQUEST_ID [-]\n";

/** A pipe or a file of the shell; a terminal or nothing is not read from. */
function isPipedIn(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile();
  } catch {
    // Standard input is closed.
    return false;
  }
}

async function* linesOf(files: readonly string[]): AsyncGenerator<string> {
  for (const path of files) yield* createInterface({ input: createReadStream(path) });
}

const args = process.argv.slice(2);
const [requestId, ...more] = args.filter((each) => each !== "-");
if (requestId === undefined || more.length > 0) {
  process.stderr.write(usage);
  process.exit(2);
}
const piped = args.includes("-") || isPipedIn();
const files = logFiles(process.env.DATA_DIR || join(root, ".data"));
const input = piped
  ? createInterface({ input: process.stdin })
  : linesOf(files.filter((path) => existsSync(path)));
const lines = await linesOfRequest(input, requestId);
const readable = readableLines({ colors: Boolean(process.stdout.isTTY), dated: true });
for (const line of lines) process.stdout.write(readable(line));
if (lines.length === 0) {
  const source = piped ? "standard input" : dirname(files[0]);
  process.stderr.write(`No line of request ${requestId} in ${source}.\n`);
  process.exitCode = 1;
}
