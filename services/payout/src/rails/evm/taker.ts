import { type Address, type Hex, isAddressEqual } from "viem";
import type { Taker } from "../chain/chain.ts";
import { agreedOn } from "../rules/finality.ts";

/** What a transaction does. */
type Call = { readonly to: Address; readonly value: bigint; readonly data: Hex };

/** A transaction as one node shows it. */
type Shown = {
  readonly hash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly to: Address | null;
  readonly value: bigint;
  readonly input: Hex;
};

/** The taker of a nonce that enough nodes name, where none names another one. */
export function takerAmong(
  found: readonly (Shown | undefined)[],
  agreeing: number,
  call: Call | undefined,
): Taker | undefined {
  const ids = found.map((each) => each?.hash);
  const id = agreedOn(ids, agreeing);
  const shown = found.flatMap((each) => (each !== undefined && each.hash === id ? [each] : []));
  const [taker] = shown;
  if (id === undefined || taker === undefined) return undefined;
  // One node that shows the same payment is enough: the transfer gets no second nonce then.
  const isSamePayment = shown.some((each) => call !== undefined && isCall(each, call));
  return { id, height: Number(taker.blockNumber), block: taker.blockHash, isSamePayment };
}

function isCall({ to, value, input }: Shown, call: Call): boolean {
  const isTo = to !== null && isAddressEqual(to, call.to);
  return isTo && value === call.value && input === call.data;
}
