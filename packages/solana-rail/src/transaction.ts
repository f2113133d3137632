import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getBase58Decoder,
  getTransactionEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes,
  verifySignature,
} from "@solana/kit";
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from "@solana-program/compute-budget";
import { getAddMemoInstruction } from "@solana-program/memo";
import { getTransferSolInstruction } from "@solana-program/system";
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
} from "@solana-program/token";
import type { Signer } from "./signer.ts";

/** Version 2 of the memo program, which explorers show. */
const memoProgram = address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
/**
 * Units of computation for a memo, a new token account and a transfer. Half of it is used; the
 * search for an account's address can take more.
 */
export const computeUnits = 150_000;

/** A token with its accounts, as a payment uses it. */
export type TokenPayment = {
  readonly mint: Address;
  readonly program: Address;
  readonly decimals: number;
  /** The token account of the paying wallet. */
  readonly source: Address;
  /** The recipient's associated token account. */
  readonly destination: Address;
};

export type Payment = {
  readonly wallet: Address;
  readonly to: Address;
  /** Amount in units of the chain. */
  readonly units: bigint;
  /** Absent for SOL. */
  readonly token: TokenPayment | undefined;
  /** The payout's id. It makes the transaction different from that of every other payout. */
  readonly memo: string;
  /** Micro-lamports for a unit of computation. */
  readonly pricePerUnit: bigint;
};

/** Signs a payment, and checks that the wallet's key signed it. */
export async function signPayment(
  payment: Payment,
  { blockhash, lastHeight }: { readonly blockhash: Blockhash; readonly lastHeight: number },
  signer: Signer,
  key: CryptoKey,
): Promise<{ readonly id: string; readonly raw: Uint8Array }> {
  const lifetime = { blockhash, lastValidBlockHeight: BigInt(lastHeight) };
  const compiled = compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(payment.wallet, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions(instructionsOf(payment), message),
    ),
  );
  const message = new Uint8Array(compiled.messageBytes);
  const signature = signatureBytes(await signer.sign(message));
  if (!(await verifySignature(key, signature, message)))
    throw new Error("the signer did not sign with the wallet's key");
  const transaction = { ...compiled, signatures: { [payment.wallet]: signature } };
  const raw = new Uint8Array(getTransactionEncoder().encode(transaction));
  return { id: getBase58Decoder().decode(signature), raw };
}

/**
 * The memo stands directly before the transfer, because an account may require this of its incoming
 * transfers (Token-2022, `MemoTransfer`).
 */
function instructionsOf(payment: Payment): Instruction[] {
  const { wallet, to, units, token, memo, pricePerUnit } = payment;
  const payer = createNoopSigner(wallet);
  const transfer =
    token === undefined
      ? getTransferSolInstruction({ source: payer, destination: to, amount: units })
      : getTransferCheckedInstruction(
          {
            ...token,
            authority: payer,
            amount: units,
          },
          { programAddress: token.program },
        );
  return [
    getSetComputeUnitLimitInstruction({ units: computeUnits }),
    getSetComputeUnitPriceInstruction({ microLamports: pricePerUnit }),
    ...(token === undefined
      ? []
      : [
          getCreateAssociatedTokenIdempotentInstruction({
            payer,
            ata: token.destination,
            owner: to,
            mint: token.mint,
            tokenProgram: token.program,
          }),
        ]),
    getAddMemoInstruction({ memo, signers: [payer] }, { programAddress: memoProgram }),
    transfer,
  ];
}
