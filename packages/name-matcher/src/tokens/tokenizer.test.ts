import { describe, expect, it } from "vitest";
import { nameTokens, tokensMax } from "./tokenizer.ts";

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
