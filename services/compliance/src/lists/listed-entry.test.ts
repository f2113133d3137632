import { expect, it } from "vitest";
import { memoryLists, people, person } from "../test-lists.ts";
import { isListedIn } from "./changed-entries.ts";

it("returns whether an entry is on a state of its list", async () => {
  const store = memoryLists();
  store.put("l", "1", [...people(200), person("7")]);
  store.put("l", "2", people(200));
  store.put("m", "1", [person("8")]);
  const isListed = isListedIn(store);
  const first = [
    { list: "l", importId: "l-1" },
    { list: "m", importId: "m-1" },
  ];
  const later = [{ list: "l", importId: "l-2" }];
  const [seven, eight] = ["7", "8"].map((entryUid) => ({ list: "l", entryUid }));
  if (seven === undefined || eight === undefined) throw new Error("no entries");
  expect(await isListed(first, seven)).toBe(true);
  expect(await isListed(later, seven)).toBe(false);
  expect(await isListed(first, eight)).toBe(false);
  expect(await isListed(first, { ...eight, list: "m" })).toBe(true);
  expect(await isListed(later, { ...eight, list: "m" })).toBe(false);
});
