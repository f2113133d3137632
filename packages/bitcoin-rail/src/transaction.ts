import { secp256k1 } from "@noble/curves/secp256k1.js";
import { equalBytes } from "@noble/curves/utils.js";
import { hex } from "@scure/base";
import { NETWORK, OutScript, p2wpkh, SigHash, selectUTXO, Transaction } from "@scure/btc-signer";
import { type Coin, dustOf, scriptOf, type WalletKey } from "./wallet-key.ts";

/** An output of a transaction. */
export type Output = { readonly script: Uint8Array; readonly amount: bigint };

/** Returns the outputs that pay orders. Throws if an address is not valid. */
export function outputsTo(
  orders: readonly { readonly to: string; readonly amount: bigint }[],
): Output[] {
  return orders.map(({ to, amount }) => {
    const script = scriptOf(to);
    if (script === undefined) throw new Error("a payout has an invalid address");
    return { script, amount };
  });
}

/** A signed transaction with its fee in satoshi and its virtual size. */
export type Signed = {
  readonly id: string;
  readonly raw: Uint8Array;
  readonly fee: bigint;
  readonly vsize: number;
};

/** The request for a transaction. */
export type Wanted = {
  readonly payouts: readonly Output[];
  /** Coins that the transaction must spend. */
  readonly required: readonly Coin[];
  /** Coins that it may spend too. */
  readonly candidates: readonly Coin[];
  /** The fee rate in satoshi per virtual byte. */
  readonly rate: bigint;
  /** Set to give the wallet its rest in two coins instead of one. */
  readonly splits?: boolean;
};

/** A planned transaction without signatures. */
export type Plan = {
  readonly unsigned: Transaction;
  readonly coins: readonly Coin[];
  readonly fee: bigint;
  /** The virtual size with signatures of the maximum length. */
  readonly vsize: number;
};

/** Signals that the transaction may be replaced (BIP-125). */
const sequence = 0xffff_fffd;
/** Smaller halves would cost a large part of their amount in fees later. */
const splitMin = 200_000n;

/**
 * Plans a transaction: chooses coins and gives the rest to the wallet. Returns `undefined` if the
 * coins do not suffice.
 */
export function planTransaction(key: WalletKey, wanted: Wanted): Plan | undefined {
  const plan = selectCoins(key, wanted);
  if (plan === undefined || !wanted.splits) return plan;
  const half = changeOf(plan.unsigned, key).reduce((sum, { amount }) => sum + amount, 0n) / 2n;
  if (half < splitMin) return plan;
  const payouts = [...wanted.payouts, { script: key.script, amount: half }];
  return selectCoins(key, { ...wanted, payouts, required: plan.coins, candidates: [] }) ?? plan;
}

function selectCoins(key: WalletKey, wanted: Wanted): Plan | undefined {
  const { payouts, required, candidates, rate } = wanted;
  const taken = new Set(required.map(({ id }) => id));
  const others = candidates.filter(({ id }) => !taken.has(id));
  const inputs = others.map((coin) => inputOf(key, coin));
  const found = selectUTXO(inputs, [...payouts], "default", {
    requiredInputs: required.map((coin) => inputOf(key, coin)),
    changeAddress: p2wpkh(key.publicKey, NETWORK).address ?? "",
    // A cancelling transaction has no other output.
    alwaysChange: payouts.length === 0,
    feePerByte: rate,
    dust: dustOf(key.script),
    dustRelayFeeRate: 1n,
    network: NETWORK,
  });
  if (found?.tx === undefined) return undefined;
  const unsigned = found.tx;
  // `alwaysChange` does not look at the amount. Nodes do not relay dust.
  if (changeOf(unsigned, key).some(({ amount }) => amount < dustOf(key.script))) return undefined;
  const spent = new Set(spentCoins(unsigned));
  const coins = [...required, ...others].filter(({ id }) => spent.has(id));
  return { unsigned, coins, fee: unsigned.fee, vsize: Math.ceil(found.weight / 4) };
}

function inputOf(key: WalletKey, { id, amount }: Coin) {
  const [txid = "", index] = id.split(":");
  const { publicKey, origin, script } = key;
  return {
    txid,
    index: Number(index),
    sequence,
    witnessUtxo: { script, amount },
    ...(origin && { bip32Derivation: [[publicKey, origin]] as [Uint8Array, typeof origin][] }),
  };
}

