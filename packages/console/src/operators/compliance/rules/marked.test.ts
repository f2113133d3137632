import { expect, test } from "vitest";
import { markedName } from "./marked.ts";

const marked = (name: string, words: string[]) =>
  markedName(name, words)
    .map(({ text, isAlike }) => (isAlike ? `[${text}]` : text))
    .join("");

test.each([
  ["Zoltvar Quimbrandt", ["quimbrandt"], "Zoltvar [Quimbrandt]"],
  ["QUIMBRANDT, Zoltvár", ["zoltvar", "quimbrandt"], "[QUIMBRANDT,] [Zoltvár]"],
  ["Abd Ullah", ["abd ullah"], "[Abd] [Ullah]"],
  ["Doe", [], "Doe"],
])("marks %s with %j as %s", (name, words, shown) => {
  expect(marked(name, words)).toBe(shown);
});
