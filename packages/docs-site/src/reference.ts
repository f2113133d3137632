import {
  type Document,
  operationsOf,
  type Operation as SdkOperation,
} from "@disburse/sdk/generator/document.ts";
import { pageOf, placeOf } from "@disburse/sdk/generator/resources.ts";
import { bodyType } from "@disburse/sdk/generator/types.ts";
import type { JsonObject, SampleRequest } from "./request.ts";

type Content = {
  readonly examples?: Readonly<Record<string, { readonly value: JsonObject }>>;
};

type Described = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name?: string;
    readonly in?: string;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, Content>> }>
  >;
};

export type ReferenceOperation = {
  readonly id: string;
  readonly method: string;
  /** Contains `{name}` for each parameter. */
  readonly path: string;
  readonly described: Described;
  /** Absent for file downloads, which have no SDK method. */
  readonly sdk: SampleRequest["sdk"];
};

/** Returns the operations under `/api/`. */
export function referenceOperations(document: Document): ReferenceOperation[] {
  const inSdk = new Map(operationsOf(document).map((each) => [each.id, each]));
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    path.startsWith("/api/")
      ? Object.entries(methods).map(([method, described]) => ({
          id: described.operationId,
          method: method.toUpperCase(),
          path,
          described,
          sdk: placeInSdk(inSdk.get(described.operationId), document),
        }))
      : [],
  );
}

function placeInSdk(operation: SdkOperation | undefined, document: Document): SampleRequest["sdk"] {
  if (operation === undefined) return undefined;
  return {
    ...placeOf(operation),
    isPage: pageOf(operation, document) !== undefined,
    hasBody: bodyType(operation) !== undefined,
  };
}

/** The suffix of all ids in examples. */
const exampleId = "01hqz0000000000000000000ab";

/** Id prefixes of path parameters, if they can't be derived from the name. */
const prefixes: Readonly<Record<string, string>> = {
  beneficiaryId: "ben",
  depositorId: "dep",
  quoteId: "qt",
  payoutId: "po",
  accountId: "acc",
  endpointId: "whe",
  deliveryId: "whd",
  replayId: "whr",
};

/** Returns an operation's sample requests: one per body example, keyed by its name. */
export function requestsOf(operation: ReferenceOperation): [name: string, SampleRequest][] {
  const { id, method, described, sdk } = operation;
  const examples = described.requestBody?.content["application/json"]?.examples ?? {};
  const isList = described.parameters?.some(({ name }) => name === "limit") ?? false;
  const general: SampleRequest = {
    method,
    path: operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleIdOf(name)),
    query: isList ? [["limit", "20"]] : [],
    variables: {},
    ...fileOf(operation),
    ...(sdk === undefined ? {} : { sdk }),
  };
  const idempotencyKey = `${id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-1001`;
  const named = Object.entries(examples).map(([name, { value }]): [string, SampleRequest] => [
    name,
    { ...general, body: value, idempotencyKey },
  ]);
  return named.length === 0 ? [[id, general]] : named;
}

function exampleIdOf(name: string): string {
  return `${prefixes[name] ?? name.replace(/Id$/, "").toLowerCase()}_${exampleId}`;
}

/** Returns the file name for a response that isn't JSON or isn't wrapped in `data`. */
function fileOf({ path, described }: ReferenceOperation): { file?: string } {
  const [[mediaType, content] = ["application/json", undefined]] = Object.entries(
    described.responses["200"]?.content ?? {},
  );
  const value: unknown = content?.examples?.success?.value;
  const isData = typeof value === "object" && value !== null && "data" in value;
  if (mediaType === "application/json" && isData) return {};
  const last = path.split("/").at(-1) ?? "";
  return { file: last.includes(".") ? last : `${last}.${mediaType.split("/").at(-1)}` };
}
