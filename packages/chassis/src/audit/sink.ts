import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";

/** Identifies a line. Sinks that store one object for each line use these values in its name. */
export type LineName = {
  readonly service: string;
  readonly number: number;
  readonly at: Date;
};

/**
 * Stores signed heads where no one with access to the database can change them. A sink only
 * appends. Its storage refuses every other change: an object store with object lock, or an
 * append-only volume.
 */
export type AuditSink = {
  /** Resolves when the line is stored durably. After a crash, the same line may be stored twice. */
  append(line: string, name: LineName): Promise<void>;
  close(): void;
};

/** Writes lines to a folder. Each service and day has its own file of JSON lines. */
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

/** Returns true if the file ends with a complete line. A crash may have truncated the last one. */
async function endsLine(file: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

/** A new file is durable only after its folder has been synced to disk. */
async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder);
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
