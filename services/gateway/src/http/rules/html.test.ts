import { expect, it } from "vitest";
import { escapeHtml } from "./html.ts";

it.each([
  ["plain, 'quoted' and ü", "plain, 'quoted' and ü"],
  ['<b title="a & b">', "&lt;b title=&quot;a &amp; b&quot;&gt;"],
  ["&lt;", "&amp;lt;"],
])("a text as HTML shows it: %s", (text, html) => {
  expect(escapeHtml(text)).toBe(html);
});
