import { readFile } from "node:fs/promises";
import { memoryPages, validateXML } from "xmllint-wasm";
import type { InitiationVersion } from "../initiation/payment.ts";

/** The element and rule where a file breaks its schema, without content. */
export type SchemaBreach = { readonly line: number; readonly problem: string };

/** Enough for some twenty thousand payments. A larger file is refused, not checked in part. */
const memoryPagesMax = 512 * memoryPages.MiB;

const schemas = new Map<InitiationVersion, Promise<string>>();

/**
 * Returns the violations of the version's schema; the file may be sent if there are none. libxml2,
 * as WebAssembly, reads the file in its own thread. Throws if that thread fails.
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
  if (errors.length === 0) throw new Error(`the schema's check failed: ${rawOutput.length} bytes`);
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

/** Messages of libxml2 quote the file's content: a name, an account number. */
function withoutContent(message: string): string {
  const [, element = ""] = /Element '(?:\{[^}]*\})?(\w+)'/.exec(message) ?? [];
  const [, facet = ""] = /\[facet '(\w+)'\]/.exec(message) ?? [];
  if (element === "") return "is not well-formed XML";
  return `${element}: ${facet === "" ? "does not stand or end as the schema says" : facet}`;
}
