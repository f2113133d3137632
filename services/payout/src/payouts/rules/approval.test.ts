import { describe, expect, it } from "vitest";
import { isSameActor, type Who } from "./approval.ts";

const key = (id: string, root = id): Who => ({ kind: "api_key", id, root });
const member = (id: string, root = id): Who => ({ kind: "member", id, root });
const operator = (id: string): Who => ({ kind: "operator", id });

describe("two actors", () => {
  it.each<[string, Who, Who, boolean]>([
    ["a key and itself", key("k1"), key("k1"), true],
    ["a root with and without its root", { kind: "api_key", id: "k1" }, key("k2", "k1"), true],
    ["two roots", key("k1"), key("k2"), false],
    ["a key and its maker", key("k2", "k1"), key("k1"), true],
    ["two keys of one root", key("k2", "k1"), key("k3", "k1"), true],
    ["keys of two roots", key("k3", "k1"), key("k4", "k2"), false],
    ["a member and a key of that member", member("mem_1"), key("k1", "mem_1"), true],
    ["a member and a key of another one", member("mem_1"), key("k1", "mem_2"), false],
    ["a key and a member that it invited", key("k1"), member("mem_1", "k1"), true],
    ["two members", member("mem_1"), member("mem_2"), false],
    ["an operator and itself", operator("ada"), operator("ada"), true],
    ["an operator and a key of that name", operator("k1"), key("k1"), false],
    ["an operator and a service of that name", operator("a"), { kind: "service", id: "a" }, false],
  ])("%s", (_what, one, other, isSame) => {
    expect(isSameActor(one, other)).toBe(isSame);
    expect(isSameActor(other, one)).toBe(isSame);
  });
});
