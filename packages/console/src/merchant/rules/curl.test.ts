import { expect, test } from "vitest";
import { curlOf } from "./curl.ts";

test("quotes every part for the shell", () => {
  const request = { url: "https://x.example/a?b", headers: { "x-a": "it's" }, body: '{"a":"$b"}' };
  expect(curlOf(request)).toBe(
    `curl -X POST 'https://x.example/a?b' \\
  -H 'x-a: it'\\''s' \\
  --data-raw '{"a":"$b"}'`,
  );
});
