import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createRouterTransport,
  type Transport,
} from "@connectrpc/connect";
import { commandLine } from "./commands/all.ts";
import { runCommandLine } from "./program.ts";
import { serviceNames } from "./session/target.ts";
import type { World } from "./table/world.ts";

/** Creates an unsigned token with these claims. Test services don't verify the signature. */
export function tokenOf(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part(claims)}.`;
}

export type Ran = { readonly code: number; readonly out: string; readonly err: string };

/**
 * Creates a command line whose services run in this process, with a folder and environment of its
 * own.
 */
export function testWorld(routes: (router: ConnectRouter) => void, change: Partial<World> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "disburse-cli-"));
  const urls = serviceNames.map((name) => [`DISBURSE_${name.toUpperCase()}_URL`, `http://${name}`]);
  const environment: Record<string, string | undefined> = {
    ...Object.fromEntries(urls),
    ...{ DISBURSE_TOKEN: tokenOf({ sub: "ada", roles: ["treasury"] }) },
    ...{
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_STATE_HOME: join(folder, "state"),
    },
    ...change.environment,
  };
  const transport = createRouterTransport(routes);
  const run = async (...args: string[]): Promise<Ran> => {
    let [out, err] = ["", ""];
    const world: World = {
      ...{ folder, isTerminal: false, isColoured: false },
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      confirm: async () => false,
      connect: () => transport,
      now: () => new Date(),
      execute: async () => ({ code: -1, stdout: "", stderr: "no program runs in a test" }),
      ...{ ...change, environment },
    };
    const code = await runCommandLine(commandLine, args, world);
    return { code, out, err };
  };
  return {
    folder,
    environment,
    run,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A command line whose services implement no RPC. */
export const offlineWorld = (change?: Partial<World>) => testWorld(() => undefined, change);

const away = () => Promise.reject(new ConnectError("away", Code.Unavailable));

/** A transport that rejects every call with `Unavailable`. */
export const unavailableTransport: Transport = { unary: away, stream: away };
