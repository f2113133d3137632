import { createHash } from "node:crypto";
import {
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import type { AuditSink } from "./sink.ts";

/** Of one attempt; there are three. */
const timeouts = {
  connectionTimeout: 3_000,
  requestTimeout: 5_000,
  // Without it a request that is never answered is logged, and waited for.
  throwOnRequestTimeout: true,
};

/**
 * A client of S3, or of a store that speaks its protocol at `endpoint`, where the bucket stands in
 * the path. Region and who calls come as with every AWS tool.
 */
export function s3Client(endpoint?: string): S3Client {
  const place = endpoint !== undefined && { endpoint, forcePathStyle: true };
  return new S3Client({ requestHandler: timeouts, ...place });
}

/** A sink that knows whether its bucket refuses to forget. */
export type LockedSink = AuditSink & {
  /**
   * Whether the bucket has object lock; rejects with an `S3ServiceException` where it does not say
   * so, and with another error where it does not answer.
   */
  isLocked(): Promise<boolean>;
};

const dayMs = 86_400_000;

/**
 * A bucket with object lock (`s3://bucket/prefix`): each line is an object of its own,
 * `prefix/service/number-hash.jsonl`, that no one can change or remove before `retentionDays` are
 * over, not the account's root user either (mode COMPLIANCE), and that no other line can replace.
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
      if (!wasLocked) throw new Error(`bucket ${Bucket} of the audit sink has no object lock`);
      const Body = `${line}\n`;
      const digest = createHash("sha256").update(Body).digest();
      // In the order of their numbers. A database that was restored comes to a number again, with
      // another line: both are kept.
      const name = `${String(number).padStart(12, "0")}-${digest.toString("hex").slice(0, 16)}`;
      const Key = [prefix, service, `${name}.jsonl`].filter((part) => part !== "").join("/");
      const put = new PutObjectCommand({
        Bucket,
        Key,
        Body,
        ContentType: "application/jsonl",
        IfNoneMatch: "*",
        // The SDK names another one by itself, and S3 refuses two that differ.
        ChecksumAlgorithm: "SHA256",
        ChecksumSHA256: digest.toString("base64"),
        ObjectLockMode: "COMPLIANCE",
        ObjectLockRetainUntilDate: new Date(at.getTime() + retentionDays * dayMs),
      });
      try {
        await client.send(put);
      } catch (error) {
        const isThere = statusOf(error) === 412;
        // The answer was lost, or the process ended before it had taken note of it.
        if (!isThere || (await textOf(client, Bucket, Key)) !== Body) throw error;
      }
    },
    close: () => client.destroy(),
  };
}

async function hasObjectLock(client: S3Client, Bucket: string): Promise<boolean> {
  try {
    const asked = new GetObjectLockConfigurationCommand({ Bucket });
    const { ObjectLockConfiguration: found } = await client.send(asked);
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

/** The status of an answer of the store; `undefined` where there was none. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}
