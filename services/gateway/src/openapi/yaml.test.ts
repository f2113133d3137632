import { readFileSync } from "node:fs";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { yamlOf } from "./yaml.ts";

it("formats the contract and awkward values so that YAML reads the same", () => {
  const file = new URL("../../../../docs/openapi.json", import.meta.url);
  const { webhooks, info } = JSON.parse(readFileSync(file, "utf8"));
  const values = [
    { webhooks, info },
    { "": [], a: {}, no: "no", "a b": [[1, -2.5], [{ y: null }], "x: y\n\"'#"], on: true, 1: "1" },
  ];
  for (const value of values) expect(parse(yamlOf(value))).toEqual(value);
  expect(yamlOf({ amount: exactNumber("250.00") })).toBe("amount: 250.00\n");
});
