import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";

/** Identifies a line: sinks that store one object for each line name it by these. */
export type LineName = {
  readonly service: string;
  readonly number: number;
  readonly at: Date;
};

/**
 * Stores signed heads out of reach of anyone who can change the database. It only appends; an
 * object store with object lock, or an append-only volume, refuses everything else.
 */
export type AuditSink = {
  /** Resolves when the line is durable. A crash may cause the same line twice. */
  append(line: string, name: LineName): Promise<void>;
  close(): void;
};

/** Writes to a folder: a file of JSON lines for each service and day. */
export function fileSink(folder: string): AuditSink {
  return {
    append: async (line, { service, at }) => {
      await mkdir(folder, { recursive: true });
      const path = join(folder, `${service}-${at.toISOString().slice(0, 10)}.jsonl`);
      const file = await open(path, "a+", 0o640);
      try {
        const { size } = await file.stat();
        const start = size > 0 && !(await endsLine(file, size)) ? "\n" : "";
        await file.appendFile(`${start}${line}\n`);
        await file.sync();
        if (size === 0) await syncFolder(folder);
      } finally {
        await file.close();
      }
    },
    close: () => undefined,
  };
}

/** True if the last byte ends a line; a crash may have cut one off. */
async function endsLine(file: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

/** A new file is durable when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder);
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
