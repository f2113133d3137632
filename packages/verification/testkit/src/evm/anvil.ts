import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  type Address,
  createTestClient,
  getAddress,
  type Hex,
  http,
  publicActions,
  walletActions,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { foundry } from "viem/chains";
import { freePort } from "../ports.ts";
import { testTokenAbi, testTokenBytecode } from "./token.ts";

/** The tests' wallet: the first account of anvil's well-known mnemonic. */
export const wallet = mnemonicToAccount(
  "test test test test test test test test test test test junk",
);
/**
 * The second account of the mnemonic. It issues the tokens, so that only transfers use the wallet's
 * nonces.
 */
const issuer = mnemonicToAccount("test test test test test test test test test test test junk", {
  addressIndex: 1,
});
/** The wallet's private key. It is public and has no value on any real chain. */
export const walletKey: Hex = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/** Returns `undefined` if anvil's package is not installed for this machine. */
export function anvilPath(): string | undefined {
  const { platform, arch } = process;
  const name = `@foundry-rs/anvil-${platform}-${arch === "x64" ? "amd64" : arch}`;
  try {
    const { resolve } = createRequire(import.meta.resolve("@foundry-rs/anvil/package.json"));
    return join(dirname(resolve(`${name}/package.json`)), "bin", "anvil");
  } catch {
    // An optional dependency, not available for every platform.
    return undefined;
  }
}

export type Anvil = Awaited<ReturnType<typeof startAnvil>>;

/** Starts a chain that creates blocks only on request. */
export async function startAnvil(path: string) {
  const port = await freePort();
  const child = spawn(path, ["--port", String(port), "--no-mining", "--quiet"], {
    stdio: "ignore",
  });
  // Kills the chain if this process exits without stopping it.
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const url = `http://127.0.0.1:${port}`;
  const client = createTestClient({ chain: foundry, mode: "anvil", transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);
  await answering(child, () => client.getChainId());
  return {
    url,
    client,
    /** Deploys a token and gives the whole supply to the wallet. */
    deployToken: async (decimals: number, supply: bigint): Promise<Address> => {
      const hash = await client.deployContract({
        ...{ abi: testTokenAbi, bytecode: testTokenBytecode, account: issuer },
        args: [decimals, wallet.address, supply],
      });
      await client.mine({ blocks: 1 });
      const { contractAddress } = await client.getTransactionReceipt({ hash });
      if (!contractAddress)
        throw new Error("the receipt of the token's deployment has no contract address");
      return getAddress(contractAddress);
    },
    /** Sets the token's behaviour from the next block on. `mode` is a `Mode` of token.sol. */
    setMode: (token: Address, mode: number): Promise<Hex> =>
      client.writeContract({
        ...{ address: token, abi: testTokenAbi, functionName: "setMode", account: issuer },
        args: [mode],
      }),
    /** Gives the token an issuer's functions from the next block on: an `Issuer` of token.sol. */
    setIssuer: (token: Address, kind: number): Promise<Hex> =>
      client.writeContract({
        ...{ address: token, abi: testTokenAbi, functionName: "setIssuer", account: issuer },
        args: [kind],
      }),
    /** Makes the token refuse an account from the next block on. */
    block: (token: Address, account: Address): Promise<Hex> =>
      client.writeContract({
        ...{ address: token, abi: testTokenAbi, functionName: "blockAccount", account: issuer },
        args: [account],
      }),
    /**
     * Replaces the newest blocks by empty blocks. Their transactions are removed from the node's
     * pool too.
     */
    reorganise: (depth: number): Promise<unknown> =>
      client.request({ method: "anvil_reorg", params: [depth, []] } as never),
    stop: async () => {
      process.off("exit", kill);
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function answering(child: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; child.exitCode === null && tries < 200; tries += 1) {
    try {
      await ask();
      return;
    } catch {
      // The chain has not started yet.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("anvil did not start");
}
