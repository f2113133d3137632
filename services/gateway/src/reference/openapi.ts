import { bodyExamples } from "@disburse/forms/examples.ts";
import type { Form, PublicBody } from "@disburse/forms/field.ts";
import { formSchema, type JsonSchema, selectorOf } from "@disburse/forms/json-schema.ts";
import { accountComponents } from "./accounts.ts";
import { beneficiaryComponents } from "./beneficiaries.ts";
import { beneficiaryFormComponents } from "./beneficiary-forms.ts";
import { depositorComponents } from "./depositors.ts";
import { type Endpoint, type EndpointBody, type FileFormat, takesBody } from "./endpoint.ts";
import { exampleOfSchema } from "./example.ts";
import { introduction, tags } from "./introduction.ts";
import { operationalPaths } from "./operational.ts";
import { pageMeta } from "./page.ts";
import { headerParameters, responseHeaders } from "./parameters.ts";
import { payoutComponents } from "./payouts.ts";
import { quoteComponents } from "./quotes.ts";
import {
  error,
  headerRefs,
  limitHeaders,
  refusalResponses,
  refusalsOf,
  sharedResponses,
} from "./refusals.ts";
import { type Component, componentPath, ref } from "./schema.ts";
import { webhookDeliveryComponents } from "./webhook-deliveries.ts";
import { webhookEndpointComponents } from "./webhook-endpoints.ts";
import { webhookEventComponents } from "./webhook-events.ts";
import { webhookReplayComponents } from "./webhook-replays.ts";
import { webhookComponents, webhookItems } from "./webhooks.ts";

/** Of the interface; the path says its first digit. */
const interfaceVersion = "1.0.0";

const answers: readonly Component[] = [
  error,
  pageMeta,
  ...beneficiaryComponents,
  ...beneficiaryFormComponents,
  ...depositorComponents,
  ...quoteComponents,
  ...payoutComponents,
  ...accountComponents,
  ...webhookEndpointComponents,
  ...webhookDeliveryComponents,
  ...webhookReplayComponents,
  ...webhookEventComponents,
  ...webhookComponents,
];

/** The OpenAPI 3.1 document of the public interface, out of the endpoints and the field tables. */
export function openApiDocument(endpoints: readonly Endpoint[]): JsonSchema {
  const bodies = endpoints.flatMap(({ body }) => body?.form ?? []);
  const schemas = [...answers, ...bodies.flatMap(formComponents)];
  const paths = Map.groupBy(endpoints, ({ path }) => path.replaceAll(/:(\w+)/g, "{$1}"));
  const byName = new Map(schemas.map(({ name, schema }) => [name, schema]));
  return {
    openapi: "3.1.0",
    info: {
      title: "Disburse",
      version: interfaceVersion,
      summary: "Payouts in fiat and crypto.",
      description: introduction,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "This gateway." }],
    security: [{ apiKey: [] }],
    tags,
    paths: {
      ...Object.fromEntries(
        [...paths].map(([path, its]) => [
          path,
          Object.fromEntries(
            its.map((each) => [each.method.toLowerCase(), operation(each, byName)]),
          ),
        ]),
      ),
      ...operationalPaths(),
    },
    webhooks: webhookItems(byName),
    components: {
      schemas: Object.fromEntries(byName),
      responses: sharedResponses(endpoints),
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
  };
}

type Schemas = ReadonlyMap<string, JsonSchema>;

function operation(endpoint: Endpoint, schemas: Schemas): JsonSchema {
  const { id, tag, scope, summary, description, body } = endpoint;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\nScope: \`${scope}\`.`,
    "x-scope": scope,
    parameters: parametersOf(endpoint),
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: {
      "200": success(endpoint, schemas),
      ...refusalResponses(refusalsOf(endpoint)),
    },
  };
}

function parametersOf({ method, path, query = {} }: Endpoint): JsonSchema[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: "Id of the record.",
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(([name, { description, schema }]) => ({
    name,
    in: "query",
    required: false,
    description,
    schema,
  }));
  const headers = takesBody(method) ? ["IdempotencyKey", "RequestId"] : ["RequestId"];
  const inHeader = headers.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return [...inPath, ...inQuery, ...inHeader];
}

function success({ method, data }: Endpoint, schemas: Schemas): JsonSchema {
  if ("mediaType" in data) return fileSuccess(data);
  const replayed = takesBody(method) ? ["Idempotent-Replayed"] : [];
  const example = { data: exampleOfSchema(ref(data), schemas) };
  return {
    description: data.schema.description,
    headers: headerRefs(["X-Request-Id", ...limitHeaders, ...replayed]),
    content: {
      "application/json": {
        schema: { type: "object", required: ["data"], properties: { data: ref(data) } },
        examples: { success: { value: example } },
      },
    },
  };
}

function fileSuccess({ mediaType, description, example }: FileFormat): JsonSchema {
  const file = { schema: { type: "string" }, examples: { success: { value: example } } };
  return {
    description,
    headers: headerRefs(["X-Request-Id", ...limitHeaders, "Content-Disposition"]),
    content: { [mediaType]: file },
  };
}

function requestBody({ form, optional = false, examples = {} }: EndpointBody): JsonSchema {
  const shown = {
    ...Object.fromEntries(form === undefined ? [] : bodyExamples(form)),
    ...examples,
  };
  const named = Object.entries(shown).map(([name, value]) => [name, { value }]);
  const json = form === undefined ? { schema: { type: "object" } } : bodySchema(form);
  return {
    required: !optional,
    content: {
      "application/json": {
        ...json,
        ...(named.length === 0 ? {} : { examples: Object.fromEntries(named) }),
      },
    },
  };
}

/** `crypto_beneficiary_individual` → `CryptoBeneficiaryIndividualRequest`. */
function formName({ name }: Form): string {
  const words = name.split("_").map((each) => each.charAt(0).toUpperCase() + each.slice(1));
  return `${words.join("")}Request`;
}

function formComponents(body: PublicBody): Component[] {
  return body.forms.map((form) => ({ name: formName(form), schema: formSchema(form) }));
}

function bodySchema(body: PublicBody): JsonSchema {
  const refs = body.forms.map((form) => ({ $ref: componentPath + formName(form) }));
  const [only] = refs;
  if (refs.length === 1 && only !== undefined) return { schema: only };
  const selector = selectorOf(body);
  if (selector === undefined) return { schema: { description: body.description, anyOf: refs } };
  const mapping = [...selector.forms].map(([value, form]) => [
    value,
    componentPath + formName(form),
  ]);
  const discriminator = {
    propertyName: selector.field,
    mapping: Object.fromEntries(mapping),
  };
  return { schema: { description: body.description, oneOf: refs, discriminator } };
}
