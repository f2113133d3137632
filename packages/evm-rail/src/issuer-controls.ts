import { agreedClearance, clearanceOf } from "@disburse/chain-rail/rules/clearance.ts";
import type { CallAll } from "@disburse/chain-rail/wallet/node-calls.ts";
import type { Preflight } from "@disburse/rail/rail.ts";
import {
  type Address,
  BaseError,
  ContractFunctionZeroDataError,
  type PublicClient,
  parseAbi,
  RpcRequestError,
} from "viem";

/** The functions with which issuers show a pause and blocked accounts. */
const abi = parseAbi([
  "function paused() view returns (bool)",
  "function isBlacklisted(address account) view returns (bool)",
  "function isBlackListed(address account) view returns (bool)",
  "function isFrozen(address account) view returns (bool)",
]);

/** The functions of Circle (USDC), Tether (USDT) and Paxos (USDP, PYUSD). */
const listings = ["isBlacklisted", "isBlackListed", "isFrozen"] as const;
type Listing = (typeof listings)[number];

/** The functions that a token has. A token of another issuer may have none. */
export type TokenControls = { readonly hasPause: boolean; readonly listing: Listing | undefined };

/** Calls a token's function. Returns `undefined` if the token does not have it. */
async function readControl(
  client: PublicClient,
  token: Address,
  call:
    | { readonly functionName: "paused" }
    | { readonly functionName: Listing; readonly of: Address },
): Promise<boolean | undefined> {
  try {
    return call.functionName === "paused"
      ? await client.readContract({ address: token, abi, functionName: "paused" })
      : await client.readContract({
          address: token,
          abi,
          functionName: call.functionName,
          args: [call.of],
        });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The code with which nodes report that a call reverted (EIP-1474: `execution error`). */
const revertedCode = 3;

/**
 * Returns true if the token reverted the call or returned no data. viem also calls a node's
 * internal error (-32603) a revert, so the code decides.
 */
function isMissing(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const found = error.walk(
    (each) =>
      each instanceof ContractFunctionZeroDataError ||
      (each instanceof RpcRequestError && each.code === revertedCode),
  );
  return found !== null;
}

type ControlsReader = ReturnType<typeof controlsReader>;

/** Creates a node's reads of tokens' controls. */
export function controlsReader(client: PublicClient) {
  return {
    /** Returns the functions that a token has. */
    controlsOf: async (token: Address, account: Address): Promise<TokenControls> => {
      const [pause, ...found] = await Promise.all([
        readControl(client, token, { functionName: "paused" }),
        ...listings.map((functionName) =>
          readControl(client, token, { functionName, of: account }),
        ),
      ]);
      const listing = listings.find((_each, at) => found[at] !== undefined);
      return { hasPause: pause !== undefined, listing };
    },
    isPaused: async (token: Address, { hasPause }: TokenControls): Promise<boolean> =>
      hasPause && (await certain(readControl(client, token, { functionName: "paused" }))),
    isBlocked: async (token: Address, { listing }: TokenControls, of: Address): Promise<boolean> =>
      listing !== undefined &&
      (await certain(readControl(client, token, { functionName: listing, of }))),
  };
}

/** The token had the function when the process started. Without it now, nothing is known. */
async function certain(reading: Promise<boolean | undefined>): Promise<boolean> {
  const read = await reading;
  if (read === undefined) throw new Error("the token no longer has a function of its issuer");
  return read;
}

/** Finds the functions of each token. A function counts if enough nodes have it. */
export async function findControls(
  callAll: CallAll<ControlsReader>,
  agreeing: number,
  tokens: readonly Address[],
  wallet: Address,
): Promise<ReadonlyMap<Address, TokenControls>> {
  const found = new Map<Address, TokenControls>();
  for (const token of tokens) {
    const given = await callAll((node) => node.controlsOf(token, wallet));
    const same = new Set(given.flatMap((each) => (each === undefined ? [] : JSON.stringify(each))));
    const [first] = given.filter((each) => each !== undefined);
    const count = given.filter((each) => each !== undefined).length;
    if (first === undefined || count < agreeing || same.size > 1)
      throw new Error("too few nodes agree on the functions of a token");
    found.set(token, first);
  }
  return found;
}

/** Checks with the nodes that a token's issuer lets the wallet pay the recipient now. */
export async function readClearance(
  callAll: CallAll<ControlsReader>,
  agreeing: number,
  token: Address,
  controls: TokenControls,
  { wallet, to }: { readonly wallet: Address; readonly to: Address },
): Promise<Preflight> {
  const results = await callAll(async (node) => {
    const [isPaused, isRecipientBlocked, isWalletBlocked] = await Promise.all([
      node.isPaused(token, controls),
      node.isBlocked(token, controls, to),
      node.isBlocked(token, controls, wallet),
    ]);
    return clearanceOf({ isPaused, isRecipientBlocked, isWalletBlocked });
  });
  return agreedClearance(results, agreeing);
}
