import { expect, it } from "vitest";
import { originProblem, providerProblem } from "./addresses.ts";

it.each([
  ["https://console.example.com", "live", undefined],
  ["https://console.example.com:8443", "live", undefined],
  ["http://console.example.com", "live", "https"],
  ["http://127.0.0.1:8080", "sandbox", undefined],
  ["https://console.example.com/", "live", "origin"],
  ["https://console.example.com/console", "live", "origin"],
  ["https://console.example.com?a=b", "sandbox", "origin"],
] as const)("the address %s of a port in %s mode", (url, mode, problem) => {
  const found = originProblem(url, mode);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

it.each([
  ["https://login.example.com/realms/acme", true],
  ["http://127.0.0.1:4000", true],
  ["http://localhost:4000", true],
  ["http://login.example.com", false],
  ["http://127.0.0.1.example.com", false],
])("a provider at %s: %s", (url, isAllowed) => {
  expect(providerProblem(url) === undefined).toBe(isAllowed);
});
