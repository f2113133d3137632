import { callCommands } from "@disburse/commands/commands/all.ts";
import type { CallCommand } from "@disburse/commands/table/command.ts";
import { messageOf } from "@disburse/commands/table/request.ts";
import { describe, expect, it } from "vitest";
import { differenceOf } from "./flat.ts";
import {
  changesIn,
  fieldsOf,
  listsOf,
  requestIn,
  reviewedRequest,
  sharedValues,
  valuesFrom,
  valuesOf,
} from "./form.ts";

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

describe("an action that changes only what it is sent", () => {
  const update = named("webhooks update");
  const keys = { merchant: "mer_1", endpoint: "whe_1" };
  const before = {
    endpoint: "whe_1",
    url: "https://a.example",
    description: "checkout",
    type: "a\nb",
  };
  const request = (values: Record<string, string>) =>
    reviewedRequest(update, before, { ...before, ...keys, ...values });

  it("gets the fields that differ", () => {
    const own = { merchant_id: "mer_1", endpoint_id: "whe_1" };
    expect(request({})).toEqual(own);
    expect(request({ type: "a" })).toEqual({ ...own, event_types: ["a"] });
    expect(request({ description: "" })).toEqual({ ...own, description: "" });
    expect(changesIn(update, before, { ...before, ...keys, description: "" })).toEqual([
      { title: "Description", before: "checkout", after: "" },
    ]);
  });

  it("refuses to remove what it can't", () => {
    const error = expect.objectContaining({ label: "--type" });
    expect(() => request({ type: "" })).toThrow(error);
  });
});

it("an address fills only what the form shows", () => {
  const handle = named("bank-files handle");
  const given = { finding: "f", content: "eA==", resolution: "READ_AGAIN", note: "n", else: "x" };
  expect(valuesFrom(handle, given)).toEqual({ finding: "f", note: "n" });
  const sweep = named("rails sweep");
  expect(valuesFrom(sweep, { rail: "bank", charge: "true" })).toEqual({ rail: "bank" });
  expect(valuesFrom(sweep, { charge: "yes" })).toEqual({ charge: "yes" });
  const file = { finding: "f", note: "n", content: "fixed.ach\neA==" };
  expect(requestIn(handle, file)).toMatchObject({ content: "eA==" });
  expect(changesIn(handle, {}, file)).toContainEqual({
    title: "Content",
    before: "",
    after: "fixed.ach",
  });
});

it("a row's link keeps only values of the same field", () => {
  const list = named("payouts list");
  const values = { merchant: "mer_1", reference: "INV-1" };
  expect(sharedValues(list, named("payouts resolve"), values)).toEqual({});
  expect(sharedValues(list, named("payouts get"), values)).toEqual({ merchant: "mer_1" });
});

it("the difference of two records names only what differs", () => {
  expect(differenceOf({}, { accountId: "acc_1" }).changes).toEqual([
    { title: "Account id", before: "", after: "acc_1" },
  ]);
  const before = { state: "on", limits: [{ day: "1.00" }], roles: ["a", "b"] };
  const after = { state: "on", limits: [{ day: "2.00" }, { day: "3.00" }], roles: ["a"] };
  expect(differenceOf(before, after)).toEqual({
    changes: [
      { title: "Limits, 1, day", before: "1.00", after: "2.00" },
      { title: "Roles", before: "a, b", after: "a" },
      { title: "Limits, 2, day", before: "", after: "3.00" },
    ],
    facts: [["State", "on"]],
  });
  const payout = { amount: "5.00", stage: "unknown" };
  expect(differenceOf(payout, { resolution: { outcome: "settled" } })).toEqual({
    changes: [{ title: "Resolution, outcome", before: "", after: "settled" }],
    facts: [
      ["Amount", "5.00"],
      ["Stage", "unknown"],
    ],
  });
  expect(differenceOf({ rules: { batches: true } }, { rules: {} }).changes).toEqual([
    { title: "Rules, batches", before: "yes", after: "" },
  ]);
});
