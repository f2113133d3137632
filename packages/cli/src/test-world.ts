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

/** A token that names a person; services of a test do not verify it. */
export function tokenOf(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part(claims)}.`;
}

/** What a run printed, and how it ended. */
export type Ran = { readonly code: number; readonly out: string; readonly err: string };

/** A command line on services in this process, with a folder and an environment of its own. */
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

/** A command line without services. */
export const offlineWorld = (change?: Partial<World>) => testWorld(() => undefined, change);

const away = () => Promise.reject(new ConnectError("away", Code.Unavailable));

/** The transport to a service that is away. */
export const unavailableTransport: Transport = { unary: away, stream: away };
