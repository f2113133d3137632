import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import type { Argument, CallCommand } from "../table/command.ts";

const registry = BeneficiaryService.method;
const keys = KeyService.method;

/** The merchant that a command is about. */
export const merchant: Argument = {
  name: "merchant",
  field: "merchant_id",
  about: "the merchant's id, mer_…",
};

const key: Argument = { name: "key", field: "key_id", about: "the public part of the key" };

/** Merchants, what they may create, and their API keys. */
export const merchantCommands: readonly CallCommand[] = [
  {
    name: "merchants list",
    summary: "every merchant, newest first",
    examples: ["merchants list", "merchants list --all --json"],
    method: registry.listMerchants,
    show: { list: "merchants", columns: ["id", "name", "created_at"] },
  },
  {
    name: "merchants get",
    summary: "one merchant",
    examples: ["merchants get mer_01k…"],
    method: registry.getMerchant,
    arguments: [merchant],
    show: { record: "merchant" },
  },
  {
    name: "merchants create",
    summary: "register a merchant",
    details:
      "What it may create, its keys, accounts and corridors come after: settings set, keys create,\n" +
      "accounts open, corridors apply.",
    examples: [
      'merchants create "Acme Ltd"',
      'merchants create "Acme Ltd" --id mer_acme --dry-run',
    ],
    method: registry.createMerchant,
    arguments: [{ name: "name", field: "name", about: "the merchant's name, for people" }],
    options: [
      {
        name: "id",
        field: "merchant_id",
        about: "an id that other systems know; made if left out",
      },
    ],
    show: { record: "merchant" },
  },
  {
    name: "settings get",
    summary: "what a merchant may create",
    examples: ["settings get mer_01k…"],
    method: registry.getMerchantSettings,
    arguments: [merchant],
    show: { record: "settings" },
  },
  {
    name: "settings set",
    summary: "say what a merchant may create",
    examples: ["settings set mer_01k… --beneficiaries yes --depositors no"],
    method: registry.setMerchantSettings,
    arguments: [{ ...merchant, field: "settings.merchant_id" }],
    options: [
      {
        name: "beneficiaries",
        field: "settings.may_create_beneficiaries",
        value: "yes|no",
        about: "whether it may create beneficiaries",
        isRequired: true,
      },
      {
        name: "depositors",
        field: "settings.may_create_depositors",
        value: "yes|no",
        about: "whether it may create depositors",
        isRequired: true,
      },
    ],
    show: { record: "settings" },
  },
  {
    name: "keys list",
    summary: "a merchant's API keys, oldest first",
    examples: ["keys list mer_01k…"],
    method: keys.listKeys,
    arguments: [merchant],
    show: {
      list: "keys",
      columns: ["id", "description", "scopes", "created_at", "expires_at", "revoked_at"],
    },
  },
  {
    name: "keys create",
    summary: "create an API key; it is shown once",
    details:
      "Without --scope a key has every scope in the sandbox, and reads in live mode. Without\n" +
      "--expires it has no end in the sandbox, and ends after 365 days in live mode.",
    examples: [
      'keys create mer_01k… --description "checkout"',
      "keys create mer_01k… --scope payout:read --scope quote:read --expires 2027-01-01",
    ],
    method: keys.createKey,
    registered: "merchant_id",
    arguments: [merchant],
    options: [
      { name: "description", field: "description", about: "what it is for" },
      { name: "scope", field: "scopes", about: "payout:read, payout:write, …", isMany: true },
      { name: "expires", field: "expires_at", value: "time", about: "when it ends" },
      {
        name: "source-cidr",
        field: "source_cidrs",
        value: "cidr",
        isMany: true,
        about: "where it may be used from; from anywhere if left out",
      },
    ],
    show: { record: "" },
  },
  {
    name: "keys rotate",
    summary: "create a second key like one; the first ends after the overlap",
    examples: ["keys rotate k_01k… --overlap 86400"],
    method: keys.rotateKey,
    arguments: [key],
    options: [
      {
        name: "overlap",
        field: "overlap_seconds",
        value: "seconds",
        isRequired: true,
        about: "how long the first one works still: 0 after a leak, 2592000 at most",
      },
    ],
    show: { record: "" },
  },
  {
    name: "keys revoke",
    summary: "end a key, everywhere within 5 s, and hold its unpaid orders",
    details:
      "hold (the default): its scheduled payouts and batches await another actor's approval.\n" +
      "keep: they are paid as ordered; for a rotation, once the merchant has checked them.\n" +
      "cancel: they are cancelled; keys that it created are revoked, their endpoints paused.",
    examples: ["keys revoke k_01k…", "keys revoke k_01k… --orders cancel"],
    method: keys.revokeKey,
    arguments: [key],
    options: [{ name: "orders", field: "orders", about: "hold, keep or cancel" }],
    show: { record: "" },
  },
];
