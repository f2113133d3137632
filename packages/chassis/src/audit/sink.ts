import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";

/** What a line belongs to: where a sink keeps one object for each, it is named by these. */
export type LineName = {
  readonly service: string;
  readonly number: number;
  readonly at: Date;
};

/**
 * Where signed heads are kept, out of reach of who can change the database. Only additions: a sink
 * that knows retention (an object store with object lock, an append-only volume) refuses the rest.
 */
export type AuditSink = {
  /** Resolves when the line is durable. The same line may come again after a crash. */
  append(line: string, name: LineName): Promise<void>;
  /** Frees what it holds open. */
  close(): void;
};

/** A folder with a file of JSON lines for each service and day. */
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

/** Whether the last byte ends a line; it does not where a crash cut one off. */
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
