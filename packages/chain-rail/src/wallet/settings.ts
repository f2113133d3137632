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

/** The settings that the rails of all wallets have. */
export const walletSettings = {
  /** The rail's name in `RAIL_ROUTES`. */
  rail: z.string().regex(/^[a-z0-9-]{1,64}$/),
  /** The number of nodes that must agree before money moves. By default all must agree. */
  agreeing: count(1, 100).optional(),
  /**
   * The time after submission at which an open payout is overdue. By default the payout service's
   * own time applies.
   */
  overdue_after_minutes: count(1, 100_000).optional(),
  poll_ms: count(50, 60_000).default(2_000),
  /** The usual time from submission to finality. Merchants see this as the expected time. */
  settles_in_seconds: count(1, 86_400).optional(),
};

/** The settings of a wallet that its servers follow from. */
export type CalledServers = {
  readonly rail: string;
  readonly agreeing?: number | undefined;
  readonly signer: { readonly url?: string } | object;
} & (
  | { readonly rpc_urls: readonly string[] }
  | { readonly nodes: readonly { readonly url: string }[] }
);

/** Returns the URLs of a wallet's nodes. */
export function nodeUrls(settings: CalledServers): readonly string[] {
  return "nodes" in settings ? settings.nodes.map(({ url }) => url) : settings.rpc_urls;
}

/** A condition that must hold, and the problem if it does not. */
export type Requirement = readonly [isMet: boolean, problem: string];

/** Returns the schema of a setting with the rails of several wallets. */
export function railsSchema<Rail extends CalledServers>(
  schema: z.ZodType<Rail>,
  options: {
    /** Returns the name of a rail's wallet, with its chain. */
    readonly walletOf: (rail: Rail) => string | undefined;
    readonly requirements: (rail: Rail) => readonly Requirement[];
  },
) {
  return z.array(schema).superRefine((rails, context) => {
    const problem = (message: string) => context.addIssue({ code: "custom", message });
    if (!areUnique(rails.map(({ rail }) => rail))) problem("the names of the rails must be unique");
    if (!areUnique(rails.map(options.walletOf)))
      problem("two rails of one chain must not share a wallet");
    for (const rail of rails) {
      for (const [isMet, text] of [...nodeRequirements(rail), ...options.requirements(rail)]) {
        if (!isMet) problem(`${rail.rail}: ${text}`);
      }
    }
  });
}

function nodeRequirements(settings: CalledServers): Requirement[] {
  const urls = nodeUrls(settings);
  const name = "nodes" in settings ? "nodes" : "rpc_urls";
  // A node that is listed twice agrees with itself.
  const hosts = urls.map((url) => new URL(url).host);
  const { agreeing = 1 } = settings;
  return [
    [areUnique(hosts), `${name}: must have different hosts`],
    [agreeing <= urls.length, `agreeing: must not exceed the number of ${name}`],
  ];
}

/**
 * Returns violations of live mode's rules. At least two nodes must agree, because a single node can
 * report false data. Connections to other machines need https, because the network in between could
 * change responses.
 */
export function liveProblems(chains: readonly CalledServers[]): string[] {
  return chains.flatMap((chain) => {
    const { rail, agreeing = nodeUrls(chain).length } = chain;
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

function calledUrls(chain: CalledServers): readonly string[] {
  const { signer } = chain;
  return "url" in signer ? [...nodeUrls(chain), signer.url] : nodeUrls(chain);
}

/** Returns true for https, and on this machine also for http. */
function isSecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const isLocal =
    hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
  return protocol === "https:" || isLocal;
}

export function areUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}
