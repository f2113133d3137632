import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "name-matcher-readme-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the example of the README", () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const [, example = ""] = /```ts\n(.*?)```/s.exec(readme) ?? [];

  it("gives the hit that its comment shows", () => {
    const program = example.replace(
      /"@disburse\/name-matcher\/(.*?)"/g,
      (_, file) => `"${pathToFileURL(join(import.meta.dirname, `${file}.ts`))}"`,
    );
    const path = join(folder, "example.ts");
    writeFileSync(path, `${program}\nprocess.stdout.write(JSON.stringify(hits));\n`);
    const hits = JSON.parse(execFileSync(process.execPath, [path], { encoding: "utf8" }));
    expect(hits).toHaveLength(1);
    const [{ matchedName, verdict, score, nameScore, reasons }] = hits;
    const shown = example.replaceAll("\n//", "").replace(/\s+/g, " ");
    expect(shown).toContain(`matchedName: "${matchedName}", verdict: "${verdict}"`);
    expect(shown).toContain(`score: ${score}, nameScore: ${nameScore}`);
    for (const { kind, text, effect } of reasons) {
      expect(shown).toContain(`{ kind: "${kind}", text: "${text}", effect: ${effect} }`);
    }
  });
});
