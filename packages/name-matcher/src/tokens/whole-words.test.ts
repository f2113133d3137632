import { describe, expect, it } from "vitest";
import { tokenKinds } from "./token-kinds.ts";
import { nameTokens } from "./tokenizer.ts";
import { wholeWords } from "./whole-words.ts";

const tokensOf = (name: string): string => nameTokens(name, false).join(" ");

describe("a spelled-out legal form", () => {
  it.each([
    ["Russian", "OBSHCHESTVO S OGRANICHENNOI OTVETSTVENNOSTYU Zorvek", "ooo zorvek"],
    ["in its own script", "Общество с ограниченной ответственностью «Зорвек»", "ooo zorvek"],
    [
      "of another romanisation",
      "Obschestvo s ogranitchennoy otvetstvennostiu Zorvek",
      "ooo zorvek",
    ],
    ["beside a Latin word", "Дружество с ограничена отговорност „Zorvek”", "ood zorvek"],
    ["of a joint stock company", "Открытое акционерное общество Зорвек", "oao zorvek"],
    ["Ukrainian", "Товариство з обмеженою відповідальністю Зорвек", "tov zorvek"],
    ["Polish", "Spółka z ograniczoną odpowiedzialnością Zorvek", "spzoo zorvek"],
    ["Polish, shortened", "Zorvek Sp. z o.o.", "zorvek spzoo"],
    ["Polish, half shortened", "Spółka z o.o. „Zorvek”", "spzoo zorvek"],
    ["Lithuanian", "Uždaroji akcinė bendrovė „Zorvek“", "uab zorvek"],
    ["Latvian", "Sabiedrība ar ierobežotu atbildību Zorvek", "sia zorvek"],
    ["Czech", "Zorvek, společnost s ručením omezeným", "zorvek sro"],
    ["Czech, spaced out", "Zorvek s. r. o.", "zorvek sro"],
    ["German", "Zorvek Gesellschaft mit beschränkter Haftung", "zorvek gmbh"],
    ["Dutch", "Besloten vennootschap met beperkte aansprakelijkheid Zorvek", "bv zorvek"],
    ["Greek", "Ζορβέκ Εταιρεία Περιορισμένης Ευθύνης", "zorvek epe"],
    ["of a free zone", "Zorvek Free Zone Establishment", "zorvek fze"],
    ["of a free zone, in full", "Zorvek Free Zone Limited Liability Company", "zorvek fzllc"],
    ["English", "Limited Liability Company Zorvek", "llc zorvek"],
    ["with a space less", "Limitedliability Company Zorvek", "llc zorvek"],
    ["with a typo", "Joint Stock Cojpany Zorvek", "jsc zorvek"],
  ])("is one token: %s", (_, name, tokens) => {
    expect(tokensOf(name)).toBe(tokens);
    expect(tokenKinds(tokens.split(" "), false).toSorted()).toEqual(["legal", "name"]);
  });

  it.each([
    ["a zone that is none", "Free Zone Zorvek", "free zone zorvek"],
    ["a short form with a letter more", "Zorvek Spoo", "zorvek spoo"],
    ["half a form", "Joint Stock Zorvek", "joint stock zorvek"],
    ["a form with a word more", "Joint Stock Companies I Zorvek", "joint stock companies i zorvek"],
  ])("is not %s", (_, name, tokens) => {
    expect(tokensOf(name)).toBe(tokens);
  });

  it("is none in a person's name", () => {
    expect(nameTokens("S R O Sp Zoo", true)).toEqual(["s", "r", "o", "sp", "zoo"]);
  });
});

it.each([
  ["Fourteen Zorvek", "14 zorvek"],
  ["Zorvek Twenty-One", "zorvek 21"],
  ["Zorvek Twenty Twelve", "zorvek 20 12"],
  ["Zorvek Ninety", "zorvek 90"],
  ["Zorvek 14", "zorvek 14"],
  ["Zero Zorvek Thirty Nine", "0 zorvek 39"],
])("a number in words is its digits: %s", (name, tokens) => {
  expect(tokensOf(name)).toBe(tokens);
});

it("costs no more for a letter that is repeated, which adds nothing to a form", () => {
  const tokens = Array(3_000).fill("a");
  const cpu = process.threadCpuUsage();
  expect(wholeWords(tokens)).toEqual(tokens);
  const { user, system } = process.threadCpuUsage(cpu);
  // The code takes about 10 ms; comparing each token with all that follow took seconds.
  expect((user + system) / 1000).toBeLessThan(300);
});
