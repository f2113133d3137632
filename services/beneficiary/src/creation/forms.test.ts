import { create, type DescMessage, fromJson } from "@bufbuild/protobuf";
import {
  CryptoBeneficiaryFieldsSchema,
  DepositorFieldsSchema,
  FiatBeneficiaryFieldsSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { ViolationSchema } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { depositor } from "@disburse/forms/bodies/depositor.ts";
import { fiatBeneficiary } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import { fieldsOf } from "@disburse/forms/checks/read.ts";
import { exampleOf } from "@disburse/forms/describe/examples.ts";
import type { Field, PublicBody } from "@disburse/forms/fields/field.ts";
import { describe, expect, it } from "vitest";
import { beneficiaryWallet } from "../beneficiaries/rpc.ts";
import { depositorWallet } from "../depositors/depositors.ts";
import { refusalOf } from "../test-bodies.ts";
import { checkedFields } from "./creation.ts";

const now = new Date("2026-11-20T00:00:00Z");

const bodies: readonly (readonly [string, PublicBody, DescMessage])[] = [
  ["crypto beneficiary", cryptoBeneficiary, CryptoBeneficiaryFieldsSchema],
  ["fiat beneficiary", fiatBeneficiary, FiatBeneficiaryFieldsSchema],
  ["depositor", depositor, DepositorFieldsSchema],
];

function tablePaths(fields: readonly Field[]): string[] {
  return fields.flatMap((field) =>
    "fields" in field
      ? [field.name, ...tablePaths(field.fields).map((path) => `${field.name}.${path}`)]
      : [field.name],
  );
}

function messagePaths(schema: DescMessage): string[] {
  return schema.fields.flatMap((field) =>
    field.message === undefined
      ? [field.name]
      : [field.name, ...messagePaths(field.message).map((path) => `${field.name}.${path}`)],
  );
}

describe.each(bodies)("the table and the message of a %s", (_name, body, schema) => {
  it("have the same fields", () => {
    expect(tablePaths(fieldsOf(body)).sort()).toEqual(messagePaths(schema).sort());
  });

  it.each(body.forms.map((form) => [form.name, form] as const))(
    "carry a body of %s there and back",
    (_form, form) => {
      const example = exampleOf(form);
      const request = { fields: fromJson(schema, example), unreadable: [] };
      const checked = checkedFields({ form: body, schema }, request, { now });
      expect(Object.keys(checked)).not.toEqual([]);
      expect(example).toMatchObject(checked);
    },
  );

  it("refuse a request without fields, also naming the gateway's unreadable fields", async () => {
    const unreadable = [{ field: fieldsOf(body)[0]?.name ?? "", problem: "must be a string" }];
    const request = { unreadable: unreadable.map((each) => create(ViolationSchema, each)) };
    const call = async () => checkedFields({ form: body, schema }, request, { now });
    expect(await refusalOf(call())).toEqual({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("is required"),
    });
  });
});

describe("a wallet", () => {
  const evm = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";
  const address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  const invalid = { refused: "INVALID_WALLET_ADDRESS" };

  it.each([
    ["POL", evm, { networks: ["POL"], address }],
    ["BTC", evm, invalid],
    ["ETHEREUM", "TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW", invalid],
    ["TRX", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", invalid],
    ["ETHEREUM", "0x0000000000000000000000000000000000000001", invalid],
    ["BNB", "0x0000000000000000000000000000000000000064", invalid],
  ])("of a beneficiary on %s: %s", (network, text, wallet) => {
    const body = { routing_code_value_1: network, beneficiary_account_number: text };
    expect(beneficiaryWallet(body)).toEqual(wallet);
  });

  it.each([
    [evm, { networks: ["ETHEREUM", "POL", "BNB"], address }],
    ["", undefined],
    ["tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", invalid],
    ["0x000000000000000000000000000000000000dEaD", invalid],
    // A precompile on BNB alone, so a sender could pay from that network.
    ["0x0000000000000000000000000000000000000064", invalid],
    ["11111111111111111111111111111111", invalid],
  ])("of a depositor: %s", (text, wallet) => {
    expect(depositorWallet({ depositor_wallet_address: text })).toEqual(wallet);
  });
});
