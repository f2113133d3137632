import type { Chain, Order, Signed } from "@disburse/chain-rail/chain.ts";
import type { Fees } from "@disburse/chain-rail/rules/fees.ts";
import {
  agreedOn,
  type NodeView,
  verdictOf,
  verdictOfAll,
} from "@disburse/chain-rail/rules/finality.ts";
import { type CallAll, callAllOf } from "@disburse/chain-rail/wallet/node-calls.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { isUnowned } from "@disburse/forms/values/unowned-wallets.ts";
import { currencyOf } from "@disburse/kernel/currency.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import {
  type Address,
  bytesToHex,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBytes,
  isAddress,
  isAddressEqual,
  keccak256,
  parseSignature,
  recoverAddress,
  serializeTransaction,
} from "viem";
import { agreedSnapshot, takerAmong } from "./agreed-snapshot.ts";
import { findControls, readClearance, type TokenControls } from "./issuer-controls.ts";
import { connectNode, type EvmNode, type Payment, tokenAbi } from "./node.ts";
import type { EvmChainSettings } from "./settings.ts";
import type { Signer } from "./signer.ts";

const coinDecimals = 18;

/** The token and gas limit for payments in one currency. */
type Asset = {
  readonly token: Address | undefined;
  readonly decimals: number;
  readonly gasLimit: bigint;
};

/** Opens an EVM chain with its nodes and the paying wallet. */
export function openEvmChain(
  settings: EvmChainSettings,
  signer: Signer,
  calls: Parameters<typeof callAllOf>[1],
): Chain {
  const { chain_id: chainId, wallet, rpc_urls: urls, finality, agreeing = urls.length } = settings;
  const nodes = urls.map((url) => connectNode(url, wallet, finality));
  const assets = assetsOf(settings);
  const contracts = Object.values(settings.tokens).map(({ contract }) => contract);
  let controls: ReadonlyMap<Address, TokenControls> = new Map();
  const assetOf = (currency: string): Asset => {
    const asset = assets.get(currency);
    if (asset === undefined) throw new Error(`the rail does not support ${currency}`);
    return asset;
  };
  const callAll = callAllOf(nodes, calls);
  const paymentOf = ({ currency, amount, to }: Order): Payment => {
    const { token, decimals } = assetOf(currency);
    return { to: getAddress(to), units: unitsOf(amount, currency, decimals), token };
  };
  return {
    wallet: `${chainId}:${wallet.toLowerCase()}`,
    check: async () => {
      await signer.check();
      await checkNodes(settings, callAll);
      controls = await findControls(callAll, agreeing, contracts, wallet);
    },
    pays: ({ currency, to }) => assets.has(currency) && hasOwner(settings, to),
    isOwned: (to) => hasOwner(settings, to),
    snapshot: async () => {
      const responses = await callAll((node) => node.snapshot(controls));
      const given = responses.filter((each) => each !== undefined);
      const snapshot = agreedSnapshot(given, agreeing, assets, settings.native);
      if (snapshot === undefined)
        throw new Error(`fewer than ${agreeing} nodes returned the chain's state`);
      return snapshot;
    },
    clearance: async ({ currency, to }) => {
      const { token } = assetOf(currency);
      if (token === undefined) return { kind: "ok" };
      const found = controls.get(token);
      if (found === undefined) throw new Error("the tokens were not read from the nodes yet");
      const accounts = { wallet, to: getAddress(to) };
      return readClearance(callAll, agreeing, token, found, accounts);
    },
    costOf: ({ currency, amount }, fees) => {
      const { decimals, gasLimit } = assetOf(currency);
      return { amount: unitsOf(amount, currency, decimals), fee: gasLimit * fees.max };
    },
    sign: async (nonce, order, fees) => {
      if (!hasOwner(settings, order.to))
        throw new Error("the recipient's address can have no owner, like the zero address");
      const { gasLimit } = assetOf(order.currency);
      const call = callOf(paymentOf(order));
      return signed(signer, wallet, { chainId, nonce, gas: gasLimit, ...call, ...feesOf(fees) });
    },
    cancelFee: ({ max }) => BigInt(settings.native_gas_limit) * max,
    signCancel: (nonce, fees) => {
      const call = { to: wallet, value: 0n, data: "0x" } as const;
      const gas = BigInt(settings.native_gas_limit);
      return signed(signer, wallet, { chainId, nonce, gas, ...call, ...feesOf(fees) });
    },
    send: async (raw) => {
      // A node also responds with an error if it already has the transaction. Errors are ignored,
      // because only the receipt proves the result.
      await Promise.all(nodes.map((node) => node.send(bytesToHex(raw)).catch(() => undefined)));
    },
    verdict: async (ids, order) => {
      const payment = order && paymentOf(order);
      const verdicts = ids.map(async (id) => {
        const views: NodeView[] = await callAll((node) =>
          node.minedTransaction(id as Hex, payment),
        );
        return verdictOf(views, agreeing);
      });
      return verdictOfAll(await Promise.all(verdicts));
    },
    takerOf: async (nonce, since, order) => {
      const found = await callAll((node) => node.takerOf(nonce, since));
      return takerAmong(found, agreeing, order && callOf(paymentOf(order)));
    },
    amountText: (units, currency) => formatDecimal({ units, scale: assetOf(currency).decimals }),
  };
}

