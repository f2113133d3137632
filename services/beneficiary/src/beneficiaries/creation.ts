import {
  CryptoBeneficiaryFieldsSchema,
  FiatBeneficiaryFieldsSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { cryptoBeneficiary as cryptoForm } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { fiatBeneficiary as fiatForm } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import { isNetwork } from "@disburse/forms/values/networks.ts";
import { checkWalletAddress } from "@disburse/forms/values/wallet-address.ts";
import type { Refused } from "@disburse/kernel/refusal.ts";
import type { Creation } from "../creation/creation.ts";
import { type Fields, textOf } from "../records/rules/private-fields.ts";
import type { PartyWallet } from "../records/rules/screening.ts";
import { newCryptoBeneficiary, newFiatBeneficiary } from "./rules/beneficiary.ts";
import { beneficiaryDocument } from "./store.ts";

/** A beneficiary with a wallet, which has to be clear before it is stored. */
export const cryptoCreation: Creation<typeof CryptoBeneficiaryFieldsSchema> = {
  noun: "beneficiary",
  form: cryptoForm,
  schema: CryptoBeneficiaryFieldsSchema,
  wallet: beneficiaryWallet,
  document: (origin, body, wallet, storing) =>
    beneficiaryDocument(newCryptoBeneficiary(origin, body, wallet?.address ?? ""), storing),
};

/** A beneficiary with a bank account. */
export const fiatCreation: Creation<typeof FiatBeneficiaryFieldsSchema> = {
  noun: "beneficiary",
  form: fiatForm,
  schema: FiatBeneficiaryFieldsSchema,
  wallet: () => undefined,
  document: (origin, body, _wallet, storing) =>
    beneficiaryDocument(newFiatBeneficiary(origin, body), storing),
};

/** The wallet of a crypto beneficiary, valid on its network. */
export function beneficiaryWallet(body: Fields): PartyWallet | Refused<"INVALID_WALLET_ADDRESS"> {
  const network = textOf(body, "routing_code_value_1");
  if (!isNetwork(network)) throw new Error("a checked body names no network");
  const address = checkWalletAddress(network, textOf(body, "beneficiary_account_number"));
  return typeof address === "string" ? { networks: [network], address } : address;
}