/** Returns the coins that a transaction spends. */
export function spentCoins(transaction: Transaction): string[] {
  return Array.from({ length: transaction.inputsLength }, (_each, at) => {
    const { txid, index } = transaction.getInput(at);
    return `${hex.encode(txid ?? new Uint8Array())}:${index}`;
  });
}

export function outputsOf(transaction: Transaction): Output[] {
  return Array.from({ length: transaction.outputsLength }, (_each, at) => {
    const { script = new Uint8Array(), amount = 0n } = transaction.getOutput(at);
    return { script, amount };
  });
}

/** Reads the bytes of a transaction, including unusual ones of others. */
export function readTransaction(raw: Uint8Array): Transaction {
  return Transaction.fromRaw(raw, {
    allowUnknownInputs: true,
    allowUnknownOutputs: true,
    disableScriptCheck: true,
  });
}

function changeOf(transaction: Transaction, { script }: WalletKey): Output[] {
  return outputsOf(transaction).filter((each) => equalBytes(each.script, script));
}

/** Returns the largest output of a signed transaction to the wallet, as a coin. */
export function changeCoin(raw: Uint8Array, { script }: WalletKey): Coin | undefined {
  const transaction = readTransaction(raw);
  const coins = outputsOf(transaction).flatMap(({ script: to, amount }, at) =>
    equalBytes(to, script) ? [{ id: `${transaction.id}:${at}`, amount }] : [],
  );
  return coins.toSorted((one, other) => (other.amount > one.amount ? 1 : -1))[0];
}

/**
 * Returns true if a transaction pays each of these payouts, and every other output goes to the
 * wallet.
 */
export function paysExactly(
  transaction: Transaction,
  payouts: readonly Output[],
  { script }: WalletKey,
): boolean {
  const name = (output: Output) => `${hex.encode(output.script)} ${output.amount}`;
  const wanted = payouts.map(name);
  for (const output of outputsOf(transaction)) {
    const at = wanted.indexOf(name(output));
    if (at >= 0) wanted.splice(at, 1);
    else if (!equalBytes(output.script, script)) return false;
  }
  return wanted.length === 0;
}

/**
 * Adds a signer's signatures to a planned transaction. Takes only signatures from the signer's
 * PSBT, and verifies each one against the plan.
 */
export function signedBy(key: WalletKey, { unsigned, fee }: Plan, psbt: Uint8Array): Signed {
  const answer = Transaction.fromPSBT(psbt);
  const transaction = unsigned.clone();
  for (let at = 0; at < transaction.inputsLength; at += 1) {
    const signature = signatureAt(answer, at, key);
    if (signature === undefined || !isSignature(transaction, at, signature, key)) {
      throw new Error("the signer did not sign the transaction with the wallet's key");
    }
    transaction.updateInput(at, { partialSig: [[key.publicKey, signature]] }, true);
  }
  transaction.finalize();
  return { id: transaction.id, raw: transaction.extract(), fee, vsize: transaction.vsize };
}

function signatureAt(answer: Transaction, at: number, { publicKey }: WalletKey) {
  if (at >= answer.inputsLength) return undefined;
  const { partialSig = [], finalScriptWitness } = answer.getInput(at);
  const found = partialSig.find(([signer]) => equalBytes(signer, publicKey));
  // A signer may return inputs that it has already finalized.
  return found?.[1] ?? finalScriptWitness?.[0];
}

function isSignature(
  transaction: Transaction,
  at: number,
  signature: Uint8Array,
  { publicKey, script }: WalletKey,
): boolean {
  // Another type would leave outputs or inputs open to changes.
  if (signature.at(-1) !== SigHash.ALL) return false;
  const { witnessUtxo } = transaction.getInput(at);
  const program = OutScript.encode({ type: "pkh", hash: script.slice(2) });
  const hash = transaction.preimageWitnessV0(at, program, SigHash.ALL, witnessUtxo?.amount ?? 0n);
  const der = signature.slice(0, -1);
  return secp256k1.verify(der, hash, publicKey, { prehash: false, lowS: true, format: "der" });
}
