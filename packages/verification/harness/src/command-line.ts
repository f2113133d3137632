import { writeFileSync } from "node:fs";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** An error that the user can correct, such as an unknown argument. Shown without a stack. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** @throws {UsageError} for any unknown argument. */
export function readArguments<T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
  usage: string,
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${why}\n${usage}`, { cause: error });
  }
}

/** Parses a positive integer. @throws {UsageError} for anything else. */
export function countOf(option: string, text: string, usage: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`${option}: must be a whole number above zero\n${usage}`);
}

/** Requires one of the option's names. @throws {UsageError} for any other. */
export function oneOf<T extends string>(names: readonly T[], text: string, usage: string): T {
  const found = names.find((name) => name === text);
  if (found === undefined) {
    throw new UsageError(`--only: ${text} is not one of ${names.join(", ")}\n${usage}`);
  }
  return found;
}

/** Runs a command and sets its exit code. A `UsageError` sets 2. */
export async function runCommand(
  run: (args: readonly string[]) => number | Promise<number>,
): Promise<void> {
  try {
    process.exitCode = await run(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

/** Exits at SIGINT and SIGTERM, which also ends child processes. */
export function exitOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
}

export function writeJson(file: string | undefined, figures: unknown): void {
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
