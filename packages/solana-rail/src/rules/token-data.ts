import {
  AccountState,
  getMintDecoder,
  getMintSize,
  getTokenDecoder,
  getTokenSize,
} from "@solana-program/token";

/** The parts of a mint that decide if its token can be paid. */
export type MintData = {
  readonly decimals: number;
  readonly isPaused: boolean;
  /** True if a transfer takes a fee from the recipient, now or from a later epoch on. */
  readonly takesFee: boolean;
  /** True if the mint has an extension with which a plain transfer fails or pays another amount. */
  readonly isUnsupported: boolean;
  /** True if new accounts are frozen. */
  readonly freezesNew: boolean;
};

export type TokenAccountData = {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly isFrozen: boolean;
};

/*
 * Extensions of Token-2022 (`ExtensionType` in spl-token-2022-interface) stand after the account's
 * type, each with its type and length as 16-bit numbers. The program's client isn't used, because
 * its newest version requires another major version of `@solana/kit`.
 */
const extensions = {
  transferFee: 1,
  defaultState: 6,
  nonTransferable: 9,
  interestBearing: 10,
  transferHook: 14,
  scaledAmount: 25,
  pausable: 26,
} as const;
/** Accounts with extensions are padded to the size of a token account. */
const accountTypeAt = getTokenSize();
const addressBytes = 32;
/** `older_transfer_fee` and `newer_transfer_fee`: epoch, maximum, basis points. */
const [olderFeeAt, newerFeeAt] = [72, 90] as const;
const epochBytes = 8;
const maximumBytes = 8;

/**
 * Returns the parts of a mint at an epoch. Returns `undefined` if the data is not an initialized
 * mint.
 */
export function readMint(data: Uint8Array, epoch: bigint): MintData | undefined {
  const size = getMintSize();
  const isPlain = data.length === size;
  if (!isPlain && data[accountTypeAt] !== 1) return undefined;
  const { decimals, isInitialized } = getMintDecoder().decode(data.subarray(0, size));
  if (!isInitialized) return undefined;
  const found = isPlain ? new Map<number, DataView>() : readExtensions(data);
  const fee = found.get(extensions.transferFee);
  const hook = found.get(extensions.transferHook);
  const unsupported = [
    ...[extensions.nonTransferable, extensions.interestBearing, extensions.scaledAmount],
  ];
  return {
    decimals,
    isPaused: found.get(extensions.pausable)?.getUint8(addressBytes) === 1,
    takesFee: fee !== undefined && takesFee(fee, epoch),
    isUnsupported:
      unsupported.some((each) => found.has(each)) || (hook !== undefined && hasProgram(hook)),
    freezesNew: found.get(extensions.defaultState)?.getUint8(0) === AccountState.Frozen,
  };
}

/** Returns the parts of a token account. Returns `undefined` if the data is not one. */
export function readTokenAccount(data: Uint8Array): TokenAccountData | undefined {
  const size = getTokenSize();
  if (data.length < size || (data.length > size && data[accountTypeAt] !== 2)) return undefined;
  const { mint, owner, amount, state } = getTokenDecoder().decode(data.subarray(0, size));
  if (state === AccountState.Uninitialized) return undefined;
  return { mint, owner, amount, isFrozen: state === AccountState.Frozen };
}

function readExtensions(data: Uint8Array): Map<number, DataView> {
  const found = new Map<number, DataView>();
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let at = accountTypeAt + 1;
  while (at + 4 <= data.length) {
    const [type, length] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    if (type === 0) break;
    if (at + 4 + length > data.length) throw new Error("an extension of the mint is cut off");
    found.set(type, new DataView(data.buffer, data.byteOffset + at + 4, length));
    at += 4 + length;
  }
  return found;
}

/** The older fee applies only in epochs before that of the newer one. */
function takesFee(fee: DataView, epoch: bigint): boolean {
  const isOlderOver = epoch >= fee.getBigUint64(newerFeeAt, true);
  return isAboveZero(fee, newerFeeAt) || (!isOlderOver && isAboveZero(fee, olderFeeAt));
}

function isAboveZero(fee: DataView, at: number): boolean {
  const maximum = fee.getBigUint64(at + epochBytes, true);
  return maximum > 0n && fee.getUint16(at + epochBytes + maximumBytes, true) > 0;
}

/** Returns true if a program is called at each transfer. It needs accounts that we don't name. */
function hasProgram(hook: DataView): boolean {
  return Array.from({ length: addressBytes }, (_, at) => hook.getUint8(addressBytes + at)).some(
    (byte) => byte !== 0,
  );
}
