import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export function onPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return firstExecutable(folders.map((folder) => join(folder, name)));
}

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
