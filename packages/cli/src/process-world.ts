import { execFile } from "node:child_process";
import type { RequestOptions } from "node:https";
import { createInterface } from "node:readline/promises";
import type { Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { identityProblem, type ServiceTls } from "./session/tls.ts";
import type { Executed, TokenSource, World } from "./table/world.ts";

function withToken(token: TokenSource): Interceptor {
  return (next) => async (request) => {
    request.header.set("authorization", `Bearer ${await token()}`);
    return next(request);
  };
}

/**
 * If a certificate authority is configured, the CLI identifies a service by its SPIFFE ID instead
 * of its host name.
 */
function secureOptions(tls: ServiceTls): RequestOptions {
  const { ca, cert, key } = tls;
  const own = { ...(cert && { cert }), ...(key && { key }) };
  if (ca === undefined) return own;
  return { ...own, ca, checkServerIdentity: (_host, found) => identityProblem(found, tls) };
}

async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

/** kubectl and docker wait for a container that does not start. */
const executeTimeoutMs = 120_000;

function execute(program: string, args: readonly string[]): Promise<Executed> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: executeTimeoutMs }, (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : -1;
      resolve({
        code: error === null ? 0 : code,
        stdout,
        stderr: stderr || (error?.message ?? ""),
      });
    });
  });
}

export function processWorld(environment: World["environment"]): World {
  return {
    environment,
    folder: process.cwd(),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stdin.isTTY === true && process.stderr.isTTY === true,
    isColoured: process.stdout.isTTY === true && !environment.NO_COLOR,
    confirm,
    connect: (baseUrl, { token, tls }) =>
      createConnectTransport({
        baseUrl,
        httpVersion: "1.1",
        useBinaryFormat: true,
        ...(tls && { nodeOptions: secureOptions(tls) }),
        interceptors: token === undefined ? [] : [withToken(token)],
      }),
    now: () => new Date(),
    execute,
  };
}
