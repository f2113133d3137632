import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Argument, Option } from "@disburse/commands/table/command.ts";
import { commandLine } from "./commands/all.ts";
import { type Command, detailsOf, isChange, isPaged } from "./table/command.ts";

/** Writes the reference of all commands; part of `npm run generate`. */

const head = `# Command line: reference

Generated from the commands' tables by \`npm run generate\`. [packages/cli](../../packages/cli/README.md) explains deployments, sign-in, output and exit codes.

Every command has \`--sandbox\`, \`--profile\`, \`--json\`, \`--field\` and \`--help\`. Commands that change something have \`--dry-run\` and \`--operation-id\`. Lists have \`--limit\`, \`--cursor\` and \`--all\`.
`;

const usageOf = ({ name, isOptional, isMany }: Argument) =>
  isOptional ? `[${name}${isMany ? "..." : ""}]` : `<${name}${isMany ? "..." : ""}>`;

function optionText({ name, value, isRequired, choices }: Option): string {
  const shown = value === "" ? `--${name}` : `--${name} <${value ?? "text"}>`;
  return `\`${shown}\`${choices ? `: ${choices.join(", ")}` : ""}${isRequired ? ", required" : ""}`;
}

/** A `|` in a cell would end it, also in code. */
const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const row = (shown: string, about: string) => `| ${cell(shown)} | ${cell(about)} |`;

function commandText(command: Command): string {
  const { name, summary, examples, arguments: given = [], options = [] } = command;
  const details = detailsOf(command);
  const kinds = [isChange(command) ? "change" : "", isPaged(command) ? "list" : ""].filter(Boolean);
  const rows = [
    ...given.map((each) => row(`\`${usageOf(each)}\``, each.about)),
    ...options.map((each) => row(optionText(each), each.about)),
  ];
  const table = ["| argument or option | meaning |", "| --- | --- |", ...rows].join("\n");
  return [
    `## ${name}`,
    `\`disburse ${[name, ...given.map(usageOf)].join(" ")}\`: ${summary}.${kinds.length > 0 ? ` (${kinds.join(", ")})` : ""}`,
    ...(details === undefined ? [] : [`\`\`\`text\n${details}\n\`\`\``]),
    ...(rows.length === 0 ? [] : [table]),
    `\`\`\`sh\n${examples.map((each) => `disburse ${each}`).join("\n")}\n\`\`\``,
  ].join("\n\n");
}

/** Returns the page of all commands. */
export function commandReference(): string {
  return `${[head.trim(), ...commandLine.commands.map(commandText)].join("\n\n")}\n`;
}

const target = join(import.meta.dirname, "../../../docs/reference/command-line.md");
if (import.meta.main) writeFileSync(target, commandReference());
