import { expect, test } from "vitest";
import { brokenLinks } from "./links.ts";

test("finds links to missing files, images and headings", () => {
  const pages = new Map([
    [
      "a.md",
      "# A `b` (c)\n[x](#a-b-c) [`x`](sub/b.md#twice-1) ![y](no.png)\n```\n[x](no.md)\n```\n",
    ],
    ["sub/b.md", "# Twice\n## Twice\n[x](../a.md#none) [x](https://x.y) [x](c.md) `[x](no)`\n"],
  ]);
  expect(brokenLinks(pages)).toEqual(["a.md: no.png", "sub/b.md: ../a.md#none", "sub/b.md: c.md"]);
});
