import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { connect, createServer, isIP, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { promisify } from "node:util";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { TimeoutError, withTimeout } from "@disburse/chassis/timeout.ts";
import { buildConnector, errors } from "undici";
import { type AddressRules, isOfThisMachine, mayReach } from "./rules/address.ts";
import { hostWithoutDot, portOf } from "./rules/url.ts";

/** Maximum duration of a name lookup (webhooks: limits). */
const dnsTimeoutMs = 2_000;
/** Maximum duration of the lookup, the TCP connection and the TLS handshake together. */
export const connectTimeoutMs = 5_000;

/** Returns all addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * The allowed destinations of a socket. They are fixed before the socket connects, so a later name
 * lookup can't change them.
 */
export type SocketTarget = {
  /** At least one address. All of them are checked. */
  readonly addresses: readonly { readonly address: string; readonly family: number }[];
  readonly port: number;
  readonly localAddress: string | undefined;
};

export type OpenSocket = (target: SocketTarget) => Socket;

/** The rules for addresses, and the options for connections. */
export type ConnectorOptions = AddressRules & {
  /** The static source address. Merchants can rely on it, for example in a firewall. */
  readonly localAddress?: string | undefined;
  readonly resolve: Resolve;
  /** Opens a socket. The default opens a socket of the operating system. */
  readonly openSocket?: OpenSocket | undefined;
};

/**
 * Thrown if a connection was not tried, with the reason. The log of the attempt contains `code`.
 */
export class ConnectRefusedError extends Error {
  override name = "ConnectRefusedError";
  readonly code: "ADDRESS_REFUSED" | "DNS_FAILED";
  constructor(code: "ADDRESS_REFUSED" | "DNS_FAILED", message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Resolves a name with name servers only. So a merchant's host name can't resolve to a machine in
 * the deployment's hosts file. Doesn't use the thread pool, which a slow name server would block.
 */
export const resolvePublic: Resolve = async (host) => {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 1 });
  const late = setTimeout(() => resolver.cancel(), dnsTimeoutMs);
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  clearTimeout(late);
  return found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
};

/**
 * Opens a socket and tries the addresses one after another. Each address gets an equal share of the
 * time. Node's default of half a second per address is too short, because a lost first packet is
 * sent again only after a second.
 */
const openSystemSocket: OpenSocket = ({ addresses, port, localAddress }) =>
  connect({
    // The lookup returns the checked addresses for any name, so this name is never resolved.
    host: "checked.invalid",
    port,
    autoSelectFamilyAttemptTimeout: attemptShareMs(addresses.length),
    ...(localAddress === undefined ? {} : { localAddress }),
    lookup: (_host, { all }, callback) => {
      const [first] = addresses;
      if (all === true) callback(null, [...addresses]);
      else callback(null, first?.address ?? "", first?.family);
    },
  });

/**
 * Connects only to addresses that the policy allows. Checks every address of a name and connects to
 * exactly these addresses. So a second DNS response can't change them. Before it writes anything,
 * even the first TLS message, it checks the address that the socket reached. The host name is still
 * used for SNI and for checking the certificate.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { openSocket = openSystemSocket, localAddress } = options;
  const secure = promisify(buildConnector({ timeout: connectTimeoutMs, allowH2: false }));
  const open = async (target: buildConnector.Options, opened: Opened): Promise<Socket> => {
    const port = portOf({ protocol: target.protocol, port: target.port ?? "" });
    const addresses = await vetted(options, target.hostname, port);
    opened.late.throwIfAborted();
    const socket = await connected(openSocket, { addresses, port, localAddress }, opened);
    if (!isAllowed(options, socket.remoteAddress ?? "", port)) throw refusedAddress();
    if (target.protocol !== "https:") return socket;
    const name = isIP(target.hostname) === 0 ? { servername: hostWithoutDot(target.hostname) } : {};
    return secure({ ...target, ...name, httpSocket: socket }) as Promise<Socket>;
  };
  return (target, callback) => {
    connectInTime((opened) => open(target, opened)).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

/** A connection in progress. Contains the socket to close and the signal of the timeout. */
type Opened = { socket?: Socket; readonly late: AbortSignal };

/**
 * Connects a socket to one of the addresses. If a local address is set, Node tries only the first
 * address. So this function tries the addresses one by one. Each gets its share of the time.
 */
async function connected(open: OpenSocket, target: SocketTarget, opened: Opened): Promise<Socket> {
  const { addresses, localAddress } = target;
  const rounds = localAddress === undefined ? [addresses] : addresses.map((address) => [address]);
  const last = rounds.length - 1;
  for (const [at, round] of rounds.entries()) {
    opened.late.throwIfAborted();
    const socket = open({ ...target, addresses: round });
    opened.socket = socket;
    // Without this listener, an error that no caller awaits would end the process.
    socket.on("error", () => undefined);
    socket.setNoDelay(true).setKeepAlive(true, keepAliveProbeMs);
    const shareMs = attemptShareMs(addresses.length);
    try {
      await once(socket, "connect", at === last ? {} : { signal: AbortSignal.timeout(shareMs) });
      return socket;
    } catch (error) {
      socket.destroy();
      if (at === last) throw error;
    }
  }
  throw new Error("the endpoint's host has no addresses");
}

/** Returns the time limit of one address. The last address gets all remaining time. */
function attemptShareMs(addresses: number): number {
  return Math.floor(connectTimeoutMs / (addresses + 1));
}

/**
 * Interval of TCP keep-alive probes. They let the system detect receivers that are no longer
 * reachable.
 */
const keepAliveProbeMs = 60_000;

async function connectInTime(open: (opened: Opened) => Promise<Socket>): Promise<Socket> {
  const opened: { socket?: Socket } = {};
  try {
    return await withTimeout(connectTimeoutMs, (late) => open(Object.assign(opened, { late })));
  } catch (error) {
    opened.socket?.destroy();
    const isLate = error instanceof TimeoutError;
    throw isLate
      ? new errors.ConnectTimeoutError("the endpoint did not accept a connection in time")
      : error;
  }
}

function isAllowed(rules: AddressRules, address: string, port: number): boolean {
  if (!mayReach(address, rules.policy, rules.ownNetworks)) return false;
  return rules.ownPorts?.has(port) !== true || !isOfThisMachine(address, machineAddresses());
}

/**
 * Returns the addresses of this machine. They are read each time, because its networks can change.
 */
function machineAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.map(({ address }) => address);
}

