import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import { isMainThread } from "node:worker_threads";

/**
 * Preloaded in services. Listens on the socket in `CALL_RECORDER`. `/start` begins to count
 * function calls. `/take` returns the URLs of the files in which a function was called since then.
 * Loading a module doesn't count as a call.
 */
const socket = process.env.CALL_RECORDER ?? "";

const session = new Session();
// Only the main thread listens, because a service's threads load this module too.
if (isMainThread) {
  session.connect();
  await session.post("Profiler.enable");
  listen();
}

async function start(): Promise<readonly string[]> {
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return [];
}

async function take(): Promise<readonly string[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  return result.flatMap(({ url, functions }) => {
    const called = functions.filter(({ functionName, ranges: [range] }) => {
      const isScript = functionName === "" && range?.startOffset === 0;
      return !isScript && (range?.count ?? 0) > 0;
    });
    return called.length === 0 ? [] : [url];
  });
}

function listen(): void {
  const server = createServer((request, response) => {
    const done = request.url === "/start" ? start() : take();
    done.then(
      (urls) => response.end(JSON.stringify(urls)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(socket);
  server.unref();
}
