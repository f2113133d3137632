import { Resolver } from "node:dns/promises";
import { type BlockList, isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector } from "undici";
import { type AddressPolicy, mayReach } from "../domain/address.ts";

/** A look-up that takes longer is as good as none (webhooks: limits). */
const dnsTimeoutMs = 2_000;
/** TCP, TLS and the look-up together. */
export const connectTimeoutMs = 5_000;

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export type ConnectorOptions = {
  readonly policy: AddressPolicy;
  /** Networks of our own that no webhook may reach. */
  readonly ownNetworks?: BlockList | undefined;
  /** The static source address that merchants may rely on. */
  readonly localAddress?: string | undefined;
  readonly resolve: Resolve;
};

/** Why a connection was not even tried; `code` is what the attempt's log shows. */
export class ConnectRefusedError extends Error {
  override name = "ConnectRefusedError";
  readonly code: "ADDRESS_REFUSED" | "DNS_FAILED";
  constructor(code: "ADDRESS_REFUSED" | "DNS_FAILED", message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Asks the name servers and nothing else: no hosts file, no search domain, so that a merchant's
 * host name never means a machine of ours. Does not use the thread pool, where a slow server would
 * hold up everyone's look-ups.
 */
export const resolvePublic: Resolve = async (host) => {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 1 });
  const late = setTimeout(() => resolver.cancel(), dnsTimeoutMs);
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  clearTimeout(late);
  return found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
};

/**
 * Connects to addresses that the policy allows and to no others. Every address of a name is
 * checked, and the connection goes to the very addresses that were checked, so a second answer of a
 * name server changes nothing. Name and certificate stay those of the host.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const allowed = (address: string): boolean =>
    mayReach(address, options.policy, options.ownNetworks);
  const connect = buildConnector({
    lookup: vettedLookup(options, allowed),
    timeout: connectTimeoutMs,
    allowH2: false,
  });
  const { localAddress = null } = options;
  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !allowed(target.hostname)) {
      callback(refusedAddress(), null);
      return;
    }
    connect({ ...target, localAddress }, (...result) => {
      const [error, socket] = result;
      if (error !== null || allowed(peerOf(socket))) {
        callback(...result);
        return;
      }
      socket.destroy();
      callback(refusedAddress(), null);
    });
  };
}

function peerOf(socket: Socket): string {
  return socket.remoteAddress ?? "";
}

function refusedAddress(): ConnectRefusedError {
  return new ConnectRefusedError("ADDRESS_REFUSED", "the address may not be reached");
}

/**
 * A look-up for sockets: answers addresses of the wanted family, if all of the name are allowed.
 */
function vettedLookup(
  { resolve, localAddress }: ConnectorOptions,
  allowed: (address: string) => boolean,
): LookupFunction {
  const family = localAddress === undefined ? 0 : isIP(localAddress);
  const vetted = async (host: string) => {
    const addresses = await resolve(host).catch((cause: unknown) => {
      throw new ConnectRefusedError("DNS_FAILED", "the host name was not resolved", cause);
    });
    if (!addresses.every(allowed)) throw refusedAddress();
    const fitting = addresses
      .map((address) => ({ address, family: isIP(address) }))
      .filter((each) => family === 0 || each.family === family);
    const [first] = fitting;
    if (first === undefined) throw new ConnectRefusedError("DNS_FAILED", "no address was found");
    return { first, fitting };
  };
  return (host, lookupOptions, callback) => {
    vetted(host).then(
      ({ first, fitting }) => {
        if (lookupOptions.all) callback(null, fitting);
        else callback(null, first.address, first.family);
      },
      (error: ConnectRefusedError) => callback(error, []),
    );
  };
}
