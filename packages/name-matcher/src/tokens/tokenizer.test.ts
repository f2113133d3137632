import { describe, expect, it } from "vitest";
import { adjacentPairs, compoundParts, nameTokens, tokensMax } from "./tokenizer.ts";

describe("nameTokens", () => {
  it.each([
    ["GARCÍA-LÓPEZ, José María", "garcia lopez jose maria"],
    ["O’Brien D'Arcy", "obrien darcy"],
    ["Łukasz Øystein Straße", "lukasz oystein strasse"],
    ["Ｆｕｌｌ　Ｗｉｄｔｈ", "full width"],
    ["Сергей Анатольевич СОЛОВЬЁВ", "sergey anatolevich solovev"],
    ["Вадзім ІПАТАЎ", "vadzim ipatau"],
    ["Αλέξης Τσίπρας", "alexis tsipras"],
    ["عبد الرزاق", "abdulrazzaq"],
    ["Serena B. L. Ng", "serena b l ng"],
    ["习近平", "xi jinping"],
    ["Abd al-Malik", "abdulmalik"],
    ["Abdul Malik Karim", "abdulmalik karim"],
    ["Nur al-Din Karim", "nuruddin karim"],
    ["Nur al-Karim", "nur al karim"],
    ["Malik Abd al", "malik abd al"],
    ["Malik Abdul", "malik abdul"],
    [" -- … ", ""],
  ])("reads the person %s as %s", (name, tokens) => {
    expect(nameTokens(name, true).join(" ")).toBe(tokens);
  });

  it.each([
    ["ACME S.A. de C.V.", "acme sa de cv"],
    ["Foo Co., Ltd.", "foo co ltd"],
    ["J.S.C. Bar", "jsc bar"],
    ["L.X.C Aviation", "lxc aviation"],
  ])("reads the company %s as %s", (name, tokens) => {
    expect(nameTokens(name, false).join(" ")).toBe(tokens);
  });

  it("does not depend on case or composition", () => {
    const name = "Şükrü Çağatay ÖZİL";
    for (const other of [name.toUpperCase(), name.normalize("NFD"), name.toLowerCase()]) {
      expect(nameTokens(other, true)).toEqual(nameTokens(name, true));
    }
  });

  it("reads so many words and no more", () => {
    expect(nameTokens("word ".repeat(tokensMax), true)).toHaveLength(tokensMax);
    expect(nameTokens("word ".repeat(tokensMax + 1), true)).toHaveLength(tokensMax);
    expect(nameTokens("x".repeat(255), true)[0]).toHaveLength(31);
  });
});

describe("tokens that may be halves of one", () => {
  const [half, longer] = ["a".repeat(14), "b".repeat(15)];
  it.each([
    ["each with the next, and the last with the first", ["ab", "cd", "ef"], "0+1 1+2 2+0"],
    ["no initial", ["ab", "c", "ef"], "2+0"],
    ["of 28 letters together", [half, half], "0+1 1+0"],
    ["of no more than 28", [half, longer], ""],
    ["no token by itself", ["ab"], ""],
  ])("are %s", (_, tokens, pairs) => {
    const found = adjacentPairs(tokens, (token) => token).map((pair) => pair.join("+"));
    expect(found.join(" ")).toBe(pairs);
  });

  it.each([
    ["abcdefg", ""],
    ["abcdefgh", "abcd efgh"],
    ["abcdefghi", "abcd efghi abcde fghi"],
  ])("are four letters or more of %s: %s", (token, parts) => {
    expect(compoundParts(token).join(" ")).toBe(parts);
  });
});
