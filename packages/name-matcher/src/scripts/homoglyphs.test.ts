import { expect, it } from "vitest";
import { foldHomoglyphs, latinLookalike } from "./homoglyphs.ts";

it.each([
  // Mixed words: Cyrillic а and о among Latin letters, Latin a among Cyrillic ones.
  ["Sаra Bоnd", "Sara Bond"],
  ["Sara Bond", "Sara Bond"],
  // A whole word of homoglyphs becomes Latin among Latin words, but stays unchanged alone.
  ["John Сара", "John capa"],
  ["Сара", "Сара"],
  ["Сара Осар", "Сара Осар"],
  // Д resembles no Latin letter.
  ["John Дaра", "John Дара"],
])("folds %s to %s", (text, folded) => {
  expect(foldHomoglyphs(text)).toBe(folded);
});

it.each([
  ["Сара", "capa"],
  ["Сара-Осар 1", "capa-ocap 1"],
  ["Дара", ""],
  ["Capa", ""],
  ["John Сара", ""],
  ["1", ""],
])("reads %s as the Latin %s", (text, read) => {
  expect(latinLookalike(text)).toBe(read);
});
