import { readFile } from "node:fs/promises";
import { memoryPages, validateXML } from "xmllint-wasm";
import type { InitiationVersion } from "../initiation/payment.ts";

/** A schema violation: the line, and the element and rule. It omits the file's content. */
export type SchemaBreach = { readonly line: number; readonly problem: string };

/**
 * The memory limit of the validation, enough for about 20,000 payments. A larger file is refused.
 */
const memoryPagesMax = 512 * memoryPages.MiB;

const schemas = new Map<InitiationVersion, Promise<string>>();

/**
 * Validates a file against the schema of its version. Returns the violations, none for a valid
 * file. libxml2 runs as WebAssembly in its own thread. Throws if that thread fails.
 */
export async function schemaBreaches(
  version: InitiationVersion,
  bytes: Uint8Array,
): Promise<SchemaBreach[]> {
  const { valid, errors, rawOutput } = await validateXML({
    xml: { fileName: "file.xml", contents: bytes },
    schema: { fileName: `${version}.xsd`, contents: await schemaOf(version) },
    maxMemoryPages: memoryPagesMax,
  });
  if (valid) return [];
  if (errors.length === 0)
    throw new Error(
      `the schema validation named no error; its output has ${rawOutput.length} bytes`,
    );
  return errors.map(({ message, loc }) => {
    return { line: loc?.lineNumber ?? 0, problem: withoutContent(message) };
  });
}

function schemaOf(version: InitiationVersion): Promise<string> {
  const loaded =
    schemas.get(version) ?? readFile(new URL(`./${version}.xsd`, import.meta.url), "utf8");
  schemas.set(version, loaded);
  return loaded;
}

/** Removes names and account numbers, which libxml2 quotes in its messages. */
function withoutContent(message: string): string {
  const [, element = ""] = /Element '(?:\{[^}]*\})?(\w+)'/.exec(message) ?? [];
  const [, facet = ""] = /\[facet '(\w+)'\]/.exec(message) ?? [];
  if (element === "") return "is not well-formed XML";
  return `${element}: ${facet === "" ? "does not stand or end as the schema says" : facet}`;
}
