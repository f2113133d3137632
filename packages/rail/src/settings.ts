import { SettingsError } from "@disburse/chassis/settings.ts";
import type { z } from "zod";

/**
 * Reads the JSON text of a setting by its schema.
 *
 * @throws {SettingsError} that names each problem and shows no value.
 */
export function readRailSettings<Schema extends z.ZodType>(
  setting: string,
  schema: Schema,
  text: string,
): z.output<Schema> {
  const json = parsedJson(text);
  if (json === undefined) throw new SettingsError(`settings: ${setting}: must be JSON`);
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    [...(path.length > 0 ? [path.map(String).join(".")] : []), message].join(": "),
  );
  throw new SettingsError(`settings: ${setting}: ${problems.join("; ")}`);
}

/**
 * Parses JSON. Returns `undefined` if it is malformed, because the parser's own error would show a
 * part of the text.
 */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
