import { bodyExamples } from "@disburse/forms/describe/examples.ts";
import { formSchema, type JsonSchema, selectorOf } from "@disburse/forms/describe/json-schema.ts";
import type { Form, PublicBody } from "@disburse/forms/fields/field.ts";
import { componentPath, type NamedSchema, pageMeta, schemaRef } from "./fields.ts";
import { withNamedSchemas } from "./named-schemas.ts";
import { parameterExample } from "./parameter-examples.ts";
import {
  error,
  headerParameters,
  headerRefs,
  limitHeaders,
  operationalPaths,
  refusalResponses,
  refusalsOf,
  responseHeaders,
  sharedResponses,
} from "./responses.ts";
import {
  type DryRun,
  dryRunType,
  type FileFormat,
  isBinary,
  type LargeBody,
  type Route,
  sizeText,
  type Tag,
  tags,
  takesBody,
  takesKey,
} from "./route.ts";
import { bodyDepthMax, bodyKeysMax } from "./rules/body-limits.ts";

/** Version of the API. The first digit is also in the path. */
const interfaceVersion = "1.0.0";

export type Schemas = ReadonlyMap<string, JsonSchema>;

type Described = {
  readonly routes: readonly Route[];
  /** Schemas of responses that have a name in the document. */
  readonly components: readonly NamedSchema[];
  readonly webhooks: (schemas: Schemas) => Readonly<Record<string, JsonSchema>>;
};

/** Builds the OpenAPI 3.1 document from the routes and the field tables. */
export function openApiDocument({ routes, components, webhooks }: Described): JsonSchema {
  const bodies = routes.flatMap(({ body }) => {
    const most = body?.large === undefined ? { maxProperties: bodyKeysMax } : {};
    const forms = body?.form.forms ?? [];
    return forms.map((form) => ({
      name: formName(form),
      schema: { ...formSchema(form), ...most },
    }));
  });
  const schemas = [error, pageMeta, ...components, ...bodies];
  const paths = Map.groupBy(routes, ({ path }) => path.replaceAll(/:(\w+)/g, "{$1}"));
  const used = new Set<Tag>([...routes.map(({ tag }) => tag), "Webhooks", "Operational"]);
  const byName = new Map(schemas.map(({ name, schema }) => [name, schema]));
  return withNamedSchemas({
    openapi: "3.1.0",
    info: {
      title: "Disburse",
      version: interfaceVersion,
      summary: "Payouts in fiat and crypto.",
      description:
        "Pays beneficiaries in fiat and crypto from your accounts, and reports each change by webhook. Amounts are exact decimals, as numbers here and as strings in `/openapi-strings.json`, which is for client generators.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    externalDocs: { description: "First payout, guides and errors.", url: "/docs" },
    servers: [{ url: "/", description: "This gateway." }],
    security: [{ apiKey: [] }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths: {
      ...Object.fromEntries([...paths].map(([path, its]) => [path, pathItem(its, byName)])),
      ...operationalPaths,
    },
    webhooks: webhooks(byName),
    components: {
      schemas: Object.fromEntries(byName),
      responses: sharedResponses(routes),
      parameters: headerParameters,
      headers: responseHeaders,
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "dsb_test_… or dsb_live_…",
          description:
            "The API key of a merchant: in the sandbox `npm start` prints one and `.data/sandbox.json` has all. A key has scopes; each operation names its own.",
        },
      },
    },
  });
}

function pathItem(routes: readonly Route[], schemas: Schemas): JsonSchema {
  const items = routes.map((each) => [each.method.toLowerCase(), operationItem(each, schemas)]);
  return Object.fromEntries(items);
}

function operationItem(route: Route, schemas: Schemas): JsonSchema {
  const { id, method, tag, scope, summary, description, body } = route;
  const signIn = route.needsFreshSignIn
    ? " A person of your team needs a sign-in of the last 15 minutes for it."
    : "";
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}${signIn}\n\nScope: \`${scope}\`.`,
    "x-scope": scope,
    // Generators join the types of a response's contents, so a dry run isn't one of them.
    ...(route.dryRun && { "x-dry-run": dryRunContent(route.dryRun.data, schemas) }),
    parameters: parametersOf(route),
    ...(takesBody(method) ? { requestBody: requestBody(body) } : {}),
    responses: {
      "200": success(route, schemas),
      ...refusalResponses(refusalsOf(route)),
    },
  };
}

function parametersOf(route: Route): JsonSchema[] {
  const { method, path, query = {} } = route;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: "Id of the record.",
    schema: { type: "string" },
    example: parameterExample(name, {}),
  }));
  const inQuery = Object.entries(query).flatMap(([name, { description, schema }]) => {
    if (description === "") return [];
    const example = parameterExample(name, schema);
    return [{ name, in: "query", required: false, description, schema, example }];
  });
  const ofKeys = takesKey(route) ? ["IdempotencyKey"] : [];
  const ofBodies = takesBody(method) ? ["Strict"] : [];
  const ofDryRuns = route.dryRun === undefined ? [] : ["DryRunHeader"];
  const headers = [...ofKeys, ...ofDryRuns, ...ofBodies, "RequestId"];
  const inHeader = headers.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return [...inPath, ...inQuery, ...inHeader];
}

