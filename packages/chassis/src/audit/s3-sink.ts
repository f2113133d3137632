import { createHash } from "node:crypto";
import {
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import type { AuditSink } from "./sink.ts";

/** Time limits of one attempt. There are three attempts. */
const timeouts = {
  connectionTimeout: 3_000,
  requestTimeout: 5_000,
  // By default the SDK only logs a timed-out request and keeps waiting for it.
  throwOnRequestTimeout: true,
};

/**
 * Creates a client of S3, or of a compatible store at `endpoint` with path-style addresses. The
 * region and credentials come from the AWS defaults.
 */
export function s3Client(endpoint?: string): S3Client {
  const place = endpoint !== undefined && { endpoint, forcePathStyle: true };
  return new S3Client({ requestHandler: timeouts, ...place });
}

/** A sink that can check its bucket for object lock. */
export type LockedSink = AuditSink & {
  /**
   * Reads the bucket's object lock. Rejects with an `S3ServiceException` if the store doesn't allow
   * the request, and with another error if the store doesn't reply.
   */
  isLocked(): Promise<boolean>;
};

const dayMs = 86_400_000;

/**
 * Creates a sink in a bucket with object lock (`s3://bucket/prefix`). Each line is an object,
 * `prefix/service/number-hash.jsonl`. No one, not even the account's root user, can change or
 * remove it for `retentionDays` (mode COMPLIANCE), and no other line can replace it.
 */
export function s3Sink(url: string, retentionDays: number, client: S3Client): LockedSink {
  const { hostname: Bucket, pathname } = new URL(url);
  const prefix = pathname.replaceAll(/^\/+|\/+$/g, "");
  const isLocked = () => hasObjectLock(client, Bucket);
  let wasLocked = false;
  return {
    isLocked,
    append: async (line, { service, number, at }) => {
      wasLocked ||= await isLocked();
      if (!wasLocked) throw new Error(`the audit sink's bucket ${Bucket} has no object lock`);
      const Body = `${line}\n`;
      const digest = createHash("sha256").update(Body).digest();
      // The number in the name keeps the order. A restored database may reuse a number for a
      // different line. The hash then keeps both lines.
      const name = `${String(number).padStart(12, "0")}-${digest.toString("hex").slice(0, 16)}`;
      const Key = [prefix, service, `${name}.jsonl`].filter((part) => part !== "").join("/");
      const put = new PutObjectCommand({
        Bucket,
        Key,
        Body,
        ContentType: "application/jsonl",
        IfNoneMatch: "*",
        // Set because the SDK adds a different checksum by default, and S3 refuses two algorithms.
        ChecksumAlgorithm: "SHA256",
        ChecksumSHA256: digest.toString("base64"),
        ObjectLockMode: "COMPLIANCE",
        ObjectLockRetainUntilDate: new Date(at.getTime() + retentionDays * dayMs),
      });
      try {
        await client.send(put);
      } catch (error) {
        const isThere = statusOf(error) === 412;
        // An earlier attempt may have written the line, and its response or the stored progress was
        // lost.
        if (!isThere || (await textOf(client, Bucket, Key)) !== Body) throw error;
      }
    },
    close: () => client.destroy(),
  };
}

async function hasObjectLock(client: S3Client, Bucket: string): Promise<boolean> {
  try {
    const command = new GetObjectLockConfigurationCommand({ Bucket });
    const { ObjectLockConfiguration: found } = await client.send(command);
    return found?.ObjectLockEnabled === "Enabled";
  } catch (error) {
    const { name } = error as Error;
    if (name === "ObjectLockConfigurationNotFoundError") return false;
    throw error;
  }
}

async function textOf(client: S3Client, Bucket: string, Key: string): Promise<string | undefined> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
  return Body?.transformToString();
}

/** Returns the HTTP status of the store's response. Returns `undefined` without a response. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}
