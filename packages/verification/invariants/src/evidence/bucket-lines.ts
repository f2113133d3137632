import { GetObjectCommand, ListObjectVersionsCommand, S3Client } from "@aws-sdk/client-s3";
import type { Flaw, SinkContents } from "./flaw.ts";

const readsMax = 32;
/** Maximum difference between a service's clock and the bucket's. */
const clocksMs = 86_400_000;

/**
 * Reads every version of every object. A newer version or a delete marker therefore can't hide
 * shipped data. Reports such versions and markers as flaws.
 */
export async function readBucket(place: URL, from: Date, endpoint?: string): Promise<SinkContents> {
  // Region and credentials come from the usual AWS settings.
  const client = new S3Client(endpoint === undefined ? {} : { endpoint, forcePathStyle: true });
  try {
    return await readVersions(client, place, from);
  } finally {
    client.destroy();
  }
}

async function readVersions(
  client: S3Client,
  { hostname: Bucket, pathname }: URL,
  from: Date,
): Promise<SinkContents> {
  const prefix = pathname.replaceAll(/^\/+|\/+$/g, "");
  const flaws: Flaw[] = [];
  const lines: string[] = [];
  const seen = new Set<string>();
  const overlaid = (key: string, how: string) => {
    const service = key.split("/").at(-2) ?? "";
    flaws.push({ kind: "overlaid", service, subject: `object ${key}`, detail: how });
  };
  const read = async (Key: string, VersionId: string | undefined) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, VersionId }));
    for (const line of ((await Body?.transformToString()) ?? "").split("\n")) {
      if (line !== "") lines.push(line);
    }
  };
  for await (const page of pagesOf(client, Bucket, prefix === "" ? "" : `${prefix}/`)) {
    for (const { Key = "", LastModified: at } of page.DeleteMarkers ?? []) {
      overlaid(Key, `was hidden by a delete marker at ${at?.toISOString()}`);
    }
    const found = (page.Versions ?? []).filter(
      ({ LastModified: at }) => at === undefined || at.getTime() + clocksMs >= from.getTime(),
    );
    for (const { Key = "", VersionId: id } of found) {
      if (seen.has(Key)) overlaid(Key, `has more than one version, ${id} too`);
      seen.add(Key);
    }
    for (let start = 0; start < found.length; start += readsMax) {
      const some = found.slice(start, start + readsMax);
      await Promise.all(some.map(({ Key = "", VersionId }) => read(Key, VersionId)));
    }
  }
  return { lines, flaws };
}

async function* pagesOf(client: S3Client, Bucket: string, Prefix: string) {
  let KeyMarker: string | undefined;
  let VersionIdMarker: string | undefined;
  for (;;) {
    const request = { Bucket, Prefix, KeyMarker, VersionIdMarker };
    const page = await client.send(new ListObjectVersionsCommand(request));
    yield page;
    if (page.IsTruncated !== true) return;
    KeyMarker = page.NextKeyMarker;
    VersionIdMarker = page.NextVersionIdMarker;
  }
}
