import { readdirSync } from "node:fs";
import { IntlMessageFormat } from "intl-messageformat";
import { describe, expect, it } from "vitest";
import { textsOf } from "./messages.ts";
import { pseudo } from "./pseudo.ts";

const folder = new URL("en/", import.meta.url);
const modules = await Promise.all(
  readdirSync(folder).map((name) => import(new URL(name, folder).href)),
);
const all = modules.flatMap(stringsOf);

function stringsOf(value: unknown): string[] {
  return typeof value === "string" ? [value] : Object.values(value as object).flatMap(stringsOf);
}

describe("messages", () => {
  const texts = textsOf({
    of: { lines: "{count, plural, one {# line} other {# lines}} of {name}'s file" },
    plain: "Don't",
  } as const);

  it("formats plurals and arguments, which are no messages themselves", () => {
    expect(texts.of.lines({ count: 1, name: "{count} <b>" })).toBe("1 line of {count} <b>'s file");
    expect(texts.of.lines({ count: 1_000, name: "Mia" })).toBe("1,000 lines of Mia's file");
    expect(texts.plain).toBe("Don't");
  });

  it("parses each message of the catalogue", () => {
    const messages = all.filter((each) => each.includes("{"));
    expect(messages.length).toBeGreaterThan(50);
    for (const each of messages) expect(() => new IntlMessageFormat(each, "en")).not.toThrow();
  });
});

describe("the pseudo-language", () => {
  it("makes each text longer by 40 % and marks each word", () => {
    for (const each of all.filter((text) => !text.includes("{") && /\p{L}/u.test(text))) {
      expect(pseudo.text(each).length).toBeGreaterThanOrEqual(each.length * 1.4);
    }
    expect(pseudo.text("Pay again.")).toBe("Pàý àgàîñôôôô.");
  });

  it("keeps a message's arguments and plurals", () => {
    const message = new IntlMessageFormat(
      "{count, plural, one {# line} other {# lines}} of {name}",
    );
    const changed = new IntlMessageFormat(pseudo.message(message.getAst()), "en");
    expect(changed.format({ count: 2, name: "Mia" })).toMatch(/^2 lîñésô+ ôfô+ Mia$/);
  });
});
