import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Bitcoind,
  bitcoindCommand,
  startBitcoind,
} from "@disburse/testkit/bitcoin/bitcoind.ts";
import { Keystore } from "ox";

/** A running Bitcoin node, and a wallet with ample coins. */
export type BitcoinNode = Awaited<ReturnType<typeof startBitcoin>>;

/** Returns the reason if a Bitcoin node can't run here. The first call may fetch the node. */
export async function whyNoBitcoin(): Promise<string | undefined> {
  const found = await bitcoindCommand();
  return "why" in found ? `no Bitcoin node: ${found.why}` : undefined;
}

/** The wallet's private key. It is public and has no value on any real chain. */
const walletKey = `0x${"11".repeat(32)}` as const;
const walletPublicKey = "034f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa";
/** The wallet's address as the main net writes it. */
const mainNetAddress = "bc1ql3e9pgs3mmwuwrh95fecme0s0qtn2880lsvsd5";
const coins = 12;
/** Enough blocks that some rewards of 50 bitcoin can be spent. */
const blocks = 20;
const coinAmount = 20;

/** One transaction of the chain, as the node shows it. */
export type ShownTransaction = {
  readonly txid: string;
  readonly blockhash?: string;
  readonly confirmations?: number;
  readonly vsize: number;
  readonly vin: readonly { readonly txid: string; readonly vout: number }[];
  readonly vout: readonly {
    readonly value: number;
    readonly n: number;
    readonly scriptPubKey: { readonly hex: string; readonly address?: string };
  }[];
};

/**
 * Starts a node, has it watch the wallet, and writes the wallet's keystore into `folder`. `args` are
 * further arguments of the node.
 */
export async function startBitcoin(folder: string, args: readonly string[] = []) {
  const found = await bitcoindCommand();
  if ("why" in found) throw new Error(found.why);
  const command = [...found.command, ...args];
  const node = await startBitcoind(command);
  const followers: Bitcoind[] = [];
  const plain = `wpkh(${walletPublicKey})`;
  const { checksum } = await node.rpc<{ checksum: string }>("getdescriptorinfo", [plain]);
  const descriptor = `${plain}#${checksum}`;
  const url = await node.watch("payouts", descriptor);
  const [address] = await node.rpc<[string]>("deriveaddresses", [descriptor]);
  await node.mine(blocks);
  for (let sent = 0; sent < coins; sent += 1) {
    await node.rpc("sendtoaddress", [address, coinAmount]);
  }
  await node.mine(2);
  const [keystoreFile, passwordFile] = [join(folder, "bitcoin.json"), join(folder, "btc-password")];
  // Intentionally weak: this key is public.
  const [key, options] = Keystore.scrypt({ password: "demo", n: 2 });
  const keystore = Keystore.encrypt(walletKey, key, options);
  writeFileSync(keystoreFile, JSON.stringify(keystore), { mode: 0o600 });
  writeFileSync(passwordFile, "demo", { mode: 0o600 });
  let mining: NodeJS.Timeout | undefined;
  const transaction = (id: string) => node.rpc<ShownTransaction>("getrawtransaction", [id, true]);
  return {
    node,
    address,
    mainNetAddress,
    makeBlocks: (everyMs: number): void => {
      clearInterval(mining);
      const mine = async () => {
        await node.mine(1);
        await Promise.all(followers.map((each) => each.follow(node)));
      };
      mining = setInterval(() => void mine().catch(() => undefined), everyMs);
    },
    transaction,
    /** Starts a further node of the same chain, which watches the wallet too. */
    addNode: async () => {
      const follower = await startBitcoind(command, node);
      const followerUrl = await follower.watch("payouts", descriptor);
      followers.push(follower);
      return { url: followerUrl, stop: follower.stop };
    },
    balance: () => node.rpc<number>("getbalance", [], "payouts"),
    /** Returns the outputs that the wallet paid to others in blocks, in satoshi. */
    payments: async () => {
      const { transactions } = await node.rpc<{
        transactions: { txid: string; category: string; confirmations: number }[];
      }>("listsinceblock", ["", 1, true, false, true], "payouts");
      const sent = transactions.filter(
        ({ category, confirmations }) => category === "send" && confirmations > 0,
      );
      const shown: ShownTransaction[] = [];
      // One after the other: a node refuses calls beyond its queue.
      for (const id of new Set(sent.map(({ txid }) => txid))) shown.push(await transaction(id));
      return shown.flatMap(({ txid, vout }) =>
        vout
          .filter(({ scriptPubKey }) => scriptPubKey.address !== address)
          .map(({ value, n }) => ({ txid, output: n, satoshi: BigInt(Math.round(value * 1e8)) })),
      );
    },
    settings: {
      rail: "bitcoin",
      chain: "regtest",
      nodes: [{ url, credentials_file: node.cookieFile }],
      descriptor,
      finality: 2,
      signer: { keystore_file: keystoreFile, password_file: passwordFile },
      max_fee_rate: 50,
      batch_after_seconds: 1,
      coins,
      poll_ms: 200,
      watch_blocks: 20,
    },
    stop: async (): Promise<void> => {
      clearInterval(mining);
      await node.stop();
    },
  };
}
