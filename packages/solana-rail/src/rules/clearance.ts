import type { Failure } from "@disburse/kernel/failure.ts";
import type { Preflight } from "@disburse/rail/rail.ts";
import { readMint, readTokenAccount } from "./token-data.ts";

/** An account as one node reports it. */
export type AccountState = {
  readonly owner: string;
  readonly lamports: bigint;
  readonly isProgram: boolean;
  readonly data: Uint8Array;
};

/** One node's report on the accounts of an order. `undefined` for an account that doesn't exist. */
export type OrderAccounts = {
  readonly recipient: AccountState | undefined;
  /** Absent for an order in SOL. */
  readonly token?: {
    readonly mint: AccountState | undefined;
    /** The recipient's associated token account. */
    readonly account: AccountState | undefined;
    /** The token account of this rail's wallet. */
    readonly own: AccountState | undefined;
  };
};

export type ClearedOrder = {
  readonly to: string;
  /** Amount in units of the chain. */
  readonly units: bigint;
  readonly mint: string | undefined;
  /** The token program that owns the mint. */
  readonly program: string | undefined;
};

/** Accounts of these programs are no wallets. */
export const tokenPrograms: readonly string[] = [
  "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
];

/**
 * Checks the accounts of an order on one node. A frozen account is how an issuer blocks a person;
 * a paused mint concerns everybody and ends.
 */
export function clearanceOn(
  order: ClearedOrder,
  accounts: OrderAccounts,
  { rentExempt, epoch }: { readonly rentExempt: bigint; readonly epoch: bigint },
): Preflight {
  const { recipient, token } = accounts;
  if (recipient !== undefined && !isWallet(recipient))
    return refuse("INVALID_ACCOUNT", "NO_WALLET");
  if (token !== undefined) return tokenClearance(order, token, epoch);
  const after = (recipient?.lamports ?? 0n) + order.units;
  return after < rentExempt ? refuse("AMOUNT_NOT_ACCEPTED", "BELOW_RENT_EXEMPTION") : ok;
}

const ok: Preflight = { kind: "ok" };

function tokenClearance(
  { to, mint: mintAddress, program }: ClearedOrder,
  { mint, account, own }: NonNullable<OrderAccounts["token"]>,
  epoch: bigint,
): Preflight {
  const token =
    mint === undefined || mint.owner !== program ? undefined : readMint(mint.data, epoch);
  if (token === undefined) return wait("the node does not have the token's mint");
  if (token.takesFee) return refuse("UNSPECIFIED", "TRANSFER_FEE");
  if (token.isUnsupported) return refuse("UNSPECIFIED", "UNSUPPORTED_MINT");
  if (token.isPaused) return wait("the issuer has paused the token");
  const paying = own === undefined ? undefined : readTokenAccount(own.data);
  if (paying?.isFrozen) return wait("the issuer has frozen the rail's wallet");
  if (account === undefined || account.owner === systemProgram) {
    // Somebody may have sent SOL to the address of an account that is not created yet.
    return token.freezesNew ? refuse("ACCOUNT_BLOCKED", "FROZEN") : ok;
  }
  const receiving = account.owner === program ? readTokenAccount(account.data) : undefined;
  // The owner of an associated token account can be changed. The money would be somebody else's.
  if (receiving === undefined || receiving.owner !== to || receiving.mint !== mintAddress) {
    return refuse("INVALID_ACCOUNT", "NOT_THE_OWNER");
  }
  return receiving.isFrozen ? refuse("ACCOUNT_BLOCKED", "FROZEN") : ok;
}

export const systemProgram = "11111111111111111111111111111111";

/** A program's account can't move what it receives. A token account has another owner. */
function isWallet({ isProgram, owner }: AccountState): boolean {
  return !isProgram && !tokenPrograms.includes(owner);
}

function wait(reason: string): Preflight {
  return { kind: "wait", reason };
}

function refuse(code: Failure["code"], railCode: string): Preflight {
  return { kind: "refuse", failure: { code, railCode } };
}
