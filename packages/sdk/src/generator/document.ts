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
  readonly "text/csv"?: object;
};

/** The response of a dry run (`Disburse-Dry-Run`). */
type DryRun = {
  readonly content: {
    readonly "application/vnd.disburse.dry-run+json": { readonly schema: Schema };
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
  readonly "x-dry-run"?: DryRun;
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

/** The content of a success: the `data` of a JSON object, a whole JSON object, or a file. */
type OperationAnswer =
  | { readonly kind: "data" | "body"; readonly schema: Schema }
  | { readonly kind: "file" };

export type Operation = {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly text: string;
  readonly pathNames: readonly string[];
  /** Query parameters, all of them optional. Only `wireName` has a list's `[]`. */
  readonly query: readonly (Required<Pick<Parameter, "name" | "description" | "schema">> & {
    readonly wireName: string;
  })[];
  readonly body: Schema | undefined;
  readonly bodyRequired: boolean;
  /** True if the body can be the text of a CSV file. */
  readonly takesCsv: boolean;
  readonly answer: OperationAnswer;
  /** The type of a dry run's response, if the operation has dry runs. */
  readonly dryRun: string | undefined;
  /** Error codes of this operation that other operations with the same HTTP method may not have. */
  readonly refusals: readonly string[];
};

/** Returns the operations for merchants: without probes, the reference and its pages. */
export function operationsOf(document: Document): Operation[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    path.startsWith("/api/") || path === receiptKeys
      ? Object.entries(methods).map(([method, each]) =>
          operation(method, path, each, document.components),
        )
      : [],
  );
  const isGeneral = (code: string, method: string) =>
    all.every(
      (each) => each.method !== method || each.path === receiptKeys || each.refusals.includes(code),
    );
  return all.map((each) => ({
    ...each,
    refusals: each.refusals.filter((code) => !isGeneral(code, each.method)),
  }));
}

const receiptKeys = "/.well-known/disburse-keys.json";

function dryRunOf(
  dryRun: DryRun | undefined,
  schemas: Document["components"]["schemas"],
): string | undefined {
  const { schema } = dryRun?.content["application/vnd.disburse.dry-run+json"] ?? {};
  const { $ref } = (schema && resolved(schema, schemas).properties?.data) ?? {};
  return $ref === undefined ? undefined : nameOf($ref);
}

function operation(
  method: string,
  path: string,
  described: DocumentOperation,
  components: Document["components"],
): Operation {
  const { operationId: id, tags, summary, description, parameters = [], requestBody } = described;
  const content = described.responses["200"]?.content;
  const [tag] = tags;
  if (content === undefined || tag === undefined)
    throw new Error(`the operation ${id} has no tag or no response`);
  const query = parameters.flatMap(({ name: wireName, in: place, description = "", schema }) =>
    place === "query" && wireName !== undefined && schema !== undefined
      ? [{ name: wireName.replace(/\[\]$/, ""), wireName, description, schema }]
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
    takesCsv: requestBody?.content["text/csv"] !== undefined,
    answer: answerOf(content, components.schemas),
    dryRun: dryRunOf(described["x-dry-run"], components.schemas),
    refusals: refusalsOf(described, components),
  };
}

function answerOf(content: Content, schemas: Document["components"]["schemas"]): OperationAnswer {
  const json = content["application/json"]?.schema;
  if (json === undefined) return { kind: "file" };
  const data = resolved(json, schemas).properties?.data;
  return data === undefined ? { kind: "body", schema: json } : { kind: "data", schema: data };
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

function resolved(schema: Schema, schemas: Document["components"]["schemas"]): Schema {
  return schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {});
}

/** Returns `Quote` for `#/components/schemas/Quote`. */
export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
