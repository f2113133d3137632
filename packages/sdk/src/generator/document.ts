/** The JSON Schema that the reference uses, as far as types come out of it. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean)[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
};

type Content = { readonly "application/json"?: { readonly schema: Schema } };

type Parameter = {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
  readonly schema?: Schema;
};

type DocumentOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Content }>
  >;
};

/** The OpenAPI document of the gateway, as far as the SDK comes out of it. */
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly webhooks: Readonly<
    Record<string, { readonly post: { readonly requestBody: { readonly content: Content } } }>
  >;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** One operation of a merchant's program. */
export type Operation = {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly text: string;
  readonly pathNames: readonly string[];
  /** Every parameter of a query may be left out. */
  readonly query: readonly Required<Pick<Parameter, "name" | "description" | "schema">>[];
  readonly body: Schema | undefined;
  readonly bodyRequired: boolean;
  /** What the answer holds under `data`. */
  readonly data: Schema;
  /** Codes of refusals that not every operation of its method has. */
  readonly refusals: readonly string[];
};

/**
 * The operations under `/api/` that answer with JSON: a file is for people, and what else the
 * gateway serves is for those who run it.
 */
export function operationsOf(document: Document): Operation[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    path.startsWith("/api/")
      ? Object.entries(methods).flatMap(([method, each]) => operation(method, path, each) ?? [])
      : [],
  );
  const isGeneral = (code: string, method: string) =>
    all.every((each) => each.method !== method || each.refusals.includes(code));
  return all.map((each) => ({
    ...each,
    refusals: each.refusals.filter((code) => !isGeneral(code, each.method)),
  }));
}

function operation(
  method: string,
  path: string,
  described: DocumentOperation,
): Operation | undefined {
  const { operationId: id, tags, summary, description, parameters = [], requestBody } = described;
  const content = described.responses["200"]?.content;
  const schema = content?.["application/json"]?.schema;
  if (content !== undefined && schema?.properties?.data === undefined) return undefined;
  const data = schema?.properties?.data;
  const [tag] = tags;
  if (data === undefined || tag === undefined) throw new Error(`${id} has no tag or no answer`);
  const query = parameters.flatMap(({ name, in: place, description: text = "", schema }) =>
    place === "query" && name !== undefined && schema !== undefined
      ? // A list's `[]` is for the wire.
        [{ name: name.replace(/\[\]$/, ""), description: text, schema }]
      : [],
  );
  return {
    id,
    tag,
    method: method.toUpperCase(),
    path,
    text: `${summary}.\n\n${description}`,
    pathNames: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
    query,
    body: requestBody?.content["application/json"]?.schema,
    bodyRequired: requestBody?.required ?? false,
    data,
    refusals: refusalsOf(described),
  };
}

function refusalsOf({ responses }: DocumentOperation): string[] {
  return Object.entries(responses).flatMap(([status, { $ref, content }]) => {
    if (!status.startsWith("4")) return [];
    if ($ref !== undefined) return [nameOf($ref)];
    const code = content?.["application/json"]?.schema.properties?.code;
    return (code?.enum ?? []).map(String);
  });
}

/** `#/components/schemas/Quote` → `Quote`. */
export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
