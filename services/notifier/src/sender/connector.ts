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

/** A look-up that takes longer is as good as none (webhooks: limits). */
const dnsTimeoutMs = 2_000;
/** TCP, TLS and the look-up together. */
export const connectTimeoutMs = 5_000;

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Where a socket is to go: to one of these addresses, and to nothing that a name says later. */
export type SocketTarget = {
  /** At least one, each checked. */
  readonly addresses: readonly { readonly address: string; readonly family: number }[];
  readonly port: number;
  readonly localAddress: string | undefined;
};

/** Begins to connect a socket. */
export type OpenSocket = (target: SocketTarget) => Socket;

/** What a connector connects to, and from where. */
export type ConnectorOptions = AddressRules & {
  /** The static source address that merchants may rely on. */
  readonly localAddress?: string | undefined;
  readonly resolve: Resolve;
  /** The system's when left out. */
  readonly openSocket?: OpenSocket | undefined;
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
 * Queries name servers only, so that no merchant's host name resolves to a machine of the
 * deployment; and without the thread pool, which a slow name server would block.
 */
export const resolvePublic: Resolve = async (host) => {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 1 });
  const late = setTimeout(() => resolver.cancel(), dnsTimeoutMs);
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  clearTimeout(late);
  return found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
};

/**
 * Tries the addresses one after the other. Node gives one up before it tries the next (half a
 * second by default), so each has its share of the time: the last may be unreachable
 * from here, and a first packet that is lost is sent again after a second.
 */
const openSystemSocket: OpenSocket = ({ addresses, port, localAddress }) =>
  connect({
    // The look-up answers what was checked, whatever name it is asked for.
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
 * Connects to addresses that the policy allows and to no others. Every address of a name is
 * checked, and the connection goes to the very addresses that were checked, so a second answer of a
 * name server changes nothing. The address that the socket has reached is checked once more before
 * anything is written, TLS's first message included. Name and certificate stay those of the host.
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

/** A connection in progress: what to close, and whether it is late. */
type Opened = { socket?: Socket; readonly late: AbortSignal };

/**
 * A socket that is connected to one of the addresses. With a local address Node tries the first
 * alone, so they go one by one here then, each with its share of the time.
 */
async function connected(open: OpenSocket, target: SocketTarget, opened: Opened): Promise<Socket> {
  const { addresses, localAddress } = target;
  const rounds = localAddress === undefined ? [addresses] : addresses.map((address) => [address]);
  const last = rounds.length - 1;
  for (const [at, round] of rounds.entries()) {
    opened.late.throwIfAborted();
    const socket = open({ ...target, addresses: round });
    opened.socket = socket;
    // An error that no caller awaits must not end the process.
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
  throw new Error("a target without addresses");
}

/** The time that one of so many addresses has; the last one has what is left. */
function attemptShareMs(addresses: number): number {
  return Math.floor(connectTimeoutMs / (addresses + 1));
}

/** The system detects receivers that vanished. */
const keepAliveProbeMs = 60_000;

async function connectInTime(open: (opened: Opened) => Promise<Socket>): Promise<Socket> {
  const opened: { socket?: Socket } = {};
  try {
    return await withTimeout(connectTimeoutMs, (late) => open(Object.assign(opened, { late })));
  } catch (error) {
    opened.socket?.destroy();
    const isLate = error instanceof TimeoutError;
    throw isLate ? new errors.ConnectTimeoutError("no connection in time") : error;
  }
}

function isAllowed(rules: AddressRules, address: string, port: number): boolean {
  if (!mayReach(address, rules.policy, rules.ownNetworks)) return false;
  return rules.ownPorts?.has(port) !== true || !isOfThisMachine(address, machineAddresses());
}

/** Read each time: a machine changes its networks. */
function machineAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.map(({ address }) => address);
}

function refusedAddress(): ConnectRefusedError {
  return new ConnectRefusedError("ADDRESS_REFUSED", "the address may not be reached");
}

/** The addresses of a host that a socket may go to, if all of the host are allowed. */
async function vetted(options: ConnectorOptions, host: string, port: number) {
  const { resolve, localAddress } = options;
  const addresses =
    isIP(host) === 0
      ? await resolve(host).catch((cause: unknown) => {
          throw new ConnectRefusedError("DNS_FAILED", "the host name was not resolved", cause);
        })
      : [host];
  if (!addresses.every((address) => isAllowed(options, address, port))) throw refusedAddress();
  const family = localAddress === undefined ? 0 : isIP(localAddress);
  const fitting = addresses
    .map((address) => ({ address, family: isIP(address) }))
    .filter((each) => family === 0 || each.family === family);
  if (fitting.length === 0) throw new ConnectRefusedError("DNS_FAILED", "no address was found");
  return fitting;
}

/** Throws where the machine does not have the address: every attempt from it would fail. */
export async function checkSourceAddress(address: string): Promise<void> {
  const server = createServer();
  try {
    server.listen(0, address);
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const said = `WEBHOOK_SOURCE_ADDRESS: is no address of this machine (${code})`;
    throw new SettingsError(`settings: ${said}`, { cause: error });
  }
  await new Promise((resolve) => server.close(resolve));
}
