import { readFile } from "node:fs/promises";
import { memoryPages, validateXML } from "xmllint-wasm";
import type { InitiationVersion } from "../initiation/payment.ts";

/** A place where a file breaks its schema: which element and rule, never what it contains. */
export type SchemaBreach = { readonly line: number; readonly problem: string };

/** Some twenty thousand payments; a file that needs more is refused, not checked halfway. */
const memoryPagesMax = 512 * memoryPages.MiB;

const schemas = new Map<InitiationVersion, Promise<string>>();

/**
 * Where a file breaks the schema of its version; none: it may leave. libxml2 as WebAssembly reads
 * it in a thread of its own. Throws where that thread fails.
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

/** A message of libxml2 quotes what the file says: a name, an account number. */
function withoutContent(message: string): string {
  const [, element = ""] = /Element '(?:\{[^}]*\})?(\w+)'/.exec(message) ?? [];
  const [, facet = ""] = /\[facet '(\w+)'\]/.exec(message) ?? [];
  if (element === "") return "is not well-formed XML";
  return `${element}: ${facet === "" ? "does not stand or end as the schema says" : facet}`;
}
