import { type Databases, readAll } from "../database-check.ts";
import type { Finding } from "../finding.ts";
import type { Mined, Node } from "./node.ts";
import { type ChainTransfer, checkChainTransfer } from "./transfer-check.ts";

export type ChainReport = { readonly checked: number; readonly findings: readonly Finding[] };

const batchSize = 50;

/**
 * Compares the stored transfers of one chain, and their payouts, with the chain's node. Checks
 * every signed transaction of each transfer, and every token sent from each wallet.
 */
export async function checkChain(databases: Databases, node: Node): Promise<ChainReport> {
  const { client, prefix } = databases;
  const transfers = client.db(`${prefix}payout`).collection<ChainTransfer>("chain_transfers");
  const ofChain = { wallet: { $regex: `^${await node.chainId()}:` } };
  const findings: Finding[] = [];
  /** The block of each wallet's first transfer, by wallet. */
  const since = new Map<string, number>();
  let checked = 0;
  let batch: ChainTransfer[] = [];
  const check = async () => {
    const ids = batch.map(({ _id }) => _id);
    const payouts = await readAll(databases, "payouts", { _id: { $in: ids } });
    const byId = new Map(payouts.map((payout) => [payout._id, payout]));
    for (const transfer of batch) {
      const mined = await minedOf(transfer, node);
      const decimals = await decimalsOf(mined, node);
      const digitsOf = (contract: string) => decimals.get(contract) ?? 0;
      findings.push(...checkChainTransfer(transfer, byId.get(transfer._id), mined, digitsOf));
      const { wallet, since: height = Number.POSITIVE_INFINITY } = transfer;
      since.set(wallet, Math.min(height, since.get(wallet) ?? height));
    }
    checked += batch.length;
    batch = [];
  };
  for await (const transfer of transfers.find(ofChain).sort({ _id: 1 })) {
    batch.push(transfer);
    if (batch.length === batchSize) await check();
  }
  await check();
  for (const [wallet, height] of since) {
    if (!Number.isFinite(height)) continue;
    for await (const moves of node.movesFrom(wallet.slice(wallet.indexOf(":") + 1), height)) {
      const hashes = [...new Set(moves.map(({ hash }) => hash))];
      const known = await transfers.distinct("attempts.id", { "attempts.id": { $in: hashes } });
      const ours = new Set<unknown>(known);
      for (const hash of hashes.filter((each) => !ours.has(each))) {
        const detail = "a transaction of the wallet paid, but belongs to no payout";
        findings.push({ invariant: 15, subject: hash, detail });
      }
    }
  }
  return { checked, findings };
}

async function minedOf({ attempts }: ChainTransfer, node: Node): Promise<Mined[]> {
  const found = await Promise.all(attempts.map(({ id }) => node.mined(id)));
  return found.filter((each) => each !== undefined);
}

async function decimalsOf(mined: readonly Mined[], node: Node): Promise<Map<string, number>> {
  const contracts = new Set(mined.flatMap(({ moves }) => moves.map(({ contract }) => contract)));
  const found = [...contracts].map(async (each) => [each, await node.decimalsOf(each)] as const);
  return new Map(await Promise.all(found));
}
