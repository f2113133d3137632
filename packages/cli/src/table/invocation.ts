import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Column } from "@disburse/commands/table/command.ts";
import { valueAt } from "@disburse/commands/table/plain.ts";
import { CommandError, usageError } from "../output/failure.ts";
import { jsonText, recordText, tableText } from "../output/print.ts";
import type { Calls } from "../session/calls.ts";
import type { Target } from "../session/target.ts";
import type { World } from "./world.ts";

/**
 * Prints one value for use in `$(…)` of a shell. Text is printed without quotes, anything else as
 * JSON.
 */
function fieldText(json: JsonValue, path: string): string {
  const value = valueAt(json, path);
  if (value === undefined) {
    throw new CommandError(`the result has no field ${path}`, {
      exit: "failed",
      code: "no_such_field",
    });
  }
  return typeof value === "string" ? `${value}\n` : jsonText(value);
}

type Given = string | boolean | readonly string[] | undefined;

/** One run of a command, with its arguments and options. */
export class Invocation {
  readonly world: World;
  readonly target: Target;
  readonly calls: Calls;
  readonly #given: ReadonlyMap<string, Given>;

  constructor(parts: {
    readonly world: World;
    readonly target: Target;
    readonly calls: Calls;
    /** Keys are `<name>` for arguments and `--name` for options. */
    readonly given: ReadonlyMap<string, Given>;
  }) {
    this.world = parts.world;
    this.target = parts.target;
    this.calls = parts.calls;
    this.#given = parts.given;
  }

  /**
   * Returns the text of an argument `<name>` or an option `--name`. Returns `undefined` if it was
   * not given.
   */
  text(name: string): string | undefined {
    const value = this.#given.get(name);
    return typeof value === "string" ? value : undefined;
  }

  /** Returns the text of an argument or option that commander requires. */
  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw usageError(`${name} is required`);
    return value;
  }

  /** Returns all values of a repeatable argument or option. */
  many(name: string): readonly string[] {
    const value = this.#given.get(name);
    if (typeof value === "string") return [value];
    return Array.isArray(value) ? value : [];
  }

  /** Returns whether a flag, an option without a value, is set. */
  has(name: string): boolean {
    return this.#given.get(name) === true;
  }

  /** True if the output is for a program. */
  get isJson(): boolean {
    return this.has("--json") || this.text("--field") !== undefined;
  }

  get isDryRun(): boolean {
    return this.has("--dry-run");
  }

  /** Prints one value with `--field`, JSON with `--json`, and otherwise text for people. */
  show(json: JsonValue, forPeople: () => string): void {
    const path = this.text("--field");
    if (path !== undefined) this.world.out(fieldText(json, path));
    else this.world.out(this.isJson ? jsonText(json) : forPeople());
  }

  record(record: JsonObject): void {
    this.show(record, () => recordText(record));
  }

  table(rows: readonly JsonObject[], columns: readonly Column[]): string {
    return tableText(rows, columns, this.world.isColoured);
  }

  /** Prints a message that isn't part of the result to standard error. */
  note(text: string): void {
    this.world.err(`${text}\n`);
  }

  /**
   * Asks the person to confirm; `--yes` answers in advance. Without a terminal, requires `--yes`.
   */
  async confirm(question: string): Promise<boolean> {
    if (this.has("--yes")) return true;
    if (!this.world.isTerminal) throw usageError("--yes is required without a terminal");
    return this.world.confirm(question);
  }
}
