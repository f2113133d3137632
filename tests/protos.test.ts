import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "proto", "disburse");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".proto"),
);

it.each(files)("%s names its packages for Go and Java", (name) => {
  const text = readFileSync(join(root, name), "utf8");
  const [, proto = ""] = /^package ([\w.]+);$/m.exec(text) ?? [];
  const [, ...parts] = proto.split(".");
  const go = `${proto.replaceAll(".", "/")};${parts.join("")}`;
  expect(text).toContain(`\noption go_package = "${go}";\n`);
  expect(text).toContain(`\noption java_package = "${proto}";\n`);
  expect(text).toContain("\noption java_multiple_files = true;\n");
});
