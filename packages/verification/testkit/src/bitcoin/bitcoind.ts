import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  cacheFolder,
  canFetchDebian,
  type DebianPackages,
  fetchDebian,
  loaders,
} from "@disburse/embedded/debian.ts";
import { onPath } from "@disburse/embedded/executables.ts";
import { freePort } from "../ports.ts";

/**
 * `bitcoind` of Debian sid, a derivative of Bitcoin Core with the same RPC, over the libraries of
 * Debian 13, so that it also runs on Debian 12.
 */
const suites: readonly DebianPackages[] = [
  {
    suite: "trixie",
    packages: [
      ...["libc6", "libstdc++6", "libgcc-s1", "libevent-core-2.1-7t64", "libevent-extra-2.1-7t64"],
      ...[
        "libevent-pthreads-2.1-7t64",
        "libzmq5",
        "libsqlite3-0",
        "libsodium23",
        "libpgm-5.3-0t64",
      ],
      ...["libnorm1t64", "libgssapi-krb5-2", "libkrb5-3", "libk5crypto3", "libcom-err2"],
      ...["libkrb5support0", "libkeyutils1", "libssl3t64", "libbsd0", "libmd0", "libunwind8"],
      ...["liblzma5", "zlib1g", "libzstd1"],
    ],
  },
  { suite: "sid", packages: ["bitcoin-knots"] },
];

/** The command that runs the node, or the reason why this machine can't have one. */
export type BitcoindCommand = { readonly command: readonly string[] } | { readonly why: string };

let found: Promise<BitcoindCommand> | undefined;

/** Returns `bitcoind` of PATH. On Debian it is otherwise fetched once, into the cache folder. */
export function bitcoindCommand(): Promise<BitcoindCommand> {
  found ??= findBitcoind(process.env);
  return found;
}

async function findBitcoind(env: NodeJS.ProcessEnv): Promise<BitcoindCommand> {
  const own = onPath("bitcoind", env);
  if (own !== undefined) return { command: [own] };
  const loader = loaders[process.arch];
  if (process.platform !== "linux" || loader === undefined || !canFetchDebian(env)) {
    return { why: "bitcoind is not on PATH, and only Debian has a package to fetch" };
  }
  const folder = join(cacheFolder(env), "bitcoind", `sid-${process.arch}`);
  try {
    await fetchDebian(folder, suites, env);
  } catch (error) {
    return { why: `fetching bitcoind from the Debian mirror failed: ${(error as Error).message}` };
  }
  const file = join(folder, loader);
  const program = join(folder, "usr", "bin", "bitcoind");
  return { command: [file, "--library-path", join(file, ".."), program] };
}

/** Calls a node. The caller states the type of a result, as the node documents it. */
type BitcoinRpc = <T = unknown>(method: string, params?: unknown[], wallet?: string) => Promise<T>;
type Rpc = { readonly rpc: BitcoinRpc };

export type Bitcoind = Awaited<ReturnType<typeof startBitcoind>>;

/**
 * Starts a node of a chain that creates blocks only on request, with one funded test wallet. `of` is
 * another node whose blocks it has; it then gets further ones by `follow` alone.
 */
export async function startBitcoind([program = "", ...args]: readonly string[], of?: Rpc) {
  const folder = mkdtempSync(join(tmpdir(), "bitcoind-"));
  const port = await freePort();
  const child = spawn(
    program,
    [
      ...args,
      ...["-regtest", `-datadir=${folder}`, "-listen=0", "-dnsseed=0", "-connect=0"],
      ...["-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1", `-rpcport=${port}`],
      ...["-fallbackfee=0.0001", "-txindex=1", "-dbcache=16", "-par=1"],
      // Tests run faster when the node does not wait for the disk.
      ...["-unsafesqlitesync=1", "-printtoconsole=0"],
    ],
    { stdio: "ignore" },
  );
  // Kills the node if this process exits without stopping it.
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const cookieFile = join(folder, "regtest", ".cookie");
  const url = `http://127.0.0.1:${port}`;
  const rpc: BitcoinRpc = async (method, params = [], wallet = "payer") => {
    const authorization = `Basic ${Buffer.from(readFileSync(cookieFile)).toString("base64")}`;
    const response = await fetch(`${url}/wallet/${wallet}`, {
      method: "POST",
      headers: { authorization },
      body: JSON.stringify({ method, params }),
    });
    const { result, error } = JSON.parse(await response.text());
    if (error !== null) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  await answering(child, () => rpc("createwallet", ["payer"]));
  const payer = await rpc<string>("getnewaddress");
  const mine = (blocks: number) => rpc<string[]>("generatetoaddress", [blocks, payer]);
  // A node takes the longer one of two chains.
  const follow = async (other: Rpc): Promise<void> => {
    const known = (height: number) => rpc<string>("getblockhash", [height]).catch(() => "");
    const missing: string[] = [];
    for (let height = await other.rpc<number>("getblockcount"); height > 0; height -= 1) {
      const hash = await other.rpc<string>("getblockhash", [height]);
      if ((await known(height)) === hash) break;
      missing.unshift(await other.rpc<string>("getblock", [hash, 0]));
    }
    for (const block of missing) await rpc("submitblock", [block]);
  };
  // The reward of a block can be spent after 100 more.
  if (of === undefined) await mine(110);
  else await follow(of);
  return {
    url,
    cookieFile,
    rpc,
    mine,
    /** Gets the blocks of another node. */
    follow,
    /** The address of the test wallet, which gets the rewards of all blocks. */
    payer,
    /** Mines a block with exactly these transactions, as ids or bytes. */
    mineOnly: (transactions: readonly string[]) =>
      rpc<{ hash: string }>("generateblock", [payer, [...transactions]]),
    /** Removes the newest blocks. Their transactions return to the node's mempool. */
    removeBlocks: async (depth: number): Promise<void> => {
      const height = await rpc<number>("getblockcount");
      const hash = await rpc<string>("getblockhash", [height - depth + 1]);
      await rpc("invalidateblock", [hash]);
    },
    /** Creates a wallet that watches a descriptor. Returns its URL. */
    watch: async (wallet: string, descriptor: string): Promise<string> => {
      await rpc("createwallet", [wallet, true, true]);
      await rpc("importdescriptors", [[{ desc: descriptor, timestamp: "now" }]], wallet);
      return `${url}/wallet/${wallet}`;
    },
    stop: async () => {
      process.off("exit", kill);
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answering(child: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; child.exitCode === null && tries < 400; tries += 1) {
    try {
      await ask();
      return;
    } catch {
      // The node has not started yet.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("bitcoind did not start");
}
