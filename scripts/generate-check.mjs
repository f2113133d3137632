// Checks that the generated contracts match proto/: generates them elsewhere and compares.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runMain } from "./start-error.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const generated = join("packages", "contracts", "src", "gen");

await runMain(() => {
  const scratch = mkdtempSync(join(tmpdir(), "disburse-generate-"));
  try {
    generateInto(scratch);
    const differences = compare(join(scratch, generated), join(root, generated));
    if (differences.length === 0) return 0;
    process.stderr.write(
      `${generated} does not match proto/:\n${differences.join("\n")}\n` +
        "Run `npm run generate` and commit what it changes.\n",
    );
    return 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});

function generateInto(folder) {
  const tools = join(root, "node_modules", ".bin");
  const args = ["generate", "--template", "proto/buf.gen.yaml", "--output", folder];
  execFileSync(join(tools, "buf"), args, {
    cwd: root,
    env: { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH ?? ""}` },
    stdio: "inherit",
  });
}

function compare(expected, actual) {
  const [wanted, present] = [filesIn(expected), filesIn(actual)];
  const missing = [...wanted.keys()].filter((file) => !present.has(file));
  const extra = [...present.keys()].filter((file) => !wanted.has(file));
  const changed = [...wanted].filter(([file, text]) => {
    return present.has(file) && present.get(file) !== text;
  });
  return [
    ...missing.map((file) => `  missing  ${file}`),
    ...extra.map((file) => `  left     ${file}`),
    ...changed.map(([file]) => `  changed  ${file}`),
  ];
}

function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file.slice(folder.length + 1), readFileSync(file, "utf8")];
    }),
  );
}
