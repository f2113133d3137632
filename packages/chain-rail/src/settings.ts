import type { RailServer } from "@disburse/chassis/service/check.ts";
import { z } from "zod";

/** A whole number in a setting. */
export const count = (min: number, max: number) => z.number().int().min(min).max(max);

/**
 * Allows http and https URLs without a user or password, because error messages of `fetch` would
 * show those.
 */
export const urlSchema = z.url({ protocol: /^https?$/ }).refine((text) => {
  const { username, password } = new URL(text);
  return username === "" && password === "";
}, "must not contain a user name or password");

/** The wallet's key in a keystore file with its password file. */
export const keystoreSignerSchema = z
  .strictObject({ keystore_file: z.string().min(1), password_file: z.string().min(1) })
  .transform(({ keystore_file: keystoreFile, password_file: passwordFile }) => ({
    kind: "keystore" as const,
    keystoreFile,
    passwordFile,
  }));

/** The settings of a wallet that its servers follow from. */
type CalledServers = {
  readonly rail: string;
  readonly rpc_urls: readonly string[];
  readonly agreeing?: number | undefined;
  readonly signer: { readonly url?: string } | object;
};

/**
 * Returns violations of live mode's rules. At least two nodes must agree, because a single node can
 * report false data. Connections to other machines need https, because the network in between could
 * change responses.
 */
export function liveProblems(chains: readonly CalledServers[]): string[] {
  return chains.flatMap((chain) => {
    const { rail, rpc_urls: urls, agreeing = urls.length } = chain;
    return [
      ...(agreeing < 2 ? [`${rail}: live mode requires at least two nodes that agree`] : []),
      ...(calledUrls(chain).every(isSecure)
        ? []
        : [`${rail}: live mode requires https for nodes and signers on other machines`]),
    ];
  });
}

/** Returns the nodes and signers that the rails call. */
export function serversOf(chains: readonly CalledServers[]): RailServer[] {
  return chains.flatMap((chain) => serversAt(chain.rail, calledUrls(chain)));
}

/** Returns the servers that a rail calls. URLs may contain keys, so they are cut. */
function serversAt(rail: string, urls: readonly string[]): RailServer[] {
  return urls.map((url) => {
    const { protocol, hostname, port } = new URL(url);
    // A URL has an IPv6 address in brackets; a socket accepts it only without them.
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    return { rail, host, port: Number(port) || (protocol === "https:" ? 443 : 80) };
  });
}

function calledUrls({ rpc_urls: urls, signer }: CalledServers): readonly string[] {
  return "url" in signer ? [...urls, signer.url] : urls;
}

/** Returns true for https, and on this machine also for http. */
function isSecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const isLocal =
    hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
  return protocol === "https:" || isLocal;
}

/** Returns true if every node has another host. A node that is listed twice agrees with itself. */
export function areDifferentHosts(urls: readonly string[]): boolean {
  return areUnique(urls.map((url) => new URL(url).host));
}

export function areUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}
