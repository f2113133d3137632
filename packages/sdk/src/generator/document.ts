/** The JSON Schema keywords that affect the generated types. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string;
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

type Content = {
  readonly "application/json"?: {
    readonly schema: Schema;
    readonly examples?: Readonly<Record<string, object>>;
  };
};

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

/** The parts of the gateway's OpenAPI document that the SDK uses. */
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly webhooks: Readonly<
    Record<string, { readonly post: { readonly requestBody: { readonly content: Content } } }>
  >;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    /** The refusals of all operations. */
    readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  };
};

export type Operation = {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly text: string;
  readonly pathNames: readonly string[];
  /** Query parameters, all of them optional. */
  readonly query: readonly Required<Pick<Parameter, "name" | "description" | "schema">>[];
  readonly body: Schema | undefined;
  readonly bodyRequired: boolean;
  /** The schema of the response's `data`. */
  readonly data: Schema;
  /** Error codes of this operation that other operations with the same HTTP method may not have. */
  readonly refusals: readonly string[];
};

/**
 * Returns the operations under `/api/` with JSON responses; file downloads and operator endpoints
 * are excluded.
 */
export function operationsOf(document: Document): Operation[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    path.startsWith("/api/")
      ? Object.entries(methods).flatMap(
          ([method, each]) => operation(method, path, each, document.components) ?? [],
        )
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
  components: Document["components"],
): Operation | undefined {
  const { operationId: id, tags, summary, description, parameters = [], requestBody } = described;
  const content = described.responses["200"]?.content;
  const schema = resolved(content?.["application/json"]?.schema, components.schemas);
  if (content !== undefined && schema?.properties?.data === undefined) return undefined;
  const data = schema?.properties?.data;
  const [tag] = tags;
  if (data === undefined || tag === undefined)
    throw new Error(`the operation ${id} has no tag or no response data`);
  const query = parameters.flatMap(({ name, in: place, description: text = "", schema }) =>
    place === "query" && name !== undefined && schema !== undefined
      ? // Only the wire format has a list's `[]`.
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
    refusals: refusalsOf(described, components),
  };
}

function refusalsOf(
  { responses }: DocumentOperation,
  components: Document["components"],
): string[] {
  return Object.entries(responses).flatMap(([status, { $ref = "" }]) => {
    const { content } = components.responses[nameOf($ref)] ?? {};
    return status.startsWith("4") ? Object.keys(content?.["application/json"]?.examples ?? {}) : [];
  });
}

function resolved(
  schema: Schema | undefined,
  schemas: Document["components"]["schemas"],
): Schema | undefined {
  return schema?.$ref === undefined ? schema : schemas[nameOf(schema.$ref)];
}

/** Returns `Quote` for `#/components/schemas/Quote`. */
export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
