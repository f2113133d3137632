import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { CommandError, usageError } from "../output/failure.ts";
import { valueAt } from "../output/plain.ts";
import { type Column, jsonText, recordText, tableText } from "../output/print.ts";
import type { Calls } from "../session/calls.ts";
import type { Target } from "../session/target.ts";
import type { World } from "./world.ts";

/** A value of a result, for `$(…)` of a shell: text as it is, anything else as JSON. */
function fieldText(json: JsonValue, path: string): string {
  const value = valueAt(json, path);
  if (value === undefined) {
    throw new CommandError(`the result has no ${path}`, { exit: "failed", code: "no_such_field" });
  }
  return typeof value === "string" ? `${value}\n` : jsonText(value);
}

/** A value of the command line. */
type Given = string | boolean | readonly string[] | undefined;

/** A command as it was called. */
export class Invocation {
  readonly world: World;
  readonly target: Target;
  readonly calls: Calls;
  readonly #given: ReadonlyMap<string, Given>;

  constructor(parts: {
    readonly world: World;
    readonly target: Target;
    readonly calls: Calls;
    /** Arguments by `<name>`, options by `--name`. */
    readonly given: ReadonlyMap<string, Given>;
  }) {
    this.world = parts.world;
    this.target = parts.target;
    this.calls = parts.calls;
    this.#given = parts.given;
  }

  /** The text of an argument `<name>` or an option `--name`; `undefined` where it was left out. */
  text(name: string): string | undefined {
    const value = this.#given.get(name);
    return typeof value === "string" ? value : undefined;
  }

  /** The text of what commander has required. */
  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw usageError(`${name} is required`);
    return value;
  }

  /** All values of an argument or option that may be given more than once. */
  many(name: string): readonly string[] {
    const value = this.#given.get(name);
    if (typeof value === "string") return [value];
    return Array.isArray(value) ? value : [];
  }

  /** Whether an option without a value was given. */
  has(name: string): boolean {
    return this.#given.get(name) === true;
  }

  /** Whether a program reads the result. */
  get isJson(): boolean {
    return this.has("--json") || this.text("--field") !== undefined;
  }

  get isDryRun(): boolean {
    return this.has("--dry-run");
  }

  /** Writes a result: a value of it, or as JSON, where that was asked for, else for people. */
  show(json: JsonValue, forPeople: () => string): void {
    const path = this.text("--field");
    if (path !== undefined) this.world.out(fieldText(json, path));
    else this.world.out(this.isJson ? jsonText(json) : forPeople());
  }

  /** Writes a record. */
  record(record: JsonObject): void {
    this.show(record, () => recordText(record));
  }

  /** Rows as a table. */
  table(rows: readonly JsonObject[], columns: readonly Column[]): string {
    return tableText(rows, columns, this.world.isColoured);
  }

  /** Says something that is no result. */
  note(text: string): void {
    this.world.err(`${text}\n`);
  }

  /** Goes on where a person says yes, or `--yes` did before. */
  async confirm(question: string): Promise<boolean> {
    if (this.has("--yes")) return true;
    if (!this.world.isTerminal) throw usageError("--yes is needed where no person can be asked");
    return this.world.confirm(question);
  }
}
