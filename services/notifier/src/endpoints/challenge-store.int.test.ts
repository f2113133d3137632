import { expect, it } from "vitest";
import { testNotifierOfFile } from "../test-notifier.ts";
import { openChallengeStore } from "./challenge-store.ts";

const { database } = await testNotifierOfFile();
const challenges = openChallengeStore(database);

it("a challenge that ends late does not free the turn that another one has by then", async () => {
  const turn = { merchantId: "mer_1", endpointId: "whe_1", host: "hooks.example.com" };
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 0, 0, seconds));
  const begin = (token: string, now: Date) =>
    challenges.begin(turn, token, { now, until: new Date(now.getTime() + 10_000) });
  expect(await begin("late", at(0))).toBe(true);
  expect(await begin("second", at(10))).toBe(true);
  await challenges.end(turn, "late", at(5));
  expect(await begin("third", at(11))).toBe(false);
  const sameHost = { ...turn, endpointId: "whe_2" };
  expect(await challenges.begin(sameHost, "third", { now: at(11), until: at(21) })).toBe(false);
  await challenges.end(turn, "second", at(12));
  expect(await begin("third", at(12))).toBe(true);
});
