import { callCommands } from "@disburse/commands/commands/all.ts";
import type { CallCommand } from "@disburse/commands/table/command.ts";
import { messageOf } from "@disburse/commands/table/request.ts";
import { describe, expect, it } from "vitest";
import { differenceOf } from "./flat.ts";
import { changesIn, fieldsOf, listsOf, requestIn, valuesOf } from "./form.ts";

const named = (name: string) => callCommands.find((each) => each.name === name) as CallCommand;

it("every action has a form whose labels and keys differ", () => {
  for (const command of callCommands) {
    const fields = fieldsOf(command);
    const given = [...(command.arguments ?? []), ...(command.options ?? [])].length;
    const ofFile = (command.file?.fields ?? []).filter(({ field }) => !field.includes("*"));
    const expected = given + (command.file === undefined ? 0 : ofFile.length - 1);
    expect(fields, command.name).toHaveLength(expected);
    for (const part of ["key", "label", "title"] as const) {
      const texts = fields.map((field) => field[part]);
      expect(texts, command.name).toEqual([...new Set(texts)]);
    }
  }
});

describe("the request of a form", () => {
  it("has what was filled in, and what the action fixes", () => {
    const values = { rail: "bank", reason: " the bank is away ", limit: "9" };
    expect(requestIn(named("rails pause"), values)).toEqual({
      paused: true,
      rail: "bank",
      reason: "the bank is away",
    });
    const fee = { rail: "bank", amount: "35.00", currency: "USD", note: "fee", charge: "yes" };
    expect(requestIn(named("rails sweep"), fee)).toMatchObject({ amount: "35.00", charge: true });
    expect(requestIn(named("rails sweep"), { ...fee, charge: "" })).not.toHaveProperty("charge");
  });

  it.each([
    ["keys rotate", { key: "k", overlap: "soon" }, "--overlap"],
    ["keys rotate", { key: "k" }, "--overlap"],
    ["rails pause", { reason: "maintenance" }, "<rail>"],
    ["keys create", { merchant: "mer_1", expires: "tomorrow" }, "--expires"],
    ["controls set", { merchant: "mer_1", "approval.batches": "maybe" }, "approval.batches"],
  ])("of %s with %j names the field %s", (name, values, label) => {
    expect(() => requestIn(named(name), values)).toThrow(expect.objectContaining({ label }));
  });

  it("takes several values, one on each line", () => {
    const values = { merchant: "mer_1", scope: "payout:read\n quote:read\n" };
    expect(requestIn(named("keys create"), values)).toMatchObject({
      scopes: ["payout:read", "quote:read"],
    });
  });

  it("has the filled items of a list, without those that were removed", () => {
    const velocity = named("velocity set");
    const values = {
      merchant: "mer_1",
      "merchant.count_hour": "10",
      "merchant.amounts.0.currency_code": undefined,
      "merchant.amounts.0.day": undefined,
      "merchant.amounts.2.currency_code": "USD",
      "merchant.amounts.2.day": "100.00",
      "merchant.amounts.3.currency_code": "",
    };
    const request = requestIn(velocity, values);
    expect(request).toEqual({
      merchant_id: "mer_1",
      merchant: { count_hour: "10", amounts: [{ currency_code: "USD", day: "100.00" }] },
      beneficiary: {},
    });
    expect(messageOf(velocity.method, request)).toMatchObject({ merchantId: "mer_1" });
  });
});

it("the current record fills the form, and its changes are shown in words", () => {
  const controls = named("controls set");
  const amount = { currency_code: "USD", minimum: "100.00", window_seconds: 0 };
  const before = valuesOf(controls, {
    merchant_id: "mer_1",
    duplicate_window_seconds: 60,
    approval: { amounts: [amount], batches: true },
  });
  expect(requestIn(controls, before)).toMatchObject({
    duplicate_window_seconds: "60",
    approval: { batches: true, amounts: [{ ...amount, window_seconds: "0" }] },
  });
  const after = { ...before, duplicate_window_seconds: "", "approval.amounts.0.minimum": "50.00" };
  expect(changesIn(controls, before, after)).toEqual([
    {
      title: expect.stringContaining("duplicate"),
      before: "60",
      after: "",
    },
    { title: "Approval from this amount (1)", before: "100.00", after: "50.00" },
  ]);
  expect(listsOf(controls)).toHaveLength(1);
  const permissions = named("permissions set");
  expect(valuesOf(permissions, { merchant_id: "mer_1", may_create_depositors: false })).toEqual({
    merchant: "mer_1",
    depositors: "no",
  });
});

it("the difference of two records names only what differs", () => {
  expect(differenceOf({}, { accountId: "acc_1" })).toEqual([
    { title: "Account id", before: "", after: "acc_1" },
  ]);
  const before = { state: "on", limits: [{ day: "1.00" }], roles: ["a", "b"] };
  const after = { state: "on", limits: [{ day: "2.00" }, { day: "3.00" }], roles: ["a"] };
  expect(differenceOf(before, after)).toEqual([
    { title: "Limits, 1, day", before: "1.00", after: "2.00" },
    { title: "Roles", before: "a, b", after: "a" },
    { title: "Limits, 2, day", before: "", after: "3.00" },
  ]);
});
