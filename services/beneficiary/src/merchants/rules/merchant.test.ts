import { expect, it } from "vitest";
import { readRegistration } from "./merchant.ts";

it.each([
  ["", "Acme Ltd", { id: undefined, name: "Acme Ltd" }],
  ["mer_acme", "  Acme Ltd ", { id: "mer_acme", name: "Acme Ltd" }],
  ["7:a.B-_", "a".repeat(255), { id: "7:a.B-_", name: "a".repeat(255) }],
  ["a".repeat(128), "A", { id: "a".repeat(128), name: "A" }],
])("%j and %j are a registration", (id, name, expected) => {
  expect(readRegistration(id, name)).toEqual(expected);
});

const idProblem = "merchant_id: must be 1 to 128 letters, digits, '.', '_', ':' and '-'";

it.each([
  ["", "", "name: must be 1 to 255 characters"],
  ["", " ", "name: must be 1 to 255 characters"],
  ["", "a".repeat(256), "name: must be 1 to 255 characters"],
  ["", "a\u0000b", "name: must not contain control characters"],
  ["a".repeat(129), "A", idProblem],
  ["_a", "A", idProblem],
  ["mer acme", "A", idProblem],
  ["a\n", "A", idProblem],
  ["é", "", `${idProblem}; name: must be 1 to 255 characters`],
])("%j and %j are refused", (id, name, detail) => {
  expect(readRegistration(id, name)).toEqual({ refused: "INVALID_REQUEST", detail });
});
