import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { placeOf, places, servicesOf } from "./served.ts";

const proto = join(import.meta.dirname, "../../../../proto/disburse");

/** Names of all services of the contract, such as `disburse.payout.v1.PayoutService`. */
function contract(): string[] {
  const files = readdirSync(proto, { recursive: true, encoding: "utf8" });
  const texts = files.filter((each) => each.endsWith(".proto"));
  return texts.flatMap((file) => {
    const text = readFileSync(join(proto, file), "utf8");
    const [, name = ""] = /^package (.*);$/m.exec(text) ?? [];
    return [...text.matchAll(/^service (\w+)/gm)].map(([, service]) => `${name}.${service}`);
  });
}

it("the operator API proxy serves every service of the contract", () => {
  const all = new Set(places.flatMap((place) => servicesOf(place).map((each) => each.typeName)));
  expect([...all].sort()).toEqual([...contract(), "grpc.health.v1.Health"].sort());
});

it("finds a service by its name if only one place has it", () => {
  expect(placeOf("disburse.compliance.v1.ComplianceReviewService")).toBe("compliance");
  expect(placeOf("disburse.gateway.v1.TeamService")).toBe("gateway");
  expect(placeOf("disburse.approval.v1.ApprovalService")).toBeUndefined();
  expect(placeOf("grpc.health.v1.Health")).toBeUndefined();
  const names = servicesOf("quote").map((each) => each.typeName);
  expect(names).toContain("disburse.approval.v1.ApprovalService");
  expect(servicesOf("constructor" as "quote")).toEqual([]);
});
