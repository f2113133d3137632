import { createInterface } from "node:readline/promises";
import type { Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import type { TokenSource, World } from "./table/world.ts";

function withToken(token: TokenSource): Interceptor {
  return (next) => async (request) => {
    request.header.set("authorization", `Bearer ${await token()}`);
    return next(request);
  };
}

async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

/** What the process of a user runs commands with. */
export function processWorld(environment: World["environment"]): World {
  return {
    environment,
    folder: process.cwd(),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stdin.isTTY === true && process.stderr.isTTY === true,
    isColoured: process.stdout.isTTY === true && !environment.NO_COLOR,
    confirm,
    connect: (baseUrl, token) =>
      createConnectTransport({
        ...{ baseUrl, httpVersion: "1.1", useBinaryFormat: true },
        interceptors: token === undefined ? [] : [withToken(token)],
      }),
    now: () => new Date(),
  };
}
