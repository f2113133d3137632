import { describe, expect, it } from "vitest";
import { file } from "./test-file.ts";
import { parsedXml } from "./un-xml.ts";

/** Nested elements with these start and end tags. */
const nested = (levels: number, start: string, end = "</a>") =>
  start.repeat(levels) + end.repeat(levels);

describe("the depth of an XML file", () => {
  it.each([
    ["<a>", "</a>"],
    ['<a b="/>">', "</a>"],
    ["<a b='/>'>", "</a>"],
    ['<a b="\'/" c=">/>">', "</a>"],
    ["<a><b/>", "</a>"],
    ["<a><!-- </a> -->", "</a>"],
    ["<a><![CDATA[</a>]]>", "</a>"],
    ["<a><?b </a> ?>", "</a>"],
    ["<a\n>", "</a >"],
  ])("of %j is refused past 64 levels", (start, end) => {
    expect(parsedXml(file(nested(64, start, end))).name).toBe("a");
    for (const levels of [65, 60_000]) {
      const problem = /^line \d+: is more than 64 levels deep$/;
      expect(() => parsedXml(file(nested(levels, start, end)))).toThrow(problem);
    }
  });

  it("does not count text that only resembles a tag", () => {
    const text = "<a>".repeat(100);
    const lookalikes = `<!--${text}--><?b ${text}?><![CDATA[${text}]]><c d="/" e='/'/>`;
    expect(parsedXml(file(`<a>${lookalikes.repeat(100)}</a>`)).name).toBe("a");
  });

  it.each(["<a", '<a b="', "<a><!-- ", "<a><![CDATA[ >", "<a><?b >", "<a></a"])(
    "leaves it to the parser to refuse %s",
    (text) => {
      expect(() => parsedXml(file(text))).toThrow("line 1: is not XML");
    },
  );
});
