import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { anvilPath, startAnvil, wallet, walletKey } from "@disburse/testkit/evm/anvil.ts";
import { Keystore } from "ox";
import { type Address, type Hex, parseAbi } from "viem";

/** A running chain with a token, and a wallet with ample funds. */
export type Chain = Awaited<ReturnType<typeof startChain>>;

/** Returns the reason if a chain can't run here. */
export function whyNoChain(): string | undefined {
  if (anvilPath() !== undefined) return undefined;
  return "npm has no anvil for this machine (@foundry-rs/anvil, an optional package)";
}

const tokenDecimals = 6;
/** One million in token units. */
const supply = 10n ** 12n;

export const tokenAbi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);

/** Starts anvil, deploys a token and writes the wallet's keystore into `folder`. */
export async function startChain(folder: string) {
  const anvil = await startAnvil(anvilPath() ?? "");
  const token = await anvil.deployToken(tokenDecimals, supply);
  const [keystoreFile, passwordFile] = [join(folder, "wallet.json"), join(folder, "password")];
  // Intentionally weak: this key is public.
  const [key, options] = Keystore.scrypt({ password: "demo", n: 2 });
  const keystore = Keystore.encrypt(walletKey, key, options);
  writeFileSync(keystoreFile, JSON.stringify(keystore), { mode: 0o600 });
  writeFileSync(passwordFile, "demo", { mode: 0o600 });
  let mining: NodeJS.Timeout | undefined;
  const mine = () =>
    anvil.client.mine({ blocks: 1 }).catch((error: unknown) => {
      // A request for a block may be in flight when the chain stops.
      if (mining !== undefined) throw error;
    });
  return {
    anvil,
    token,
    wallet: wallet.address,
    makeBlocks: (everyMs: number): void => {
      clearInterval(mining);
      mining = setInterval(() => void mine(), everyMs);
    },
    balanceOf: (address: Address): Promise<bigint> =>
      anvil.client.readContract({
        address: token,
        abi: tokenAbi,
        functionName: "balanceOf",
        args: [address],
      }),
    /** Returns all token transfers from the wallet, as recorded on the chain. */
    transfers: async () => {
      const logs = await anvil.client.getContractEvents({
        address: token,
        abi: tokenAbi,
        eventName: "Transfer",
        fromBlock: 0n,
        args: { from: wallet.address },
      });
      return logs.map(({ transactionHash, blockNumber, args: { to, value } }) => {
        return { hash: transactionHash as Hex, block: blockNumber, to, value: value ?? 0n };
      });
    },
    settings: {
      rail: "anvil",
      network: "ETHEREUM",
      chain_id: 31_337,
      rpc_urls: [anvil.url],
      finality: 2,
      wallet: wallet.address,
      native: "ETH",
      poll_ms: 200,
      signer: { keystore_file: keystoreFile, password_file: passwordFile },
      tokens: { USDC_ETH: { contract: token, decimals: tokenDecimals } },
      max_fee_gwei: "100",
      tip_gwei: "1",
    },
    stop: async (): Promise<void> => {
      clearInterval(mining);
      mining = undefined;
      await anvil.stop();
    },
  };
}
