import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { contentHash, forever, type Headers, revalidate, serveContent } from "./content.ts";
import type { PublicRoute } from "./static.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
  ".http": "text/plain; charset=utf-8",
};

type Files = ReadonlyMap<string, PublicRoute["answer"]>;

type Built = {
  readonly folder: string;
  /** The folder whose files have hashed names, such as `assets/`. */
  readonly hashed: string;
  readonly headers: Headers;
};

/**
 * Returns a function that reads a build's files, keyed by their path. It returns `undefined` while
 * there is no index page, and reads a new build without a restart.
 */
export function builtFolder(built: Built): () => Promise<Files | undefined> {
  const index = join(built.folder, "index.html");
  let read: { readonly builtAtMs: number; readonly files: Promise<Files> } | undefined;
  return async () => {
    if (!existsSync(index)) return undefined;
    const { mtimeMs } = await stat(index);
    if (read?.builtAtMs !== mtimeMs) {
      const files = readBuild(built);
      read = { builtAtMs: mtimeMs, files };
      files.catch(() => {
        read = undefined;
      });
    }
    return read?.files;
  };
}

async function readBuild({ folder, hashed, headers: given }: Built): Promise<Files> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found
    .filter((each) => each.isFile())
    .map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      const served = relative(folder, path).split(sep).join("/");
      const load = () => readFile(path);
      const headers = {
        ...given,
        "Content-Type": types[extname(name)] ?? "application/octet-stream",
        "Cache-Control": served.startsWith(hashed) ? forever : revalidate,
      };
      return [served, serveContent(contentHash(await load()), headers, load)] as const;
    });
  return new Map(await Promise.all(files));
}