function success(route: Route, schemas: Schemas): JsonSchema {
  const { method, data, mayWarn } = route;
  if ("mediaType" in data) return fileSuccess(data);
  const ofKeys = takesKey(route) ? ["Idempotent-Replayed"] : [];
  const ofBodies = takesBody(method) ? ["Disburse-Ignored-Fields"] : [];
  const ofWarnings = mayWarn ? ["Disburse-Warnings"] : [];
  const example = { data: exampleOfSchema(schemaRef(data), schemas) };
  return {
    description: data.schema.description,
    headers: headerRefs([
      ...["X-Request-Id", ...limitHeaders],
      ...[...ofKeys, ...ofBodies, ...ofWarnings],
    ]),
    content: {
      "application/json": {
        schema: { type: "object", required: ["data"], properties: { data: schemaRef(data) } },
        examples: { success: { value: example } },
      },
    },
  };
}

function dryRunContent(data: DryRun["data"], schemas: Schemas): JsonSchema {
  const example = { data: exampleOfSchema(schemaRef(data), schemas) };
  const schema = { type: "object", required: ["data"], properties: { data: schemaRef(data) } };
  return { content: { [dryRunType]: { schema, examples: { dry_run: { value: example } } } } };
}

function fileSuccess(format: FileFormat): JsonSchema {
  const { description, formats = {} } = format;
  const content = [format, ...Object.values(formats)].map(({ mediaType, example, schema }) => {
    const examples = { success: { value: example } };
    // Generators read `binary` as bytes, and other strings as text.
    const plain = { type: "string", ...(isBinary(mediaType) && { format: "binary" }) };
    return [mediaType, { schema: schema ?? plain, examples }];
  });
  return {
    description,
    headers: headerRefs(["X-Request-Id", ...limitHeaders, "Content-Disposition"]),
    content: Object.fromEntries(content),
  };
}

function requestBody(body: Route["body"]): JsonSchema {
  const description = bodyLimits(body?.large);
  if (body === undefined) {
    const schema = { type: "object", maxProperties: bodyKeysMax };
    return { description, required: false, content: { "application/json": { schema } } };
  }
  const { form, optional = false, examples = {}, large } = body;
  const shown = Object.entries({ ...Object.fromEntries(bodyExamples(form)), ...examples });
  const named = Object.fromEntries(shown.map(([name, value]) => [name, { value }]));
  const json = { ...bodySchema(form), ...(shown.length === 0 ? {} : { examples: named }) };
  const csv = {
    schema: { type: "string", description: "A header row, then one row for each line (RFC 4180)." },
    examples: { file: { value: large?.csv?.example } },
  };
  const content = { "application/json": json, ...(large?.csv && { "text/csv": csv }) };
  return { description, required: !optional, content };
}

/** The limits of a body that no schema expresses. */
function bodyLimits(large: LargeBody | undefined): string {
  const keys = (large?.keysMax ?? bodyKeysMax).toLocaleString("en");
  const size = large === undefined ? "64 KiB" : sizeText(large.bytesMax);
  return `At most ${keys} keys in all its objects, ${bodyDepthMax} levels and ${size}. Texts are trimmed; none has control characters or bidirectional overrides.`;
}

/** Turns `crypto_beneficiary_individual` into `CryptoBeneficiaryIndividualRequest`. */
function formName({ name }: Form): string {
  const words = name.split("_").map((each) => each.charAt(0).toUpperCase() + each.slice(1));
  return `${words.join("")}Request`;
}

function bodySchema(body: PublicBody): JsonSchema {
  const { forms, description } = body;
  const refs = forms.map((form) => ({ $ref: componentPath + formName(form) }));
  if (refs.length === 1) return { schema: refs[0] };
  const selector = selectorOf(body);
  if (selector === undefined) return { schema: { description, anyOf: refs } };
  const { field: propertyName, forms: byValue } = selector;
  const mapping = [...byValue].map(([value, form]) => [value, componentPath + formName(form)]);
  const discriminator = { propertyName, mapping: Object.fromEntries(mapping) };
  return { schema: { description, oneOf: refs, discriminator } };
}

/** Builds an example value from the examples of a schema's fields. Omits optional fields. */
export function exampleOfSchema(
  schema: JsonSchema,
  components: ReadonlyMap<string, JsonSchema>,
): unknown {
  const { $ref, examples, type, properties, items, required } = schema;
  if (typeof $ref === "string") {
    const component = components.get($ref.slice(componentPath.length));
    if (component === undefined) throw new Error(`the API reference has no component ${$ref}`);
    return exampleOfSchema(component, components);
  }
  if (Array.isArray(examples)) return examples[0];
  if (type === "array") return [exampleOfSchema(items as JsonSchema, components)];
  if (type !== "object") throw new Error("a response schema has neither examples nor properties");
  const names = new Set(required as readonly string[] | undefined);
  const values = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
    .filter(([name]) => names.has(name))
    .map(([name, each]) => [name, exampleOfSchema(each, components)]);
  return Object.fromEntries(values);
}
