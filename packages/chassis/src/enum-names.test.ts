import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DescEnum } from "@bufbuild/protobuf";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { ListFormat } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { DeliveryState } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import {
  LedgerStep,
  PayoutCause,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { describe, expect, it } from "vitest";
import { enumName, enumNames, enumValue } from "./enum-names.ts";

/** Enum names that merchants, documents and other services use. */
it.each([
  [PayoutStatus, ["initiated", "succeeded", "failed"]],
  [
    PayoutSubStatus,
    [
      ...["queued", "processing", "unknown", "settled", "rejected", "returned"],
      ...["awaiting_funds", "cancelled", "awaiting_approval", "scheduled"],
      "awaiting_balance",
    ],
  ],
  [LedgerStep, ["credit", "hold", "post", "release", "return", "reversal", "reserve", "unreserve"]],
  [
    PayoutCause,
    [
      ...["executed", "submitted", "accepted", "outcome_unknown"],
      ...["settled", "rejected", "returned", "resolved", "awaiting_funds", "cancelled"],
      ...["approved", "approval_rejected", "approval_expired", "reissued"],
      ...["awaiting_balance", "not_paid"],
    ],
  ],
  [ScreeningStatus, ["pending", "cleared", "review", "blocked"]],
  [DeliveryState, ["pending", "delivered", "exhausted", "cancelled"]],
  [ListFormat, ["json_lines", "ofac_csv", "un_xml", "eu_csv", "uk_csv"]],
  [Actor_Kind, ["api_key", "operator", "service", "member", "link"]],
])("%o has its names in the contract's order", (enumeration, names) => {
  expect(enumNames(enumeration)).toEqual(names);
});

it("has no name for the unspecified value or an unknown one", () => {
  expect(enumName(PayoutStatus, PayoutStatus.UNSPECIFIED)).toBeUndefined();
  expect(enumName(PayoutStatus, 99 as PayoutStatus)).toBeUndefined();
  expect(enumValue(PayoutStatus, "unspecified")).toBeUndefined();
  expect(enumValue(PayoutStatus, "")).toBeUndefined();
  expect(enumValue(PayoutStatus, "INITIATED")).toBeUndefined();
  expect(enumValue(PayoutStatus, "constructor")).toBeUndefined();
});

const generated = dirname(
  fileURLToPath(import.meta.resolve("@disburse/contracts/disburse/type/v1/mutation_pb.ts")),
).replace(/\/type\/v1$/, "");
const files = readdirSync(generated, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith("_pb.ts"),
);

type Enumeration = Readonly<Record<string, number>>;
const enumerations = (
  await Promise.all(
    files.map(async (file) => {
      const module: Record<string, unknown> = await import(join(generated, file));
      return Object.entries(module).flatMap(([name, schema]) => {
        const isEnum = (schema as { kind?: string }).kind === "enum";
        const enumeration = module[name.replace(/Schema$/, "")] as Enumeration;
        return isEnum ? [[name, enumeration, schema as DescEnum] as const] : [];
      });
    }),
  )
).flat();

describe("agrees with the contract's descriptor", () => {
  it("for every enum", () => {
    expect(enumerations.length).toBeGreaterThan(20);
  });

  it.each(enumerations)("%s", (_name, enumeration, { values, sharedPrefix = "" }) => {
    const [unspecified, ...named] = values;
    const names = named.map(({ name }) => name.toLowerCase().slice(sharedPrefix.length));
    expect(unspecified?.name.toLowerCase()).toBe(`${sharedPrefix}unspecified`);
    expect(enumNames(enumeration)).toEqual(names);
    for (const [at, { number }] of named.entries()) {
      expect(enumName(enumeration, number)).toBe(names[at]);
      expect(enumValue(enumeration, names[at] ?? "")).toBe(number);
    }
  });
});
