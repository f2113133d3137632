import { describe, expect, it } from "vitest";
import { contactProblem, displayNameProblem } from "./page-text.ts";

describe("a display name", () => {
  it.each([
    ...["Acme", "Acme Inc.", "J.P. Morgan & Co.", "O’Reilly (UK) Ltd", "Novo A/S", "7-Eleven"],
    ...["3M", "A1 Telekom", "F1 Racing", "1st National", "Studio 2026", "Müller GmbH", "Ștefan"],
    ...[
      "Công ty Việt",
      "Łódź Foods",
      "S.p.A. Rossi",
      "Yahoo!",
      "McInnes",
      "TCL 集团",
      "株式会社トヨタ",
    ],
    ...["삼성전자", "Газпром", "Ελληνικά Πετρέλαια", "टाटा मोटर्स", "شركة النور", "בנק הפועלים"],
  ])("may be %s", (text) => {
    expect(displayNameProblem(text, "acme")).toBeUndefined();
  });

  it.each([
    ["https://evil.example", "address"],
    ["evil.example", "address"],
    ["EVIL.COM", "address"],
    ["see evil .com", "address"],
    ["evil。com", "look-alike"],
    ["evil․com", "address"],
    ["www evil", "address"],
    ["me@evil", "address"],
    ["//evil", "address"],
    ["10.0.0.1/login", "address"],
    ["Call 020 7946 0958", "phone"],
    ["+44 0", "phone"],
    ["٠٢٠٧٩٤", "phone"],
    ["０８００１２", "phone"],
    ["Pay\u0440al", "look-alike"],
    ["\u0410\u0441\u043c\u0435", "look-alike"],
    ["Αρρ", "look-alike"],
    ["Ac\u200bme", "look-alike"],
    ["Ac\u00adme", "look-alike"],
    ["Ａｃｍｅ", "look-alike"],
    ["𝐀cme", "look-alike"],
    ["Paypa1", "look-alike"],
    ["G00gle", "look-alike"],
    ["PayPaI", "look-alike"],
    ["Strıpe", "look-alike"],
    ["ɑcme", "look-alike"],
    ["Ꭺcme", "look-alike"],
    ["A\u0338cme", "look-alike"],
    ["Газпром Bank", "look-alike"],
    ["Acme ✓", "look-alike"],
    ["Acme | Stripe", "look-alike"],
  ])("is not %s", (text, problem) => {
    expect(displayNameProblem(text, "acme")).toContain(problem);
  });

  it("may be any registered name", () => {
    expect(displayNameProblem("58.com", "58.com")).toBeUndefined();
  });
});

it.each([
  ["Işıl Yılmaz", undefined],
  ["Jean-Luc O’Neill", undefined],
  ["Анна Mueller", undefined],
  ["Log in at evil.example", "must not contain a web or email address"],
  ["call 020 7946 0958", "must not contain a phone number"],
])("a name that the page shows as %s: %s", (text, problem) => {
  expect(contactProblem(text)).toBe(problem);
});
