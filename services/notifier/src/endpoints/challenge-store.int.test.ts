import { expect, it } from "vitest";
import { testNotifierOfFile } from "../test-notifier.ts";
import { openChallengeStore } from "./challenge-store.ts";

const { database } = await testNotifierOfFile();
const challenges = openChallengeStore(database);

it("a challenge that ends late does not release the locks that another one took since", async () => {
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

const stored = async () => {
  const found = await database.db
    .collection("endpoint_challenges")
    .find()
    .sort({ _id: 1 })
    .toArray();
  return found.map(({ _id, schema_version, token, free_at }) => [
    ...[String(_id), schema_version, token, (free_at as Date).getUTCSeconds()],
  ]);
};

it("a challenge takes two locks, and deletes expired ones of its merchant's hosts", async () => {
  await database.db.collection("endpoint_challenges").deleteMany({});
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 0, 0, seconds));
  const turn = (merchantId: string, endpointId: string, host: string) => ({
    ...{ merchantId, endpointId, host },
  });
  const begin = (of: ReturnType<typeof turn>, token: string, second: number) =>
    challenges.begin(of, token, { now: at(second), until: at(second + 10) });
  const [a, b, c] = [
    turn("mer_1", "whe_1", "a.example"),
    turn("mer_1", "whe_2", "b.example"),
    turn("mer_2", "whe_3", "a.example"),
  ] as const;
  for (const each of [a, b, c]) expect(await begin(each, "same", 0)).toBe(true);
  // One process may have several in progress.
  await challenges.end(a, "same", at(5));
  expect(await stored()).toEqual([
    ["mer_1 a.example", 1, "same", 5],
    ["mer_1 b.example", 1, "same", 10],
    ["mer_2 a.example", 1, "same", 10],
    ["whe_1", 1, "same", 5],
    ["whe_2", 1, "same", 10],
    ["whe_3", 1, "same", 10],
  ]);
  await challenges.end(c, "same", at(5));
  // The host is taken, so the endpoint's slot is released.
  expect(await begin({ ...a, host: "b.example" }, "late", 5)).toBe(false);
  expect(await stored()).toEqual([
    ["mer_1 b.example", 1, "same", 10],
    ["mer_2 a.example", 1, "same", 5],
    ["whe_1", 1, "late", 5],
    ["whe_2", 1, "same", 10],
    ["whe_3", 1, "same", 5],
  ]);
  await challenges.forget("whe_2");
  expect((await stored()).map(([id]) => id)).toEqual([
    ...["mer_1 b.example", "mer_2 a.example", "whe_1", "whe_3"],
  ]);
});
