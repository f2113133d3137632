import { expect, test } from "vitest";
import { type NaiveScenario, nextNaiveTurn } from "./operations.ts";

const next = (scenario: NaiveScenario, accounts = 1) =>
  nextNaiveTurn(scenario, { accounts, answerBytes: 100 });
const idOf = (path = "") => new URLSearchParams(path.split("?")[1]).get("id");

test("executes a quote once, after its answer", () => {
  const created = next("quote");
  expect(next("execute")).toBeUndefined();
  created?.answered?.();
  expect(idOf(next("execute")?.paths[0])).toBe(idOf(created?.paths[0]));
  expect(next("execute")).toBeUndefined();
});

test("a lifecycle executes its own quote, and lifecycles spread over the accounts", () => {
  const turns = Array.from({ length: 6 }, () => next("lifecycle", 3)?.paths ?? []);
  for (const [quote, execute] of turns) {
    expect(quote).toMatch(/^\/quote\?/);
    expect(execute).toMatch(/^\/execute\?/);
    expect(idOf(quote)).toBe(idOf(execute));
  }
  const accounts = turns.map(([quote]) => /account=([^&]+)/.exec(quote ?? "")?.[1]);
  expect(new Set(accounts).size).toBe(3);
});
