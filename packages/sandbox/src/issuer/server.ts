import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log } from "@disburse/chassis/log.ts";
import { type Person, type SandboxMember, sandboxMembers, sandboxPeople } from "../people.ts";
import type { Listener } from "./issuer.ts";

/** Where the sandbox's OpenID provider is served, and for whom. */
export type IssuerOptions = {
  /** Of 127.0.0.1; 0 lets the system choose. */
  readonly port: number;
  readonly issuerKey: string;
  readonly log: Log;
  /** Who can sign in now: read for each token. */
  readonly people?: () => readonly Person[];
  /** Who can of the merchants' teams. */
  readonly members?: readonly SandboxMember[];
};

/** Other machines have no access: passwords go over plain HTTP. */
const host = "127.0.0.1";

/** The URL of a provider, as its tokens name it. */
export const issuerUrl = (port: number): string => `http://${host}:${port}`;

/**
 * Serves an OpenID provider for the sandbox's people. What it is made of is loaded with its first
 * request, for most starts of the sandbox never need it.
 */
export async function startIssuer({
  people = () => sandboxPeople,
  members = sandboxMembers,
  ...options
}: IssuerOptions) {
  const { log } = options;
  let loading: Promise<Listener> | undefined;
  const server = createServer((request, response) => {
    const url = issuerUrl((server.address() as AddressInfo).port);
    const load = async () => {
      const { createIssuer } = await import("./issuer.ts");
      return createIssuer({ ...options, url, people, members });
    };
    loading ??= load();
    const answer = async () => (await loading)?.(request, response);
    answer().catch((error: unknown) => {
      log.error({ err: error }, "sign-in failed");
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, host, resolve);
  });
  return {
    url: issuerUrl((server.address() as AddressInfo).port),
    stop: async (): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
