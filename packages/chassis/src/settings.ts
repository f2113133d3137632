import { readFileSync } from "node:fs";
import { type Decimal, parseDecimal } from "@disburse/kernel/decimal.ts";
import { z } from "zod";

/** A service's settings as text, in the form of the process environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Thrown for missing or malformed settings. The message names the settings, and never shows a
 * value.
 */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/**
 * Marks a setting as a secret. In addition to `NAME`, it accepts `NAME_FILE`, the path of a file
 * that contains the value. Docker and Kubernetes mount secrets as such files. One line break at the
 * end of the file is ignored.
 */
export const secret = <Type extends z.ZodType>(type: Type): Type => type.meta({ secret: true });

const isSecret = (type: z.core.$ZodType): boolean => z.globalRegistry.get(type)?.secret === true;

/**
 * Reads and checks settings. Throws a `SettingsError`, which ends the process, if a setting is
 * missing or invalid.
 */
export function readSettings<Shape extends z.ZodRawShape>(environment: Environment, shape: Shape) {
  const secrets = Object.keys(shape).filter((name) => isSecret(shape[name] as z.core.$ZodType));
  const given = { ...environment, ...readSecretFiles(environment, secrets) };
  const present = Object.entries(given).filter(([, value]) => value !== "");
  const result = z.object(shape).safeParse(Object.fromEntries(present));
  const issues = result.error?.issues ?? [];
  const problems = issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  if (lacksKeys(shape, given))
    problems.push("ENCRYPTION_KEYS: is required unless AWS_KMS_KEY_IDS is set");
  if (result.success && problems.length === 0) return result.data;
  throw new SettingsError(`settings: ${problems.join("; ")}`);
}

function readSecretFiles(environment: Environment, names: readonly string[]): Environment {
  const files = names.filter((name) => environment[`${name}_FILE`]);
  return Object.fromEntries(
    files.map((name) => {
      if (environment[name]) {
        throw new SettingsError(`settings: ${name}: must not be set together with ${name}_FILE`);
      }
      return [name, readTextFile(`${name}_FILE`, environment[`${name}_FILE`] ?? "")];
    }),
  );
}

/** Reads the file that a setting names. Throws a `SettingsError` if the file can't be read. */
export function readTextFile(setting: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`settings: ${setting}: cannot be read (${code})`, { cause: error });
  }
  if (text === "") throw new SettingsError(`settings: ${setting}: is an empty file`);
  return text;
}

/** A TCP port. With 0 the system chooses a port. */
export const portSetting = z.coerce.number().int().min(0).max(65_535);

/** A whole number of at least `min`. */
export const countSetting = (min = 0) => z.coerce.number().int().min(min).max(2_147_483_647);

/** `sandbox` simulates rails and allows local webhooks; `live` moves real money. */
export const modeSetting = z.enum(["sandbox", "live"]);
export type Mode = z.output<typeof modeSetting>;

/**
 * A text setting that `read` parses. Errors of `read` must explain the problem without showing a
 * value.
 */
export function parsedSetting<T>(read: (text: string) => T) {
  return z.string().transform((text, context): T => {
    try {
      return read(text);
    } catch (error) {
      const message = error instanceof TypeError ? error.message : "is malformed";
      context.issues.push({ code: "custom", message, input: undefined });
      return z.NEVER;
    }
  });
}

export const flagSetting = z.enum(["true", "false"]).transform((text) => text === "true");

/** A share between 0 and 1: `0.1` is a tenth. */
export const shareSetting = parsedSetting((text): Decimal => {
  const share = parseDecimal(text);
  if (share !== undefined && share.units >= 0n) return share;
  throw new TypeError("must be a number from 0 to 1, such as 0.1");
});

/** A single URL: `https://api.example.com`. */
export const urlSetting = z.url({ protocol: /^https?$/ });

/**
 * The URLs of another service, separated by commas: `http://127.0.0.1:9102`. A host name stands for
 * every address that it resolves to.
 */
export const serviceUrlSetting = z
  .string()
  .transform((text) => text.split(",").map((url) => url.trim()))
  .pipe(z.array(urlSetting));

export type ServiceUrls = z.output<typeof serviceUrlSetting>;

/** Returns true if a service needs encryption keys and none are set. */
function lacksKeys(shape: z.ZodRawShape, given: Environment): boolean {
  return "AWS_KMS_KEY_IDS" in shape && !given.ENCRYPTION_KEYS && !given.AWS_KMS_KEY_IDS;
}