function refusedAddress(): ConnectRefusedError {
  return new ConnectRefusedError("ADDRESS_REFUSED", "the endpoint's address is not allowed");
}

/** Returns the addresses of a host if all of them are allowed. */
async function vetted(options: ConnectorOptions, host: string, port: number) {
  const { resolve, localAddress } = options;
  const addresses =
    isIP(host) === 0
      ? await resolve(host).catch((cause: unknown) => {
          throw new ConnectRefusedError(
            "DNS_FAILED",
            "the endpoint's host name could not be resolved",
            cause,
          );
        })
      : [host];
  if (!addresses.every((address) => isAllowed(options, address, port))) throw refusedAddress();
  const family = localAddress === undefined ? 0 : isIP(localAddress);
  const fitting = addresses
    .map((address) => ({ address, family: isIP(address) }))
    .filter((each) => family === 0 || each.family === family);
  if (fitting.length === 0)
    throw new ConnectRefusedError(
      "DNS_FAILED",
      "the endpoint's host has no address of the required IP version",
    );
  return fitting;
}

/** Throws if the machine doesn't have this address. Every attempt from it would fail. */
export async function checkSourceAddress(address: string): Promise<void> {
  const server = createServer();
  try {
    server.listen(0, address);
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `WEBHOOK_SOURCE_ADDRESS: is not an address of this machine (${code})`;
    throw new SettingsError(`settings: ${message}`, { cause: error });
  }
  await new Promise((resolve) => server.close(resolve));
}
