import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An object version. A delete marker has no body. */
type Version = {
  readonly key: string;
  readonly id: string;
  readonly body: string | undefined;
  readonly lock: { readonly mode: string; readonly until: Date } | undefined;
  readonly at: Date;
};

type Answer = readonly [status: number, body?: string, headers?: Record<string, string>];

const sha256 = (body: string) => createHash("sha256").update(body).digest("base64");
const problem = (status: number, code: string): Answer => [
  status,
  `<Error><Code>${code}</Code><Message>by a test</Message></Error>`,
];

const pageSize = 2;

/**
 * Emulates the parts of S3 that shipping audit evidence needs: versions, object lock, conditional
 * writes and checksums.
 */
export async function startS3(bucket: string, { hasLock = true } = {}) {
  const versions: Version[] = [];
  const state = { isAway: false, losesAnswers: false };
  const newest = (key: string) => versions.findLast((each) => each.key === key);

  const put = (key: string, body: string, { headers }: IncomingMessage): Answer => {
    const header = (name: string) => String(headers[name] ?? "");
    const mode = header("x-amz-object-lock-mode");
    if (mode !== "" && !hasLock) return problem(400, "InvalidRequest");
    const checksum = header("x-amz-checksum-sha256");
    if (mode !== "" && checksum === "") return problem(400, "InvalidRequest");
    const algorithm = header("x-amz-sdk-checksum-algorithm") || "SHA256";
    const isSame = checksum === sha256(body) && algorithm === "SHA256";
    if (checksum !== "" && !isSame) return problem(400, "BadDigest");
    if (header("if-none-match") === "*" && newest(key)?.body !== undefined) {
      return problem(412, "PreconditionFailed");
    }
    const until = new Date(header("x-amz-object-lock-retain-until-date"));
    const lock = mode === "" ? undefined : { mode, until };
    versions.push({ key, id: randomUUID(), body, lock, at: new Date() });
    return state.losesAnswers ? problem(503, "SlowDown") : [200];
  };
  const get = (key: string, id: string | null): Answer => {
    const found = id === null ? newest(key) : versions.find((each) => each.id === id);
    if (found?.body === undefined) return problem(404, "NoSuchKey");
    return [200, found.body, { "x-amz-checksum-sha256": sha256(found.body) }];
  };
  const remove = (key: string, id: string | null): Answer => {
    if (id === null) {
      versions.push({ key, id: randomUUID(), body: undefined, lock: undefined, at: new Date() });
      return [204];
    }
    const at = versions.findIndex((each) => each.id === id);
    if ((versions[at]?.lock?.until ?? new Date(0)) > new Date())
      return problem(403, "AccessDenied");
    versions.splice(at, 1);
    return [204];
  };
  const list = (query: URLSearchParams): Answer => {
    const prefix = query.get("prefix") ?? "";
    const all = versions.filter(({ key }) => key.startsWith(prefix));
    const from = Number(query.get("version-id-marker") ?? 0);
    const page = all.slice(from, from + pageSize);
    const next = from + page.length;
    const marker = page.at(-1)?.key ?? "";
    const rest =
      next < all.length
        ? `<IsTruncated>true</IsTruncated><NextKeyMarker>${marker}</NextKeyMarker>` +
          `<NextVersionIdMarker>${next}</NextVersionIdMarker>`
        : "<IsTruncated>false</IsTruncated>";
    return [
      200,
      `<ListVersionsResult>${rest}${page.map(versionXml).join("")}</ListVersionsResult>`,
    ];
  };
  const lockXml =
    "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>";

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { pathname, searchParams: query } = new URL(request.url ?? "", "http://s3.test");
    const body = await text(request);
    if (state.isAway) return problem(503, "SlowDown");
    if (!request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 ")) {
      return problem(403, "AccessDenied");
    }
    const [, name, ...path] = decodeURIComponent(pathname).split("/");
    if (name !== bucket) return problem(404, "NoSuchBucket");
    if (query.has("object-lock")) {
      return hasLock ? [200, lockXml] : problem(404, "ObjectLockConfigurationNotFoundError");
    }
    if (query.has("versions")) return list(query);
    const key = path.join("/");
    if (request.method === "PUT") return put(key, body, request);
    if (request.method === "DELETE") return remove(key, query.get("versionId"));
    return get(key, query.get("versionId"));
  };
  const server = createServer((request, response) => {
    void answer(request).then(([status, body, headers]) => {
      response.writeHead(status, headers).end(body);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    versions: versions as readonly Version[],
    state,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function versionXml({ key, id, body, at }: Version): string {
  const name = body === undefined ? "DeleteMarker" : "Version";
  const inside =
    `<Key>${key}</Key><VersionId>${id}</VersionId>` +
    `<LastModified>${at.toISOString()}</LastModified>`;
  return `<${name}>${inside}</${name}>`;
}
