import { readFileSync } from "node:fs";
import { z } from "zod";
import { listFormats } from "../formats/list-format.ts";
import { isListName } from "../imports/request.ts";

/**
 * The default interval in hours, twice a day. Publishers change their lists on some days of a week.
 */
const everyHoursDefault = 12;
/** The maximum interval in hours, 30 days. A list that is checked less often is not current. */
const everyHoursMax = 720;
/** The maximum number of files. No format needs more. */
const filesMax = 8;

const fileName = z
  .string()
  .regex(/^[a-z0-9_.-]{0,64}$/)
  .default("");

const sourceFile = z.union([
  z.strictObject({
    name: fileName,
    url: z
      .url({ protocol: /^https?$/ })
      .refine((url) => new URL(url).username === "" && new URL(url).password === "", {
        message: "must not contain credentials",
      }),
  }),
  z.strictObject({ name: fileName, path: z.string().min(1) }),
]);

const source = z.strictObject({
  list: z.string().refine(isListName, { message: "must be the name of a list" }),
  format: z.enum(listFormats),
  files: z.array(sourceFile).min(1).max(filesMax),
  /**
   * The required checksum in hexadecimal, as `ListLists` returns it. For one file, it is the file's
   * SHA-256. For several files, it is the SHA-256 of a text with one line per file: name and
   * checksum.
   */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits")
    .optional(),
  every_hours: z.number().positive().max(everyHoursMax).default(everyHoursDefault),
  /** False if screening must be refused until this list has been in force once. */
  optional: z.boolean().default(false),
});

/** A file of a source, with its location and its name in the list's format. */
export type SourceFile = z.output<typeof sourceFile>;

/** A list that the service imports automatically. */
export type SourceSetting = z.output<typeof source>;

/** `LIST_SOURCES`: a JSON array, or the path of a file that contains one. */
export const listSourcesSetting = z
  .string()
  .default("[]")
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text.trimStart().startsWith("[") ? text : readFileSync(text, "utf8"));
    } catch {
      context.addIssue({ code: "custom", message: "must be JSON, or a file of JSON" });
      return z.NEVER;
    }
  })
  .pipe(z.array(source))
  .refine((all) => new Set(all.map(({ list }) => list)).size === all.length, {
    message: "must not name a list twice",
  });

/** True if all files of a source use https, so that a network cannot change them. */
export function isAuthentic({ files }: SourceSetting): boolean {
  return files.every((file) => "url" in file && file.url.startsWith("https:"));
}

/** Returns a location without its query, because a query can contain a token. */
export function locationShown(file: SourceFile): string {
  if ("path" in file) return file.path;
  const { origin, pathname } = new URL(file.url);
  return origin + pathname;
}
