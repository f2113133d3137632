import type { Option } from "@disburse/commands/table/command.ts";
import { choicesOf, fieldAt } from "@disburse/commands/table/fields.ts";
import { type Command, isChange, isPaged } from "./command.ts";

const pageOptions: readonly Option[] = [
  { name: "limit", value: "number", about: "page size: 1 to 100, 20 by default" },
  { name: "cursor", value: "text", about: "next_cursor of the previous page" },
  { name: "all", value: "", about: "print every page" },
];

const changeOptions: readonly Option[] = [
  { name: "dry-run", value: "", about: "print the request without sending it" },
  {
    name: "operation-id",
    value: "id",
    about: "idempotency key of this change: repeating it changes nothing",
  },
];

/** Returns a command's own options and the common options for pages and changes. */
export function optionsOf(command: Command): readonly Option[] {
  return [
    ...(command.options ?? []),
    ...(isPaged(command) ? pageOptions : []),
    ...(isChange(command) ? changeOptions : []),
  ];
}

export const globalOptions: readonly Option[] = [
  {
    name: "sandbox",
    value: "folder",
    about: "use the sandbox with this data folder or sandbox.json",
  },
  { name: "profile", value: "name", about: "use a deployment from profiles.yaml" },
  { name: "json", value: "", about: "print JSON" },
  { name: "field", value: "path", about: "print one value of the JSON: merchant.id" },
];

/** Returns the accepted values of an option with a fixed set, such as an enum field's. */
export function choicesOfOption(
  { choices, field }: Option,
  command?: Command,
): readonly string[] | undefined {
  const isCall = command !== undefined && !("run" in command);
  if (choices !== undefined || field === undefined || !isCall) return choices;
  return choicesOf(fieldAt(command.method.input, field));
}
