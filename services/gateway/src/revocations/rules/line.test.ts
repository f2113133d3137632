import { expect, it } from "vitest";
import { createdThrough } from "./line.ts";

const created = (id: string, createdBy: string, follows?: string) => ({ id, createdBy, follows });
const line = (all: ReturnType<typeof created>[]) => createdThrough("key", all).map(({ id }) => id);

it("finds what a key created through keys and members, in any order", () => {
  const all = [
    ...[created("grandchild", "member"), created("member", "child"), created("child", "key")],
    ...[created("other", "ada"), created("key", "ada"), created("of other", "other")],
  ];
  expect(line(all).toSorted()).toEqual(["child", "grandchild", "member"]);
});

it("the successor of a created key is, the successor of the key itself is not", () => {
  const all = [created("successor", "ada", "key"), created("child", "key")];
  expect(line([...all, created("next child", "ada", "child")])).toEqual(["child", "next child"]);
});
