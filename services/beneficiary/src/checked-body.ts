import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import type { Violation } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { checkedMessage } from "@disburse/forms/checked-message.ts";
import type { CheckContext, PublicBody } from "@disburse/forms/field.ts";
import { isNetwork, type Network } from "@disburse/forms/networks.ts";
import { checkWalletAddress, walletNetworks } from "@disburse/forms/wallet-address.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Fields } from "./domain/private-fields.ts";
import { textOf } from "./domain/private-fields.ts";

/** Checks the fields of a request by their form, together with what the edge could not read. */
export function checkedBody<Desc extends DescMessage>(
  body: PublicBody,
  schema: Desc,
  request: { readonly fields?: MessageShape<Desc> | undefined; readonly unreadable: Violation[] },
  context: CheckContext,
): Fields | Refused<"INVALID_REQUEST"> {
  const { fields, unreadable } = request;
  const checked = checkedMessage(body, schema, fields, { ...context, unreadable });
  if (isRefused(checked)) return checked as Refused<"INVALID_REQUEST">;
  return toJson(schema, checked, { useProtoFieldName: true }) as Fields;
}

/** A wallet that can be screened: its networks, and its address in canonical form. */
export type Wallet = { readonly networks: readonly Network[]; readonly address: string };

/** The wallet of a crypto beneficiary, valid on its network. */
export function beneficiaryWallet(body: Fields): Wallet | Refused<"INVALID_WALLET_ADDRESS"> {
  const network = textOf(body, "routing_code_value_1");
  if (!isNetwork(network)) throw new Error("a checked body names no network");
  const address = checkWalletAddress(network, textOf(body, "beneficiary_account_number"));
  return typeof address === "string" ? { networks: [network], address } : address;
}

/**
 * The wallet of a depositor, valid on at least one network; `undefined` where the body has none.
 */
export function depositorWallet(
  body: Fields,
): Wallet | undefined | Refused<"INVALID_WALLET_ADDRESS"> {
  const sent = textOf(body, "depositor_wallet_address");
  if (sent === "") return undefined;
  const networks = walletNetworks(sent);
  const [first] = networks;
  if (first === undefined) return refused("INVALID_WALLET_ADDRESS");
  const address = checkWalletAddress(first, sent);
  return typeof address === "string" ? { networks, address } : address;
}