/**
 * Returns true unless the address is in the table of wallets without an owner, is one of the
 * chain's configured tokens, or is the paying wallet.
 */
function hasOwner({ network, tokens, wallet }: EvmChainSettings, to: string): boolean {
  if (!isAddress(to, { strict: false }) || isAddressEqual(to, wallet)) return false;
  const contracts = Object.values(tokens).map(({ contract }) => contract.toLowerCase());
  return !isUnowned(network, to) && !contracts.includes(to.toLowerCase());
}

function assetsOf({ native, tokens, native_gas_limit: nativeGas }: EvmChainSettings) {
  const assets = new Map<string, Asset>();
  for (const [currency, { contract, decimals, gas_limit: gas }] of Object.entries(tokens)) {
    assets.set(currency, { token: contract, decimals, gasLimit: BigInt(gas) });
  }
  const coin = { token: undefined, decimals: coinDecimals, gasLimit: BigInt(nativeGas) };
  if (native !== undefined) assets.set(native, coin);
  return assets;
}

/**
 * Converts minor units to units of the chain. Throws if the token has fewer decimals than the
 * currency.
 */
function unitsOf(minor: bigint, currency: string, decimals: number): bigint {
  const more = decimals - currencyOf(currency).decimals;
  if (more < 0)
    throw new Error(`the token contract has fewer decimals than the currency ${currency}`);
  return minor * 10n ** BigInt(more);
}

function callOf({ to, units, token }: Payment) {
  if (token === undefined) return { to, value: units, data: "0x" } as const;
  const args = [to, units] as const;
  const data = encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args });
  return { to: token, value: 0n, data };
}

function feesOf({ max, tip }: Fees) {
  return { maxFeePerGas: max, maxPriorityFeePerGas: tip };
}

/** Signs a transaction, and checks that the wallet's key signed it. */
async function signed(
  signer: Signer,
  wallet: Address,
  transaction: {
    readonly chainId: number;
    readonly nonce: number;
    readonly gas: bigint;
    readonly to: Address;
    readonly value: bigint;
    readonly data: Hex;
    readonly maxFeePerGas: bigint;
    readonly maxPriorityFeePerGas: bigint;
  },
): Promise<Signed> {
  const typed = { type: "eip1559", ...transaction } as const;
  const unsigned = serializeTransaction(typed);
  const signature = await signer.sign(unsigned);
  const signedBy = await recoverAddress({ hash: keccak256(unsigned), signature });
  if (!isAddressEqual(signedBy, wallet))
    throw new Error("the signer did not sign with the wallet's key");
  const raw = serializeTransaction(typed, parseSignature(signature));
  return { id: keccak256(raw), raw: hexToBytes(raw) };
}

/** Checks that enough nodes belong to the chain, and that its tokens match the configuration. */
async function checkNodes(
  { chain_id: chainId, rpc_urls: urls, agreeing = urls.length, tokens }: EvmChainSettings,
  callAll: CallAll<EvmNode>,
): Promise<void> {
  const assertAgreed = (
    responses: readonly (number | undefined)[],
    wanted: number,
    what: string,
  ) => {
    const wrong = responses.find((response) => response !== undefined && response !== wanted);
    if (wrong !== undefined) {
      throw new SettingsError(`EVM_CHAINS: ${what} is ${wanted}, but a node returned ${wrong}`);
    }
    if (agreedOn(responses, agreeing) === undefined)
      throw new Error(`${what}: fewer than ${agreeing} nodes returned a value`);
  };
  assertAgreed(await callAll((node) => node.chainId()), chainId, "chain_id");
  for (const [currency, { contract, decimals }] of Object.entries(tokens)) {
    if (decimals < currencyOf(currency).decimals) {
      throw new SettingsError(
        `EVM_CHAINS: tokens: ${currency}: decimals: must be at least ${currencyOf(currency).decimals}, as Disburse uses`,
      );
    }
    assertAgreed(
      await callAll((node) => node.decimals(contract)),
      decimals,
      `decimals of ${currency}`,
    );
  }
}
