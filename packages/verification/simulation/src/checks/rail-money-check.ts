import type { Platform } from "../platform.ts";
import { railName } from "../rail/rail.ts";
import type { Transfer } from "../rail/state.ts";

/**
 * What the ledger says that the house has at the rail is what the rail itself would say: what was
 * brought and taken away there, less what it paid and took, and nothing is held any more.
 */
export function wrongRailMoney({ databases, railState, treasury }: Platform): string[] {
  const accounts = databases.payout
    .documents("accounts")
    .filter(({ merchant_id }) => merchant_id === "house");
  if (!railState.isFunded) return accounts.map(({ _id }) => `${_id} is of a rail without accounts`);
  const has = new Map(treasury.moved);
  const add = (currency: string, minor: bigint) =>
    has.set(currency, (has.get(currency) ?? 0n) + minor);
  for (const transfer of railState.transfers.values()) {
    add(transfer.currency, -paidBy(transfer));
    const { charge, isWithdrawn } = transfer;
    if (charge !== undefined && !isWithdrawn) add(charge.currency, -charge.minor);
  }
  const kept = new Map(accounts.map((each) => [String(each._id), each]));
  return [...has].flatMap(([currency, minor]) => {
    const id = `rail:${railName}:${currency}`;
    const { available = "0", held = "0" } = kept.get(id) ?? {};
    return [
      ...(String(held) === "0" ? [] : [`${id} holds ${held} at the end`]),
      ...(BigInt(String(available)) === minor
        ? []
        : [`${id} has ${available}, and the rail ${minor}`]),
    ];
  });
}

/** What left the house for a transfer in the end. */
function paidBy({ scenario, isWithdrawn, amount, short }: Transfer): bigint {
  if (isWithdrawn || scenario === "rejects") return 0n;
  return scenario === "settles" ? amount : short;
}
