import { getMintEncoder } from "@solana-program/token";
import { expect, it } from "vitest";
import { readMint } from "./token-data.ts";

type Fee = { readonly epoch: bigint; readonly basisPoints: number };

/** Returns a mint of Token-2022 with the extension `TransferFeeConfig`. */
function mintWith(older: Fee, newer: Fee): Uint8Array {
  const data = new Uint8Array(165 + 1 + 4 + 108);
  const plain = { mintAuthority: null, freezeAuthority: null, supply: 0n, decimals: 6 };
  data.set(getMintEncoder().encode({ ...plain, isInitialized: true }));
  data[165] = 1;
  const extension = new DataView(data.buffer, 166);
  extension.setUint16(0, 1, true);
  extension.setUint16(2, 108, true);
  for (const [at, { epoch, basisPoints }] of [[72, older] as const, [90, newer] as const]) {
    extension.setBigUint64(4 + at, epoch, true);
    extension.setBigUint64(4 + at + 8, 1_000_000n, true);
    extension.setUint16(4 + at + 16, basisPoints, true);
  }
  return data;
}

it.each<[string, number, number, bigint, boolean]>([
  ["the older fee before the newer one's epoch", 10, 0, 6n, true],
  ["no older fee from the newer one's epoch on", 10, 0, 7n, false],
  ["no older fee later", 10, 0, 8n, false],
  ["the newer fee before its epoch, because it comes soon", 0, 10, 6n, true],
  ["the newer fee from its epoch on", 0, 10, 7n, true],
])("a mint takes %s", (_what, older, newer, epoch, takesFee) => {
  const mint = mintWith({ epoch: 1n, basisPoints: older }, { epoch: 7n, basisPoints: newer });
  expect(readMint(mint, epoch)?.takesFee).toBe(takesFee);
});
