import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log } from "@disburse/chassis/log.ts";
import { type Person, type SandboxMember, sandboxMembers, sandboxPeople } from "../people.ts";
import type { Listener } from "./issuer.ts";

export type IssuerOptions = {
  /** The port on 127.0.0.1. With 0, the system chooses a port. */
  readonly port: number;
  readonly issuerKey: string;
  readonly log: Log;
  /**
   * Returns the people who can sign in. Called for each token, so that changes take effect
   * immediately.
   */
  readonly people?: () => readonly Person[];
  /** Members of the merchants' teams who can sign in. */
  readonly members?: readonly SandboxMember[];
};

/**
 * The provider is not reachable from other machines, because passwords are sent over plain HTTP.
 */
const host = "127.0.0.1";

/** Returns the provider's URL, which its tokens contain as the issuer. */
export const issuerUrl = (port: number): string => `http://${host}:${port}`;

/**
 * Serves an OpenID provider for the sandbox's people. Loads its modules at the first request,
 * because most starts of the sandbox never need them.
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
      log.error({ err: error }, "the sign-in server could not handle a request");
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
