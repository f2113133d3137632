import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first executable of this name on PATH, or undefined. */
export function onPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return firstExecutable(folders.map((folder) => join(folder, name)));
}

/** The first of these files that this user may execute, or undefined. */
export function firstExecutable(files: readonly string[]): string | undefined {
  return files.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
