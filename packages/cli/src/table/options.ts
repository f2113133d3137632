import { type Command, isChange, isPaged, type Option } from "./command.ts";
import { choicesOf, fieldAt } from "./fields.ts";

const pageOptions: readonly Option[] = [
  { name: "limit", value: "number", about: "how many at a time: 1 to 100, 20 by default" },
  { name: "cursor", value: "text", about: "where to go on: of the page before" },
  { name: "all", value: "", about: "every page" },
];

const changeOptions: readonly Option[] = [
  { name: "dry-run", value: "", about: "print what would be asked, and ask nothing" },
  {
    name: "operation-id",
    value: "id",
    about: "names this change: a repeat under the same id changes nothing",
  },
];

/** The options of a command: its own, and those of its kind. */
export function optionsOf(command: Command): readonly Option[] {
  return [
    ...(command.options ?? []),
    ...(isPaged(command) ? pageOptions : []),
    ...(isChange(command) ? changeOptions : []),
  ];
}

/** What every command has. */
export const globalOptions: readonly Option[] = [
  { name: "sandbox", value: "folder", about: "a sandbox, by its data folder or its sandbox.json" },
  { name: "profile", value: "name", about: "a deployment of profiles.yaml" },
  { name: "json", value: "", about: "print JSON for programs" },
  { name: "field", value: "path", about: "print one value of that JSON: merchant.id" },
];

/** The values that an option takes, where they are few; those of an enum where it fills one. */
export function choicesOfOption(
  { choices, field }: Option,
  command?: Command,
): readonly string[] | undefined {
  const isCall = command !== undefined && !("run" in command);
  if (choices !== undefined || field === undefined || !isCall) return choices;
  return choicesOf(fieldAt(command.method.input, field));
}
