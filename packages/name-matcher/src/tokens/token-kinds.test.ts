import { expect, it } from "vitest";
import { concatenations, distinctivePositions, tokenKinds } from "./token-kinds.ts";

it.each([
  ["haji ali jafari", "honorific name name"],
  ["haji jafari", "name name"],
  ["haji", "name"],
  ["dr jafari", "honorific name"],
  ["j bin jafari", "initial particle name"],
  ["limited jafari", "name name"],
])("of a person, %s is %s", (name, kinds) => {
  expect(tokenKinds(name.split(" "), true)).toEqual(kinds.split(" "));
});

it.each([
  ["haji trading ltd", "name trade legal"],
  ["bank of jafari", "trade particle name"],
  ["j jafari", "name name"],
  ["jafari air", "name trade"],
  ["jafari banking", "name trade"],
])("of another, %s is %s", (name, kinds) => {
  expect(tokenKinds(name.split(" "), false)).toEqual(kinds.split(" "));
});

it.each([
  ["haji trading ltd", [0, 1]],
  ["of ltd", [0, 1]],
])("%s is searched by the tokens %j", (name, positions) => {
  expect(distinctivePositions(name.split(" "), false)).toEqual(positions);
});

it.each([
  ["abd ullah", [["abd", "ullah"]]],
  [
    "bank of jafari",
    [
      ["bank", "of", "jafari"],
      ["bank", "jafari"],
    ],
  ],
  ["jafari ltd", [["jafari", "ltd"]]],
  ["jafari", []],
  ["b c d f g h j k", ["b c d f g h j k".split(" ")]],
  ["b c d f g h j k l", []],
])("%s in one word is made of %j", (name, expected) => {
  const tokens = name.split(" ");
  expect(concatenations(tokens, tokenKinds(tokens, false))).toEqual(expected);
});
