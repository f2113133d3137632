import { expect, test } from "vitest";
import { type FloorKind, type FloorScenario, floorExchanges } from "./exchanges.ts";

const turnsOf = (kind: FloorKind, scenario: FloorScenario, accounts = 1) =>
  floorExchanges({ kind, scenario, accounts, answerBytes: 100 });

const idOf = (path = "") => new URLSearchParams(path.split("?")[1]).get("id");

test("executes a quote once, and not before it was answered", () => {
  const [quote, execute] = [turnsOf("naive", "quote"), turnsOf("naive", "execute")];
  const made = quote();
  expect(execute()).toBeUndefined();
  made?.answered?.();
  expect(idOf(execute()?.paths[0])).toBe(idOf(made?.paths[0]));
  expect(execute()).toBeUndefined();
});

test("executes in a lifecycle the quote that it made, spread over the accounts", () => {
  const lifecycle = turnsOf("grouped", "lifecycle", 3);
  const turns = Array.from({ length: 6 }, () => lifecycle()?.paths ?? []);
  for (const [quote, execute] of turns) {
    expect(quote).toMatch(/^\/grouped\/quote\?/);
    expect(execute).toMatch(/^\/grouped\/execute\?/);
    expect(idOf(quote)).toBe(idOf(execute));
  }
  const accounts = turns.map(([quote]) => /account=([^&]+)/.exec(quote ?? "")?.[1]);
  expect(new Set(accounts).size).toBe(3);
});

test("mixes eight reads with a quote and an execute", () => {
  const mix = turnsOf("grouped", "mix");
  const operations = Array.from({ length: 20 }, () => {
    const turn = mix();
    turn?.answered?.();
    return turn?.paths[0]?.split(/[/?]/)[2];
  });
  const count = (name: string) => operations.filter((each) => each === name).length;
  expect([count("read"), count("quote"), count("execute")]).toEqual([16, 2, 2]);
});
